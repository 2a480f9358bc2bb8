import { clockIn } from '../../platform/time-zone.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts';
import type { SendingSchedule } from '../../stores/store.rules.ts';

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
