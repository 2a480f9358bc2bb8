import type {
  SaveTopicInput,
  TopicFieldsFragment,
  TopicTrigger,
  TopicsQuery,
  TriggerSetting,
} from '../../generated/dashboard.ts';
import type { Answered } from './api.ts';

/** What can start a topic, as the service has it. */
export type Triggers = Answered<TopicsQuery>['triggers'];

/** The settings that count with a topic's trigger. */
export function settingsOf(
  triggers: Triggers,
  { trigger }: { trigger: TopicTrigger },
): readonly TriggerSetting[] {
  return triggers.find(({ name }) => name === trigger)?.settings ?? [];
}

/** A topic while it is edited: numbers are text until they are saved. */
export type TopicDraft = {
  name: string;
  trigger: TopicTrigger;
  tag: string;
  minStock: string;
  coolDownHours: string;
  expiryDays: string;
  dropPercent: string;
  lowStock: string;
  delayMinutes: string;
  listHolders: boolean;
  pace: 'all' | 'batches' | 'stock';
  batchSize: string;
  batchMinutes: string;
  shoppersPerUnit: string;
  texts: Texts;
};

const textOf = (value: number | null): string => (value === null ? '' : String(value));
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** What the form starts with. */
export function draftOf(topic: TopicFieldsFragment): TopicDraft {
  return {
    name: topic.name,
    trigger: topic.trigger,
    tag: topic.tag ?? '',
    minStock: String(topic.minStock),
    coolDownHours: String(topic.coolDownSeconds / 3_600),
    expiryDays: textOf(topic.expiryDays),
    dropPercent: String(topic.dropPercent),
    lowStock: String(topic.lowStock),
    delayMinutes: String(topic.delaySeconds / 60),
    listHolders: topic.listHolders,
    pace: topic.batchSize !== null ? 'batches' : topic.shoppersPerUnit !== null ? 'stock' : 'all',
    batchSize: textOf(topic.batchSize),
    batchMinutes: textOf(topic.batchIntervalSeconds === null ? null : topic.batchIntervalSeconds / 60),
    shoppersPerUnit: textOf(topic.shoppersPerUnit),
    texts: textsOf(topic.texts),
  };
}

/** Templates by part. */
export type Texts = Record<string, string>;

/** The templates that a form starts with. */
export function textsOf(list: readonly { part: string; text: string }[]): Texts {
  return Object.fromEntries(list.map(({ part, text }) => [part, text]));
}

/** Templates as they are sent in. */
export function listOf(texts: Partial<Texts>): { part: string; text: string }[] {
  return Object.entries(texts).map(([part, text]) => ({ part, text: text ?? '' }));
}

/** What is sent in; a pace that is not chosen is emptied, and so is a tag that the trigger does not read. */
export function inputOf(draft: TopicDraft, triggers: Triggers): SaveTopicInput {
  const minutes = numberOf(draft.batchMinutes);
  return {
    name: draft.name,
    trigger: draft.trigger,
    tag: settingsOf(triggers, draft).includes('tag') ? draft.tag : null,
    minStock: numberOf(draft.minStock) ?? 1,
    coolDownSeconds: Math.round((numberOf(draft.coolDownHours) ?? 0) * 3_600),
    expiryDays: numberOf(draft.expiryDays),
    dropPercent: numberOf(draft.dropPercent) ?? 5,
    lowStock: numberOf(draft.lowStock) ?? 3,
    delaySeconds: Math.round((numberOf(draft.delayMinutes) ?? 0) * 60),
    listHolders: draft.listHolders,
    batchSize: draft.pace === 'batches' ? numberOf(draft.batchSize) : null,
    batchIntervalSeconds: draft.pace === 'batches' && minutes !== null ? Math.round(minutes * 60) : null,
    shoppersPerUnit: draft.pace === 'stock' ? numberOf(draft.shoppersPerUnit) : null,
    texts: listOf(draft.texts),
  };
}
