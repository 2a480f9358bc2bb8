import { fc } from '../chance.ts';
import {
  LOOK_AGAIN_MS,
  afterQuiet,
  departureOf,
  planContact,
} from '../../src/alerts/events/frequency.rules.ts';
import type { SendingSchedule } from '../../src/stores/store.rules.ts';
import { times } from '../tier.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

const clocks = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  ]),
);

/** What a person reads off a clock on the wall. */
function isQuiet({ quietFrom, quietTo, timeZone = 'UTC' }: SendingSchedule, at: number): boolean {
  if (quietFrom === undefined || quietTo === undefined) return false;
  const time = clocks.get(timeZone)!.format(at);
  return quietFrom < quietTo ? time >= quietFrom && time < quietTo : time >= quietFrom || time < quietTo;
}

/** The first of some moments, and of all full minutes after the first, at which something holds. */
function firstOf(from: number, moments: readonly number[], isFine: (at: number) => boolean): number {
  const rest = moments.filter((at) => at > from).sort((left, right) => left - right);
  for (let at = from; ;) {
    if (isFine(at)) return at;
    const minute = (Math.floor(at / MINUTE) + 1) * MINUTE;
    at = Math.min(minute, ...rest.filter((one) => one > at));
  }
}

const timeOfDay = fc
  .integer({ min: 0, max: 1_439 })
  .map(
    (minutes) =>
      `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`,
  );
const quiet = fc
  .record({ quietFrom: timeOfDay, quietTo: timeOfDay, timeZone: fc.constantFrom(...ZONES) })
  .filter(({ quietFrom, quietTo }) => quietFrom !== quietTo);
// Days on which clocks are changed somewhere, and others.
const moment = fc.oneof(
  ...['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01', '2026-07-14'].map(
    (day) => fc.integer({ min: -DAY, max: DAY }).map((offset) => Date.parse(`${day}T00:00:00Z`) + offset),
  ),
);
const pacing: fc.Arbitrary<SendingSchedule> = fc
  .record({
    quiet: fc.option(quiet),
    dailyCap: fc.option(fc.integer({ min: 1, max: 3 })),
    digestSeconds: fc.option(fc.constantFrom(1, 60, 3_600)),
  })
  .map(({ quiet: hours, dailyCap, digestSeconds }) => ({
    ...hours,
    ...(dailyCap !== null && { dailyCap }),
    ...(digestSeconds !== null && { digestSeconds }),
  }));

test('an alert leaves at the first moment that is neither quiet nor above the cap, whatever the clocks do', () => {
  fc.assert(
    fc.property(
      pacing,
      moment,
      fc.integer({ min: -MINUTE, max: 2 * 60 * MINUTE }),
      fc.array(fc.integer({ min: 0, max: DAY + MINUTE }), { maxLength: 5 }),
      fc.integer({ min: 0, max: 3 }),
      (settings, now, wait, ago, underWay) => {
        const sends = ago.map((ms) => now - ms);
        const ready = Math.max(now, now + wait);
        const { dailyCap = Infinity } = settings;
        const awake = firstOf(ready, [], (at) => !isQuiet(settings, at));
        const isFine = (at: number): boolean => {
          if (isQuiet(settings, at)) return false;
          // Nobody knows how those under way end, so that it is looked at again a little later.
          if (underWay >= dailyCap) return at >= awake + LOOK_AGAIN_MS;
          return sends.filter((sent) => sent + DAY > at).length + underWay < dailyCap;
        };
        const expected = firstOf(ready, [...sends.map((sent) => sent + DAY), awake + LOOK_AGAIN_MS], isFine);
        const dates = sends.map((sent) => new Date(sent));
        const departure = departureOf(
          settings,
          new Date(now + wait),
          { sentAt: dates, underWay },
          new Date(now),
        );
        expect(departure.at).toEqual(new Date(expected));
        expect(departure.waitsFor === null).toBe(expected === now);
      },
    ),
    { numRuns: times(300) },
  );
});

test.each([
  ['clocks that go forward over the end', '02:30', '2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z'],
  [
    'clocks that go back: the end comes at the first time',
    '02:30',
    '2026-10-24T22:00:00Z',
    '2026-10-25T00:30:00Z',
  ],
  ['the same hour when it comes again', '02:30', '2026-10-25T01:15:00Z', '2026-10-25T01:30:00Z'],
  ['a night with 23 hours', '07:00', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
  ['a night with 25 hours', '07:00', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00Z'],
])('quiet hours in Berlin end right with %s', (_what, quietTo, at, end) => {
  const hours = { quietFrom: '22:00', quietTo, timeZone: 'Europe/Berlin' };
  expect(afterQuiet(hours, new Date(at))).toEqual(new Date(end));
});

type Row = {
  id: string;
  cts: Date;
  dueAt: number;
  state: 'queued' | 'sent';
  messageId: string | null;
  scheduledAt: Date | null;
  finishedAt: Date | null;
};

test('over any history every alert of a contact leaves once, none in quiet hours, none above the cap, none later than its reasons say', () => {
  fc.assert(
    fc.property(
      pacing,
      moment,
      fc.array(fc.record({ after: fc.integer({ min: 0, max: 5 * 60 * MINUTE }), fails: fc.boolean() }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.integer({ min: 2, max: 4 }),
      (settings, start, arrivals, most) => {
        const rows: Row[] = [];
        const sent: { at: number; ids: string[] }[] = [];
        const failing = new Set<string>();
        let now = start;
        const look = (): void => {
          const due = rows.filter(({ state, dueAt }) => state === 'queued' && dueAt <= now);
          // A dispatcher may have some of them only.
          const own = due.slice(0, 1 + (due.length >> 1));
          const plan = planContact(
            settings,
            own,
            rows.filter(({ scheduledAt }) => scheduledAt),
            most,
            new Date(now),
          );
          for (const { message, until } of plan.waits) {
            expect(until.getTime()).toBeGreaterThan(now);
            Object.assign(message, { scheduledAt: until, dueAt: until.getTime() });
          }
          for (const { id, own: mine, others } of plan.groups) {
            const members = [...mine, ...others];
            expect(isQuiet(settings, now)).toBe(false);
            expect(members.length).toBeLessThanOrEqual(most);
            for (const row of members)
              Object.assign(row, {
                messageId: id,
                scheduledAt: row.scheduledAt ?? new Date(now),
                dueAt: now + MINUTE,
              });
            // The first try fails for some, once however many of its alerts are to fail: the message goes on later, and counts meanwhile.
            if (members.filter((row) => failing.delete(row.id)).length > 0) continue;
            for (const row of members) Object.assign(row, { state: 'sent', finishedAt: new Date(now) });
            sent.push({ at: now, ids: members.map((row) => row.id) });
          }
          if (own.length > 0) look();
        };
        const goTo = (time: number): void => {
          for (;;) {
            const next = Math.min(...rows.flatMap(({ state, dueAt }) => (state === 'queued' ? [dueAt] : [])));
            if (next > time) break;
            now = Math.max(now, next);
            look();
          }
          now = Math.max(now, time);
        };
        let at = start;
        for (const [index, { after, fails }] of arrivals.entries()) {
          at += after;
          goTo(at);
          const id = String(index);
          if (fails) failing.add(id);
          rows.push({
            id,
            cts: new Date(at),
            dueAt: at,
            state: 'queued',
            messageId: null,
            scheduledAt: null,
            finishedAt: null,
          });
          look();
        }
        goTo(at + 20 * DAY);

        expect(sent.flatMap(({ ids }) => ids).sort()).toEqual(rows.map(({ id }) => id).sort());
        const { dailyCap = Infinity, digestSeconds, quietFrom } = settings;
        for (const { at: last } of sent)
          expect(sent.filter((one) => one.at <= last && one.at > last - DAY).length).toBeLessThanOrEqual(
            dailyCap,
          );
        if (digestSeconds === undefined) expect(sent.every(({ ids }) => ids.length === 1)).toBe(true);
        if (dailyCap !== Infinity || quietFrom !== undefined) return;
        for (const { at: left, ids } of sent)
          for (const id of ids)
            expect(left - rows[Number(id)]!.cts.getTime()).toBeLessThanOrEqual(
              (digestSeconds ?? 0) * 1_000 + MINUTE,
            );
      },
    ),
    { numRuns: times(300) },
  );
});
