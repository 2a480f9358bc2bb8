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

function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | null = null;
  return () => (value ??= read());
}

export function storeTopics(ctx: Context, pid: string): StoreTopics {
  return { rules: once(() => topicRulesOf(ctx.db, pid)), whole: once(() => listTopics(ctx)) };
}

const named = <Topic extends TopicRules>(topics: readonly Topic[], wanted: string): Topic | null =>
  topics.find(({ name }) => name === wanted) ?? null;

/** The public fields of the topic; null if the store has no topic of this name, because sign-ups do not check it. */
export async function topicInfo(subscription: {
  topic: string;
  topics: StoreTopics;
}): Promise<TopicInfoRow | null> {
  const { topic, topics } = subscription;
  const rules = named(await topics.rules(), topic);
  return rules && { name: rules.name, trigger: rules.trigger, topics };
}

export async function topicSettings({ name, topics }: TopicInfoRow): Promise<TopicRow | null> {
  return named(await topics.whole(), name);
}
