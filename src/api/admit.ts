import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Credentials, Services, Viewer } from '../context.ts';
import { oncePerApp } from '../platform/batch.ts';
import { createFairQueue, takePlace } from '../platform/in-flight.ts';
import type { Party } from '../platform/in-flight.ts';
import { METRICS, measure } from '../platform/metrics.ts';
import { letOthersConnect } from './http.ts';
import { addressGroup } from './limit.ts';

/** Shares of the concurrency: a page sends a few requests at once, a store's back end many; no store can use all of it. */
const SHARES = { shopper: 1 / 8, address: 1 / 8, key: 1 / 4, store: 3 / 4 };
/** Queued requests of one store, or of one address without credentials. */
const MAX_WAITING = 2_000;
/** Some 50,000 callers; a header may have any length. */
const MAX_KNOWN_BYTES = 16_000_000;
const LOG_MS = 10_000;

/** Empty without credentials. */
function nameOf({ authorization, session, actsFor, pid, regid, sessionid }: Credentials): string {
  if (authorization !== '' || session !== '') return `${authorization} ${session} ${actsFor}`;
  return sessionid && `${pid} ${regid} ${sessionid}`;
}

const queueOf = oncePerApp(({ config, log }: Pick<Services, 'config' | 'log'>) => {
  const capacity = config.maxRequests === 0 ? Infinity : config.maxRequests;
  const shareOf = (name: keyof typeof SHARES): number => Math.max(1, Math.ceil(capacity * SHARES[name]));
  const queue = createFairQueue({
    weight: 1,
    capacity,
    perStore: shareOf('store'),
    perCaller: shareOf('shopper'),
    waitMs: config.queueWaitMs,
    maxWaiting: MAX_WAITING,
  });
  const known = new LRUCache<string, Party>({
    maxSize: MAX_KNOWN_BYTES,
    sizeCalculation: (_, name) => name.length + 200,
  });
  let [rejected, loggedAt] = [0, -Infinity];
  measure(METRICS.requestsUnderWay, () => queue.figures().held);
  measure(METRICS.requestsWaiting, () => queue.figures().waiting);
  const countRejected = (): void => {
    METRICS.shed.inc();
    rejected += 1;
    if (performance.now() - loggedAt < LOG_MS) return;
    log.warn(
      { refused: rejected, ...queue.figures() },
      'Requests were rejected: they waited too long in the queue',
    );
    [rejected, loggedAt] = [0, performance.now()];
  };
  return { queue, known, shareOf, countRejected };
});

/** Waits for the turn of a request whose body has arrived; 503 when it waits too long. */
export async function admit(
  services: Services,
  req: Request,
  res: ServerResponse,
  credentials: Credentials,
): Promise<void> {
  const { queue, known, shareOf, countRejected } = queueOf(services);
  const address = addressGroup(req.ip ?? '');
  const party = known.get(nameOf(credentials)) ?? {
    store: `address ${address}`,
    caller: address,
    most: shareOf('address'),
  };
  try {
    await takePlace(queue, res, party);
    await letOthersConnect();
  } catch (error) {
    if (!res.destroyed) countRejected();
    throw error;
  }
}

/** Remembers whose credentials these are, so that the next request with them waits in that caller's queue. */
export function recognise(services: Services, credentials: Credentials, viewer: Viewer): void {
  const { known, shareOf } = queueOf(services);
  const name = nameOf(credentials);
  const { store, shopper, keyId, operatorId } = viewer;
  const owner = keyId ?? operatorId;
  // The dashboard has its own queue, besides that of the key it was opened with.
  const kind = credentials.session === '' ? 'key' : 'session';
  const party =
    owner === null
      ? shopper && { store: shopper.pid, caller: shopper.regid }
      : { store: store?.pid ?? '', caller: `${kind} ${owner}`, most: shareOf('key') };
  if (name === '' || !party) known.delete(name);
  else if (known.get(name)?.caller !== party.caller) known.set(name, party);
}
