import { setTimeout as delay } from 'node:timers/promises';
import type { Gauge } from 'prom-client';
import type { Services } from '../../context.ts';
import { METRICS, measure } from '../../platform/metrics.ts';
import { MEDIA } from '../send/channels.ts';
import { countWaiting } from './outbox.repo.ts';
import type { QueueDepth } from './outbox.repo.ts';

/** Scrapes within this time share one query. */
const LOOK_MS = 10_000;
/** A scrape waits no longer than this for the database; its other metrics show the outage. */
const LOOK_LIMIT_MS = 2_000;

/** Exports the queue depth, which is the same for all processes of a database. */
export function watchOutbox({ db, log }: Pick<Services, 'db' | 'log'>): void {
  let looked = { at: -Infinity, waiting: Promise.resolve<QueueDepth[]>([]) };
  const look = async (): Promise<QueueDepth[]> => {
    if (performance.now() - looked.at > LOOK_MS) {
      const waiting = Promise.race([
        countWaiting(db, MEDIA, new Date()),
        delay(LOOK_LIMIT_MS, undefined, { ref: false }).then(() => {
          throw new Error('the database did not respond in time');
        }),
      ]);
      looked = { at: performance.now(), waiting };
    }
    return looked.waiting;
  };
  const read = (gauge: Gauge<'lane' | 'medium'>, valueOf: (one: QueueDepth) => number): void =>
    measure(
      gauge,
      async () => {
        for (const one of await look()) gauge.set({ lane: one.lane, medium: one.medium ?? '' }, valueOf(one));
      },
      log,
    );
  read(METRICS.outboxQueued, ({ queued }) => queued);
  read(METRICS.outboxLate, ({ dueSince }) => (dueSince ? (Date.now() - dueSince.getTime()) / 1_000 : 0));
}
