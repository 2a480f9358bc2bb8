import type { Context } from '../../context.ts';
import { topicRulesOf } from '../topics/topic.repo.ts';
import { listTopics } from '../topics/topic.service.ts';
import type { TopicRow, TopicRules } from '../topics/topic.types.ts';

/** The topics of a store, each kind read when it is first asked for and then once for all subscriptions of a page. */
export type StoreTopics = {
  rules: () => Promise<readonly TopicRules[]>;
  /** With their texts, for a store key only. */
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

/** What a subscriber may know of the topic; null where the store has none of this name: nobody checks that. */
export async function topicInfo(subscription: {
  topic: string;
  topics: StoreTopics;
}): Promise<TopicInfoRow | null> {
  const { topic, topics } = subscription;
  const rules = named(await topics.rules(), topic);
  return rules && { name: rules.name, trigger: rules.trigger, topics };
}

/** The topic as its store has it, or 401. */
export async function topicSettings({ name, topics }: TopicInfoRow): Promise<TopicRow | null> {
  return named(await topics.whole(), name);
}
