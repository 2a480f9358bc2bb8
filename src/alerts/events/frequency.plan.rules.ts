import type { SendingSchedule } from '../../stores/store.rules.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import type { RecentAlert } from './frequency.repo.ts';
import { afterQuiet, departureOf } from './frequency.rules.ts';
import type { Departure, Sends } from './frequency.rules.ts';

/** A claimed alert that passed its own checks. */
type Own = Pick<ClaimedMessage, 'id' | 'cts' | 'messageId' | 'scheduledAt'>;

/** An alert of the same contact in the database: claimed, queued or recently sent. */
type Known = Pick<RecentAlert, 'id' | 'state' | 'messageId' | 'scheduledAt' | 'finishedAt'>;

export type ContactPlan<Message, Row> = {
  waits: { message: Message; until: Date; waitsFor: NonNullable<Departure['waitsFor']> }[];
  /** The messages to send, by id; `others` are alerts claimed in addition. */
  groups: { id: string; own: Message[]; others: Row[] }[];
};

function sendsOf(known: readonly Known[]): Sends {
  const sentAt = new Map<string, Date>();
  const underWay = new Set<string>();
  for (const { state, messageId, finishedAt } of known) {
    if (messageId === null) continue;
    if (state === 'sent') sentAt.set(messageId, finishedAt!);
    else underWay.add(messageId);
  }
  const unsent = [...underWay].filter((id) => !sentAt.has(id));
  return { sentAt: [...sentAt.values()], underWay: unsent.length };
}

const oldestFirst = (left: Own, right: Own): number =>
  left.cts.getTime() - right.cts.getTime() || (left.id < right.id ? -1 : 1);

/** The digest window ends with that of the first waiting alert, and at the latest after the store's digest period. */
function readyAt({ digestSeconds = 0 }: SendingSchedule, alerts: readonly (Own | Known)[], now: Date): Date {
  const ends = alerts.flatMap(({ scheduledAt }) => scheduledAt?.getTime() ?? []);
  return new Date(Math.min(now.getTime() + digestSeconds * 1_000, ...ends));
}

/** Plans the alerts of one contact. A message once started resumes with the same alerts outside quiet hours. */
export function planContact<Message extends Own, Row extends Known>(
  schedule: SendingSchedule,
  own: readonly Message[],
  known: readonly Row[],
  most: number,
  now: Date,
): ContactPlan<Message, Row> {
  const plan: ContactPlan<Message, Row> = { waits: [], groups: [] };
  const mine = new Set(own.map(({ id }) => id));
  const others = known.filter(({ id, state }) => state === 'queued' && !mine.has(id));
  const awake = afterQuiet(schedule, now);

  const begun = new Set(own.flatMap(({ messageId }) => messageId ?? []));
  for (const id of begun) {
    const members = own.filter(({ messageId }) => messageId === id);
    if (awake > now)
      plan.waits.push(...members.map((message) => ({ message, until: awake, waitsFor: 'quiet' as const })));
    else plan.groups.push({ id, own: members, others: others.filter(({ messageId }) => messageId === id) });
  }

  const fresh = own.filter(({ messageId }) => messageId === null).sort(oldestFirst);
  if (fresh.length === 0) return plan;
  const sends = sendsOf(known);
  const isDigest = schedule.digestSeconds !== undefined;
  const waiting = isDigest ? others.filter(({ messageId }) => messageId === null) : [];
  const size = isDigest ? most : 1;
  const ready = readyAt(schedule, [...fresh, ...waiting], now);
  for (let start = 0; start < fresh.length; start += size) {
    const some = fresh.slice(start, start + size);
    const { at, waitsFor } = departureOf(schedule, isDigest ? ready : now, sends, now);
    if (waitsFor !== null) {
      plan.waits.push(...some.map((message) => ({ message, until: at, waitsFor })));
      continue;
    }
    const more = waiting.splice(0, size - some.length);
    plan.groups.push({ id: some[0]!.id, own: some, others: more });
    sends.underWay += 1;
  }
  return plan;
}
