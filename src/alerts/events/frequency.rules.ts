import { clockIn } from '../../platform/time-zone.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts';
import type { SendingSchedule } from '../../stores/store.rules.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import type { RecentAlert } from './frequency.repo.ts';

const DAY_MINUTES = 1_440;
/** The wait of an alert if the messages in flight already reach the cap: their outcome is still unknown. */
export const LOOK_AGAIN_MS = 10 * MINUTE_MS;

/** The messages of the last day, and those in flight. */
export type Sends = { sentAt: readonly Date[]; underWay: number };

/** The send time of an alert, and the rule that delays it, if any. */
export type Departure = { at: Date; waitsFor: 'digest' | 'quiet' | 'cap' | null };

const clock = clockIn('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

const wallMinutes = (timeZone: string, at: number): number => minutesOf(clock(timeZone, at));

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Whether a time of day is in a range, which spans midnight if `to` is before `from`. */
function isBetween(minutes: number, from: number, to: number): boolean {
  return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
}

/** Around a daylight saving change it searches by minute, because an hour is skipped or repeated. */
export function afterQuiet({ quietFrom, quietTo, timeZone = 'UTC' }: SendingSchedule, at: Date): Date {
  if (quietFrom === undefined || quietTo === undefined) return at;
  const [from, to] = [minutesOf(quietFrom), minutesOf(quietTo)];
  const isQuiet = (time: number): boolean => isBetween(wallMinutes(timeZone, time), from, to);
  let time = at.getTime();
  if (!isQuiet(time)) return at;
  time = Math.floor(time / MINUTE_MS) * MINUTE_MS;
  const left = (to - wallMinutes(timeZone, time) + DAY_MINUTES) % DAY_MINUTES;
  const end = time + left * MINUTE_MS;
  if (wallMinutes(timeZone, end) === to) return new Date(end);
  do time += MINUTE_MS;
  while (isQuiet(time));
  return new Date(time);
}

function afterCap({ dailyCap }: SendingSchedule, { sentAt, underWay }: Sends, at: Date): Date {
  if (dailyCap === undefined) return at;
  const recent = sentAt.map((time) => time.getTime() + DAY_MS).filter((end) => end > at.getTime());
  const surplus = recent.length + underWay - dailyCap;
  if (surplus < 0) return at;
  if (underWay >= dailyCap) return new Date(at.getTime() + LOOK_AGAIN_MS);
  return new Date(recent.sort((left, right) => left - right)[surplus]!);
}

/** Returns when an alert that is ready at `readyAt` may be sent; `at` is not after now if it may be sent at once. */
export function departureOf(schedule: SendingSchedule, readyAt: Date, sends: Sends, now: Date): Departure {
  const ready = readyAt > now ? readyAt : now;
  const awake = afterQuiet(schedule, ready);
  const allowed = afterCap(schedule, sends, awake);
  const at = afterQuiet(schedule, allowed);
  if (allowed > awake) return { at, waitsFor: 'cap' };
  if (at > ready) return { at, waitsFor: 'quiet' };
  return { at, waitsFor: ready > now ? 'digest' : null };
}

/** A claimed alert that passed its own checks. */
type Own = Pick<ClaimedMessage, 'id' | 'cts' | 'messageId' | 'scheduledAt'>;

/** An alert of the same contact in the database: claimed, queued or recently sent. */
type Known = Pick<RecentAlert, 'id' | 'state' | 'messageId' | 'scheduledAt' | 'finishedAt'>;

type ContactPlan<Message, Row> = {
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
