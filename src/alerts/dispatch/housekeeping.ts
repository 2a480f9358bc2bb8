import { removeExpiredResults } from '../../api/idempotency.service.ts';
import type { Services } from '../../context.ts';
import { forgetTrash } from '../../lists/restore.service.ts';
import { HOUR_MS } from '../../platform/time.ts';
import { forgetOptIns } from '../../shoppers/contacts/mailing-list.service.ts';
import { forgetResubscribed } from '../../shoppers/contacts/opt-out.service.ts';
import { removeNextGuests } from '../../shoppers/guest.service.ts';
import { forgetRemoved, forgetStockChanges } from '../../stores/catalogue/catalog.service.ts';
import { forgetEvents } from '../../stores/catalogue/shopify.service.ts';
import { resealPasswords } from '../../stores/mail-server/sending.service.ts';
import { forgetBuyers } from '../../stores/revenue/revenue.service.ts';
import { forgetSessions } from '../../stores/session.service.ts';
import { forgetWindows } from '../../stores/store.service.ts';
import { forgetAttempts } from '../../stores/webhooks/webhook.service.ts';
import { forgetSeen } from '../events/alert-log.service.ts';
import { forgetAlertEvents } from '../events/event.service.ts';
import { forgetFinished } from '../queue/outbox.service.ts';
import type { Task } from '../queue/worker.ts';
import { forgetExpired, forgetUnconfirmed } from '../subscriptions/subscription.service.ts';

/** `run` processes one batch and returns its size, until a batch is empty; the next run starts `every` milliseconds later. */
type Chore = { name: string; every: number; run: (services: Services, now: Date) => Promise<number> };

/** Each module defines the retention period and batch size of its own data. */
export const HOUSEKEEPING: readonly Chore[] = [
  { name: 'delete finished messages', every: HOUR_MS, run: forgetFinished },
  { name: 'delete webhook attempts', every: HOUR_MS, run: forgetAttempts },
  { name: 'delete alert events', every: HOUR_MS, run: forgetAlertEvents },
  { name: 'delete cool-downs', every: HOUR_MS, run: forgetSeen },
  { name: 'delete removed products', every: HOUR_MS, run: forgetRemoved },
  { name: 'delete stock changes', every: HOUR_MS, run: forgetStockChanges },
  { name: 'delete expired subscriptions', every: HOUR_MS, run: forgetExpired },
  { name: 'delete unconfirmed sign-ups', every: HOUR_MS, run: forgetUnconfirmed },
  { name: 'delete opt-ins', every: HOUR_MS, run: forgetOptIns },
  { name: 'delete lifted SMS opt-outs', every: HOUR_MS, run: forgetResubscribed },
  { name: 'delete clicks and orders', every: HOUR_MS, run: forgetBuyers },
  { name: 'delete usage counts', every: HOUR_MS, run: forgetWindows },
  { name: 'delete Shopify webhooks', every: HOUR_MS, run: forgetEvents },
  { name: 'delete dashboard sessions', every: HOUR_MS, run: forgetSessions },
  { name: 'delete deleted lists and items', every: HOUR_MS, run: forgetTrash },
  { name: 'remove idle guests', every: 500, run: removeNextGuests },
  { name: 'encrypt passwords with the newest key', every: HOUR_MS, run: resealPasswords },
  { name: 'delete idempotency results', every: 0, run: removeExpiredResults },
];

/** Each chore is its own task, so that one failing chore does not block the others. */
export function createHousekeeping(services: Services): Task[] {
  return HOUSEKEEPING.map(({ name, every, run }) => {
    let nextAt = 0;
    return {
      name,
      run: async () => {
        const now = services.now();
        const leftMs = nextAt - now.getTime();
        // A remainder longer than the interval means that the system clock was set back.
        if (leftMs > 0 && leftMs <= every) return false;
        if ((await run(services, now)) > 0) return true;
        nextAt = now.getTime() + every;
        return false;
      },
    };
  });
}
