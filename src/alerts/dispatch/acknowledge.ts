import type { Services } from '../../context.ts';
import { isDatabaseAway } from '../../platform/database/errors.ts';
import { recordBounce } from '../../shoppers/contacts/opt-out.service.ts';
import { countEnds, settleMessages } from '../queue/outbox.service.ts';
import type { EndedTry } from '../queue/outbox.service.ts';

type Waiting = { end: EndedTry; resolve: () => void; reject: (error: unknown) => void };

/** Most outcomes of one statement: it takes some 20 ms. */
const MAX_TOGETHER = 200;
/** How long an outcome waits for others. */
const LINGER_MS = 20;

/**
 * Records how tries ended, many with one statement: as soon as `enough` have ended, or after a moment. One that the database refuses does not take
 * the others with it. A contact that does not exist loses its subscriptions.
 */
export function createSettler(services: Services, enough: number): (end: EndedTry) => Promise<void> {
  const waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;

  const record = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      await settleMessages(
        services,
        batch.map(({ end }) => end),
      );
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1 || isDatabaseAway(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await record([one]);
    }
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (isBusy) return;
    isBusy = true;
    await record(waiting.splice(0, MAX_TOGETHER));
    isBusy = false;
    goOn();
  };

  const goOn = (): void => {
    if (waiting.length >= enough) void flush();
    else if (waiting.length > 0) timer ??= setTimeout(() => void flush(), LINGER_MS);
  };

  return (end) => {
    const { message, others = [], outcome } = end;
    if (outcome.kind === 'failed' && outcome.isContactGone)
      return recordBounce(services.db, message, others, outcome.reason, services.now()).then(() =>
        countEnds('dead', [message, ...others]),
      );
    return new Promise((resolve, reject) => {
      waiting.push({ end, resolve, reject });
      goOn();
    });
  };
}
