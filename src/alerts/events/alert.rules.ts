import { expiresBefore } from '../topics/topic.rules.ts';
import type { TopicRules } from '../topics/topic.types.ts';
import { isTriggerName, triggerOf } from '../topics/triggers.ts';

/** Whether a list owner has consented, has unsubscribed, and still has the product in a list. */
export type ListOwnership = { accepts: boolean; hasLeft: boolean; holds: boolean };

export type AlertSituation = {
  restockState: string | null;
  restockCause: string | null;
  listOwner: ListOwnership | null;
  subscription: { confirmedAt: Date | null; wishedAt: Date } | null;
  seenAt: Date | null;
};

export type Verdict =
  | { kind: 'send' }
  | { kind: 'withheld'; reason: string }
  | { kind: 'deferred'; until: Date };

function endedReason(cause: string | null): string {
  return triggerOf(cause !== null && isTriggerName(cause) ? cause : 'automatic').endedReason;
}

function objectionTo(
  topic: TopicRules,
  { confirmedAt, wishedAt }: NonNullable<AlertSituation['subscription']>,
  now: Date,
): string | null {
  if (confirmedAt === null) return 'the subscription is not confirmed';
  const oldest = expiresBefore(topic, now);
  return oldest !== null && wishedAt <= oldest ? 'the subscription has expired' : null;
}

function objectionToOwner(topic: TopicRules, { accepts, hasLeft, holds }: ListOwnership): string | null {
  if (!topic.listHolders) return 'the topic does not tell list holders any more';
  if (hasLeft) return 'the contact has unsubscribed';
  if (!accepts) return 'the contact does not accept marketing any more';
  return holds ? null : 'the product is in none of their lists any more';
}

/** Checked again right before sending, because the stock or the subscription may have gone since the alert was queued. */
export function evaluateAlert(
  topic: TopicRules,
  { restockState, restockCause, listOwner, subscription, seenAt }: AlertSituation,
  now: Date,
): Verdict {
  const isOver = restockState === null || restockState === 'stopped';
  const reason =
    (listOwner === null && subscription === null ? 'the subscription is gone' : null) ??
    (isOver ? endedReason(restockCause) : null) ??
    (listOwner ? objectionToOwner(topic, listOwner) : objectionTo(topic, subscription!, now));
  if (reason !== null) return { kind: 'withheld', reason };
  const coolUntil = seenAt === null ? 0 : seenAt.getTime() + topic.coolDownSeconds * 1_000;
  return coolUntil > now.getTime() ? { kind: 'deferred', until: new Date(coolUntil) } : { kind: 'send' };
}
