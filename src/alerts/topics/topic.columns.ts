import type { FieldsWith } from '../../platform/database/columns.ts';
import type { FormField, IntField } from '../../platform/fields.ts';

type Kind = IntField | { kind: 'text'; max: number; initial: null } | { kind: 'flag'; initial: boolean };

/** A rule whose initial value is null can be cleared. */
export type TopicRule = Kind & {
  /** The database column, if it differs from the field's name in snake case. */
  column?: string;
  /** Whether the rule applies only to triggers that list it in their `settings`. */
  ofTrigger?: true;
  form?: FormField & { with?: 'batches' | 'stock' };
  /** How the list of topics shows the value in its message `rule.*.summary`; omitted if it does not show it. */
  summary?: 'value' | 'duration';
};

/** SQL, validation and forms derive from this table. The dashboard imports it, so it imports only types. */
export const TOPIC_RULES = {
  tag: { kind: 'text', max: 255, initial: null, ofTrigger: true, summary: 'value' },
  minStock: { kind: 'int', min: 1, max: 1_000_000, initial: 1, ofTrigger: true, summary: 'value' },
  dropPercent: { kind: 'int', min: 1, max: 99, initial: 5, ofTrigger: true, summary: 'value' },
  lowStock: { kind: 'int', min: 1, max: 1_000_000, initial: 3, ofTrigger: true, summary: 'value' },
  listHolders: { kind: 'flag', initial: false, summary: 'value' },
  delaySeconds: {
    ...{ kind: 'int', min: 0, max: 86_400, initial: 0, column: 'delay_s' },
    ...{ form: { unitSeconds: 60 }, summary: 'duration' },
  },
  coolDownSeconds: {
    ...{ kind: 'int', min: 0, max: 30 * 86_400, initial: 86_400, column: 'cool_down_s' },
    ...{ form: { unitSeconds: 3_600 }, summary: 'duration' },
  },
  batchSize: { kind: 'int', min: 1, max: 1_000_000, initial: null, form: { with: 'batches' } },
  batchIntervalSeconds: {
    ...{ kind: 'int', min: 1, max: 30 * 86_400, initial: null, column: 'batch_interval_s' },
    form: { unitSeconds: 60, with: 'batches' },
  },
  shoppersPerUnit: {
    ...{ kind: 'int', min: 1, max: 100_000, initial: null },
    ...{ form: { with: 'stock' }, summary: 'value' },
  },
  expiryDays: { kind: 'int', min: 1, max: 3_650, initial: null, summary: 'value' },
} as const satisfies Record<string, TopicRule>;

type Table = typeof TOPIC_RULES;

export type RuleName = keyof Table;

export type TriggerRuleName = FieldsWith<Table, { ofTrigger: true }>;

/** Rules that the list of topics shows. */
export type SummaryName = FieldsWith<Table, { summary: string }>;

export const topicRules = Object.entries(TOPIC_RULES).map(([name, rule]: [string, TopicRule]) => ({
  ...rule,
  name: name as RuleName,
  form: rule.form ?? {},
}));
