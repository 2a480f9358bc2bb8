import { topicRules } from '../../alerts/topics/topic.columns.ts';
import type { RuleName, SummaryName } from '../../alerts/topics/topic.columns.ts';
import type * as gql from '../../generated/dashboard.ts';
import type { Answered } from './api.ts';
import { formatSeconds } from './format.ts';
import { draftOfRows, inputOfRows } from './parts/fields.tsx';
import { find, t } from './text.ts';

/** The rules with their texts, as rows of a form. */
export const ruleRows = topicRules.map((rule) => ({
  ...rule,
  label: t(`rule.${rule.name}.label`),
  hint: find(`rule.${rule.name}.hint`),
}));

export type Triggers = Answered<gql.TopicsQuery>['triggers'];

export type Recipients = 'all' | 'batches' | 'stock';

export type TopicDraft = {
  name: string;
  trigger: gql.TopicTrigger;
  recipients: Recipients;
  texts: Texts;
} & Record<RuleName, string | boolean>;

export function draftOf(topic: gql.TopicFieldsFragment): TopicDraft {
  const { name, trigger, batchSize, shoppersPerUnit } = topic;
  return {
    ...(draftOfRows(ruleRows, topic) as Record<RuleName, string | boolean>),
    name,
    trigger,
    recipients: batchSize !== null ? 'batches' : shoppersPerUnit !== null ? 'stock' : 'all',
    texts: textsOf(topic.texts),
  };
}

export function isRuleShown(
  { name, ofTrigger, form }: (typeof topicRules)[number],
  draft: Pick<TopicDraft, 'trigger' | 'recipients'>,
  triggers: Triggers,
): boolean {
  const trigger = triggers.find((one) => one.name === draft.trigger);
  if (ofTrigger) return trigger?.settings.some((setting) => setting === name) ?? false;
  return form.with === undefined || form.with === draft.recipients;
}

export type Texts = Record<string, string>;

/** About how many characters of these parts an inbox shows. */
export const INBOX_LENGTHS: Partial<Record<string, number>> = { subject: 60, preheader: 90 };

/** The shown and the cut part of a line in an inbox; counted in characters as people see them. */
export function cutLine(part: string, line: string): { length: number; head: string; tail: string } {
  const letters = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment);
  const limit = INBOX_LENGTHS[part] ?? letters.length;
  return {
    length: letters.length,
    head: letters.slice(0, limit).join(''),
    tail: letters.slice(limit).join(''),
  };
}

export function textsOf(list: readonly { part: string; text: string }[]): Texts {
  return Object.fromEntries(list.map(({ part, text }) => [part, text]));
}

export function listOf(texts: Partial<Texts>): { part: string; text: string }[] {
  return Object.entries(texts).map(([part, text]) => ({ part, text: text ?? '' }));
}

/** Clears hidden rules, if they can be cleared. */
export function inputOf(draft: TopicDraft, triggers: Triggers): gql.SaveTopicInput {
  const { name, trigger, texts, recipients: _recipients, ...rules } = draft;
  const cleared = topicRules.filter((rule) => rule.initial === null && !isRuleShown(rule, draft, triggers));
  return {
    ...inputOfRows<Omit<gql.SaveTopicInput, 'name'>>(ruleRows, rules),
    ...Object.fromEntries(cleared.map((rule) => [rule.name, null])),
    name,
    trigger,
    texts: listOf(texts),
  };
}

export function rulesText(topic: gql.TopicFieldsFragment, triggers: Triggers): string {
  const { batchSize, batchIntervalSeconds } = topic;
  const draft = draftOf(topic);
  const words = topicRules
    .filter((rule) => isRuleShown(rule, draft, triggers))
    .flatMap(({ name, summary }) => {
      const value = topic[name];
      if (name === 'batchSize' && batchSize && batchIntervalSeconds)
        return t('rule.batches', { shoppers: batchSize, interval: formatSeconds(batchIntervalSeconds) });
      if (!summary || !value) return [];
      const shown = summary === 'duration' ? formatSeconds(Number(value)) : value;
      return t(`rule.${name as SummaryName}.summary`, { value: shown });
    });
  return words.join(' · ');
}
