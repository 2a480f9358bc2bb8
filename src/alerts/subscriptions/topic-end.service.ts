import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { isStorable } from '../../platform/text.ts';
import { stopTopic } from '../events/event.repo.ts';
import { isBuiltIn } from '../send/channels.ts';
import * as topics from '../topics/topic.repo.ts';
import { failNoTopic } from '../topics/topic.service.ts';
import { endTopic } from './subscription.repo.ts';

/** Deletes the subscriptions too, because a later topic of that name would inherit them. Queued alerts are suppressed when due. */
export async function deleteTopic(ctx: Context, name: string) {
  const { pid } = requireStore(ctx);
  if (isBuiltIn(name)) fail('forbidden', `The topic ${name} is built in: it can be changed, but not deleted`);
  if (!isStorable(name) || (await topics.findTopicRules(ctx.db, pid, name)) === null) failNoTopic();
  let subscriptions = 0;
  // The topic is deleted last, so that an interrupted call can be repeated.
  for (let isDone = false; !isDone;) {
    const portion = await ctx.db.transaction((tx) => endTopic(tx, pid, name));
    subscriptions += portion.ended;
    isDone = portion.isDone;
  }
  const late = await ctx.db.transaction(async (tx) => {
    await topics.lockTopics(tx, pid);
    if (!(await topics.deleteTopic(tx, pid, name))) failNoTopic();
    await stopTopic(tx, pid, name);
    return endTopic(tx, pid, name);
  });
  return { name, subscriptions: subscriptions + late.ended };
}
