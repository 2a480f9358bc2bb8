import type { FormField, IntField } from '../../platform/fields.ts';

type Kind = IntField | { kind: 'text'; max: number; initial: null } | { kind: 'flag'; initial: boolean };

export type SummaryUnit = 'unit' | 'shopper' | 'day' | 'seconds';

/** A rule whose initial value is null can be cleared. */
export type TopicRule = Kind & {
  /** The database column, if it differs from the field's name in snake case. */
  column?: string;
  /** Whether the rule applies only to triggers that list it in their `settings`. */
  ofTrigger?: true;
  form: FormField & {
    with?: 'batches' | 'stock';
  };
  /** The text in the list of topics, with the value at `{}`; omitted if the list does not show it. */
  summary?: { text: string; unit?: SummaryUnit };
};

/** SQL, validation and forms derive from this table. The dashboard imports it, so it imports only types. */
export const TOPIC_RULES = {
  tag: {
    ...{ kind: 'text', max: 255, initial: null, ofTrigger: true },
    form: { label: 'Product tag' },
    summary: { text: 'tag “{}”' },
  },
  minStock: {
    ...{ kind: 'int', min: 1, max: 1_000_000, initial: 1, ofTrigger: true },
    form: { label: 'Minimum stock', hint: 'Units that count as back in stock.' },
    summary: { text: 'from {} of stock', unit: 'unit' },
  },
  dropPercent: {
    ...{ kind: 'int', min: 1, max: 99, initial: 5, ofTrigger: true },
    form: { label: 'Price falls by at least (%)', hint: 'Several small steps count together.' },
    summary: { text: 'by {} % or more' },
  },
  lowStock: {
    ...{ kind: 'int', min: 1, max: 1_000_000, initial: 3, ofTrigger: true },
    form: { label: 'Units left', hint: 'At this many or fewer, but not at none.' },
    summary: { text: 'at {} or fewer', unit: 'unit' },
  },
  listHolders: {
    ...{ kind: 'flag', initial: false },
    form: {
      label: 'Also tell shoppers who have the product in a list',
      hint: 'Customers with an account who said yes to your mailing list. They hear once each time, and can leave with one click.',
    },
    summary: { text: 'also to list holders' },
  },
  delaySeconds: {
    ...{ kind: 'int', min: 0, max: 86_400, initial: 0, column: 'delay_s' },
    form: {
      label: 'Delay in minutes',
      unitSeconds: 60,
      hint: 'Waits so long: a mistake that you correct meanwhile tells nobody.',
    },
    summary: { text: 'after {}', unit: 'seconds' },
  },
  coolDownSeconds: {
    ...{ kind: 'int', min: 0, max: 30 * 86_400, initial: 86_400, column: 'cool_down_s' },
    form: { label: 'Cool-down in hours', unitSeconds: 3_600, hint: 'Not twice to one contact within it.' },
    summary: { text: 'cool-down {}', unit: 'seconds' },
  },
  batchSize: {
    ...{ kind: 'int', min: 1, max: 1_000_000, initial: null },
    form: { label: 'Shoppers in a batch', with: 'batches' },
  },
  batchIntervalSeconds: {
    ...{ kind: 'int', min: 1, max: 30 * 86_400, initial: null, column: 'batch_interval_s' },
    form: { label: 'Minutes between batches', unitSeconds: 60, with: 'batches' },
  },
  shoppersPerUnit: {
    ...{ kind: 'int', min: 1, max: 100_000, initial: null },
    form: { label: 'Shoppers a unit of stock', with: 'stock' },
    summary: { text: '{} a unit', unit: 'shopper' },
  },
  expiryDays: {
    ...{ kind: 'int', min: 1, max: 3_650, initial: null },
    form: { label: 'Expiry in days', hint: 'Older subscriptions are not told. Empty: never.' },
    summary: { text: 'expires after {}', unit: 'day' },
  },
} as const satisfies Record<string, TopicRule>;

type Table = typeof TOPIC_RULES;

export type RuleName = keyof Table;

export type TriggerRuleName = {
  [Name in RuleName]: Table[Name] extends { ofTrigger: true } ? Name : never;
}[RuleName];

export const topicRules = Object.entries(TOPIC_RULES).map(([name, rule]: [string, TopicRule]) => ({
  ...rule,
  name: name as RuleName,
}));
