import type { Services } from '../context.ts';
import { forgetSeen } from '../domain/alert/alert.service.ts';
import { forgetRemoved } from '../domain/catalog/catalog.service.ts';
import { forgetEvents } from '../domain/catalog/shopify.service.ts';
import { forgetStockChanges } from '../domain/catalog/stock.service.ts';
import { forgetProofs } from '../domain/contact/proof.service.ts';
import { forgetStarted } from '../domain/contact/stop.service.ts';
import { resealPasswords } from '../domain/mail-server/sending.service.ts';
import { forgetWindows } from '../domain/pace/pace.service.ts';
import { forgetBuyers } from '../domain/revenue/revenue.service.ts';
import { forgetRestocks } from '../domain/restock/restock.service.ts';
import { forgetSessions } from '../domain/session/session.service.ts';
import { forgetExpired, forgetUnconfirmed } from '../domain/subscription/subscription.service.ts';
import { forgetTrash } from '../domain/trash/trash.service.ts';
import { forgetTries } from '../domain/webhook/try.service.ts';
import { removeExpiredAnswers } from '../operation/answer-once.ts';
import { forgetFinished } from '../outbox/outbox.service.ts';
import type { Task } from './worker.ts';
import { HOUR_MS } from '../shared/time.ts';

/** Something to do now and then. */
export type Chore = {
  name: string;
  /** Milliseconds between two rounds. */
  every: number;
  /** Does a portion and answers how much it was; a round ends when that is nothing. */
  run: (services: Services, now: Date) => Promise<number>;
};

/** What is forgotten when its time is over. How long that is and how much goes at once is its owner's to say. */
export const HOUSEKEEPING: readonly Chore[] = [
  { name: 'forget finished messages', every: HOUR_MS, run: forgetFinished },
  { name: 'forget tries of webhooks', every: HOUR_MS, run: forgetTries },
  { name: 'forget restocks', every: HOUR_MS, run: forgetRestocks },
  { name: 'forget cool-downs', every: HOUR_MS, run: forgetSeen },
  { name: 'forget removed products', every: HOUR_MS, run: forgetRemoved },
  { name: 'forget changes of stock', every: HOUR_MS, run: forgetStockChanges },
  { name: 'forget expired subscriptions', every: HOUR_MS, run: forgetExpired },
  { name: 'forget unconfirmed sign-ups', every: HOUR_MS, run: forgetUnconfirmed },
  { name: 'forget proofs of contacts', every: HOUR_MS, run: forgetProofs },
  { name: 'forget who takes messages again', every: HOUR_MS, run: forgetStarted },
  { name: 'forget who clicked and ordered', every: HOUR_MS, run: forgetBuyers },
  { name: 'forget counts', every: HOUR_MS, run: forgetWindows },
  { name: 'forget webhooks of Shopify', every: HOUR_MS, run: forgetEvents },
  { name: 'forget dashboard sessions', every: HOUR_MS, run: forgetSessions },
  { name: 'forget deleted lists and items', every: HOUR_MS, run: forgetTrash },
  { name: 'seal passwords with the newest key', every: HOUR_MS, run: resealPasswords },
  { name: 'forget answers under keys', every: 0, run: removeExpiredAnswers },
];

/** A task for each chore, so that one that fails holds up no other. */
export function createHousekeeping(services: Services): Task[] {
  return HOUSEKEEPING.map(({ name, every, run }) => {
    let nextAt = 0;
    return {
      name,
      run: async () => {
        const now = services.now();
        const leftMs = nextAt - now.getTime();
        // More than a whole interval left means that the machine's clock was set back.
        if (leftMs > 0 && leftMs <= every) return false;
        if ((await run(services, now)) > 0) return true;
        nextAt = now.getTime() + every;
        return false;
      },
    };
  });
}
