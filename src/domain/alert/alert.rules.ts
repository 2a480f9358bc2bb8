import { expiresBefore } from '../topic/topic.rules.ts';
import type { TopicRules } from '../topic/topic.types.ts';
import { isTriggerName, triggerOf } from '../topic/triggers.ts';

/** What is known of an alert when it is about to be sent. */
export type AlertSituation = {
  restockState: string | null;
  restockCause: string | null;
  subscription: { confirmedAt: Date | null; wishedAt: Date } | null;
  seenAt: Date | null;
};

/** Whether to send an alert now, later or never. */
export type Verdict =
  { kind: 'send' } | { kind: 'withheld'; reason: string } | { kind: 'deferred'; until: Date };

function endedReason(cause: string | null): string {
  return triggerOf(cause !== null && isTriggerName(cause) ? cause : 'automatic').endedReason;
}

/** Looks again right before sending: between queueing and sending stock may have gone and shoppers may have left. */
export function judgeAlert(
  topic: TopicRules,
  { restockState, restockCause, subscription, seenAt }: AlertSituation,
  now: Date,
): Verdict {
  if (subscription === null) return { kind: 'withheld', reason: 'the subscription is gone' };
  if (restockState === null || restockState === 'stopped')
    return { kind: 'withheld', reason: endedReason(restockCause) };
  if (subscription.confirmedAt === null)
    return { kind: 'withheld', reason: 'the subscription is not confirmed' };
  const oldest = expiresBefore(topic, now);
  if (oldest !== null && subscription.wishedAt <= oldest)
    return { kind: 'withheld', reason: 'the subscription has expired' };
  const coolUntil = seenAt === null ? 0 : seenAt.getTime() + topic.coolDownSeconds * 1_000;
  return coolUntil > now.getTime() ? { kind: 'deferred', until: new Date(coolUntil) } : { kind: 'send' };
}
