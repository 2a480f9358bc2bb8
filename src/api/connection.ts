import type { Response } from 'express';
import type { Connection, Viewer } from '../context.ts';
import type { Party } from '../platform/fair-queue.ts';
import { fail } from '../platform/errors.ts';
import { onLeave } from './on-leave.ts';
import { releasePlace } from './admit.ts';
import type { RequestQueue } from './admit.ts';

/** A reader of a stream who takes nothing for so long is gone. */
const STALL_MS = 60_000;
/** Thousands of calls wait at a time, each with its body in memory; the longest document takes less. */
const MAX_BODY_BYTES = 50_000;

/** What a call can do with its connection while it stays open. */
export function createConnection(
  res: Response,
  { goOutside }: RequestQueue,
  party: Party,
  identify: () => Promise<Viewer>,
): Connection {
  return {
    identify,
    onLeave: (listener) => onLeave(res, listener),
    release() {
      const { req } = res;
      if (Buffer.isBuffer(req.body) && req.body.length > MAX_BODY_BYTES)
        fail('request-too-large', 'The body of a call that waits must not be larger than 50 kB');
      req.body = undefined;
      releasePlace(res);
    },
    goOutside: () => goOutside(res, party),
    async drained() {
      if (!res.writableNeedDrain || res.destroyed) return;
      const cut = setTimeout(() => res.destroy(), STALL_MS);
      await new Promise<void>((done) => void res.once('drain', done).once('close', done));
      clearTimeout(cut);
    },
  };
}
