import { LRUCache } from 'lru-cache';
import type { Pacing } from '../../stores/store.rules.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts';

const DAY_MINUTES = 1_440;
/** How long an alert waits that finds as many messages under way as may be sent: nobody knows yet how they end. */
export const LOOK_AGAIN_MS = 10 * MINUTE_MS;

/** What a contact got, and is about to get. */
export type Sends = {
  /** When messages with alerts were sent to it. */
  sentAt: readonly Date[];
  /** Messages whose sending has begun and not ended. */
  underWay: number;
};

/** When an alert leaves, and what it waits for; null where nothing keeps it. */
export type Departure = { at: Date; waitsFor: 'digest' | 'quiet' | 'cap' | null };

const clocks = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

function openClock(timeZone: string): Intl.DateTimeFormat {
  const shows = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  try {
    return new Intl.DateTimeFormat('en', { ...shows, timeZone });
  } catch {
    // Another version of Node had the zone when it was set. One store's setting must not keep the alerts of all others.
    return new Intl.DateTimeFormat('en', { ...shows, timeZone: 'UTC' });
  }
}

/** Minutes since midnight on the clocks of a zone. */
function wallMinutes(timeZone: string, at: number): number {
  const clock = clocks.get(timeZone) ?? openClock(timeZone);
  clocks.set(timeZone, clock);
  return minutesOf(clock.format(at));
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Whether a wall clock's time lies from one time up to another, over midnight where the second comes first. */
function isBetween(minutes: number, from: number, to: number): boolean {
  return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
}

/**
 * The first moment from `at` on at which the store's clocks show no quiet time. Where they are changed on the way, minute by minute: an hour is skipped or
 * comes twice then.
 */
export function afterQuiet({ quietFrom, quietTo, timeZone = 'UTC' }: Pacing, at: Date): Date {
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

/** The first moment from `at` on at which the contact may get one more message. */
function afterCap({ dailyCap }: Pacing, { sentAt, underWay }: Sends, at: Date): Date {
  if (dailyCap === undefined) return at;
  const recent = sentAt.map((time) => time.getTime() + DAY_MS).filter((end) => end > at.getTime());
  const surplus = recent.length + underWay - dailyCap;
  if (surplus < 0) return at;
  if (underWay >= dailyCap) return new Date(at.getTime() + LOOK_AGAIN_MS);
  return new Date(recent.sort((left, right) => left - right)[surplus]!);
}

/** When an alert that is ready at `readyAt` may leave; `at` is now or before where it may at once. */
export function departureOf(pacing: Pacing, readyAt: Date, sends: Sends, now: Date): Departure {
  const ready = readyAt > now ? readyAt : now;
  const awake = afterQuiet(pacing, ready);
  const allowed = afterCap(pacing, sends, awake);
  const at = afterQuiet(pacing, allowed);
  if (allowed > awake) return { at, waitsFor: 'cap' };
  if (at > ready) return { at, waitsFor: 'quiet' };
  return { at, waitsFor: ready > now ? 'digest' : null };
}
