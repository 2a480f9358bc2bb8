import type { Context } from '../../context.ts';
import { topicRulesOf } from '../topics/topic.repo.ts';
import { listTopics } from '../topics/topic.service.ts';
import type { TopicRow, TopicRules } from '../topics/topic.types.ts';

/** The topics of a store, loaded on first use and then shared by all subscriptions of a page. */
export type StoreTopics = {
  rules: () => Promise<readonly TopicRules[]>;
  /** With their texts; requires a store key. */
  whole: () => Promise<readonly TopicRow[]>;
};

export type TopicInfoRow = Pick<TopicRules, 'name' | 'trigger'> & { topics: StoreTopics };

export function storeTopics(ctx: Context, pid: string): StoreTopics {
  let rules: Promise<TopicRules[]> | undefined;
  let whole: Promise<TopicRow[]> | undefined;
  return { rules: () => (rules ??= topicRulesOf(ctx.db, pid)), whole: () => (whole ??= listTopics(ctx)) };
}

const named = <Topic extends TopicRules>(topics: readonly Topic[], wanted: string): Topic | null =>
  topics.find(({ name }) => name === wanted) ?? null;

type Described = { topic: string; topics: StoreTopics };

/** The public fields of the topic; null if the store has no topic of this name, because sign-ups do not check it. */
export async function topicInfo({ topic, topics }: Described): Promise<TopicInfoRow | null> {
  const rules = named(await topics.rules(), topic);
  return rules && { name: rules.name, trigger: rules.trigger, topics };
}

export async function topicSettings({ name, topics }: TopicInfoRow): Promise<TopicRow | null> {
  return named(await topics.whole(), name);
}
