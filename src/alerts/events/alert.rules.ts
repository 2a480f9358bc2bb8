import { expiresBefore } from '../topics/topic.rules.ts';
import type { TopicRules } from '../topics/topic.types.ts';
import { isTriggerName, triggerOf } from '../topics/triggers.ts';

/** The facts that decide at send time whether an alert is still valid. */
export type AlertSituation = {
  /** Null if the event was deleted. */
  eventState: string | null;
  eventCause: string | null;
  /** Whether the alert is for a list owner, who has consented, has unsubscribed, and still has the product in a list. */
  isListOwner: boolean;
  accepts: boolean;
  hasLeft: boolean;
  holds: boolean;
  /** Null if the shopper has unsubscribed or was already notified. Expiry counts from `wishedAt`. */
  subscriptionId: string | null;
  confirmedAt: Date | null;
  wishedAt: Date;
  /** When the contact was last notified about this variant on this topic. */
  seenAt: Date | null;
};

export type Verdict =
  | { kind: 'send' }
  | { kind: 'withheld'; reason: string }
  | { kind: 'deferred'; until: Date };

function endedReason(cause: string | null): string {
  return triggerOf(cause !== null && isTriggerName(cause) ? cause : 'automatic').endedReason;
}

function objectionTo(topic: TopicRules, { confirmedAt, wishedAt }: AlertSituation, now: Date): string | null {
  if (confirmedAt === null) return 'the subscription is not confirmed';
  const oldest = expiresBefore(topic, now);
  return oldest !== null && wishedAt <= oldest ? 'the subscription has expired' : null;
}

function objectionToOwner(topic: TopicRules, { accepts, hasLeft, holds }: AlertSituation): string | null {
  if (!topic.listHolders) return 'the topic no longer alerts shoppers who have the product in a list';
  if (hasLeft) return 'the contact has unsubscribed';
  if (!accepts) return 'the contact no longer accepts marketing';
  return holds ? null : 'the product is no longer in a list of the contact';
}

/** Checked again right before sending, because the stock or the subscription may have gone since the alert was queued. */
export function evaluateAlert(topic: TopicRules, situation: AlertSituation, now: Date): Verdict {
  const { eventState, eventCause, isListOwner, subscriptionId, seenAt } = situation;
  const isOver = eventState === null || eventState === 'stopped';
  const reason =
    (!isListOwner && subscriptionId === null ? 'the subscription has ended' : null) ??
    (isOver ? endedReason(eventCause) : null) ??
    (isListOwner ? objectionToOwner(topic, situation) : objectionTo(topic, situation, now));
  if (reason !== null) return { kind: 'withheld', reason };
  const coolUntil = seenAt === null ? 0 : seenAt.getTime() + topic.coolDownSeconds * 1_000;
  return coolUntil > now.getTime() ? { kind: 'deferred', until: new Date(coolUntil) } : { kind: 'send' };
}
