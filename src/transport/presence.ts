import type { Response } from 'express';
import type { Presence, Viewer } from '../context.ts';
import { fail } from '../shared/errors.ts';
import { stepAside } from './shedding.ts';

/** A reader of a stream who takes nothing for so long is gone. */
const STALL_MS = 60_000;
/** Thousands of calls wait at a time, each with its body in memory; the longest document takes less. */
const MAX_BODY_BYTES = 50_000;

/** Tells when the caller has gone or has its answer; at once where it left before anybody asked. */
export const onLeave = (res: Response, listener: () => void): void =>
  void (res.destroyed ? listener() : res.once('close', listener));

/** What a call can do with its connection while it stays open. */
export function createPresence(res: Response, identify: () => Promise<Viewer>): Presence {
  return {
    identify,
    onLeave: (listener) => onLeave(res, listener),
    rest() {
      const { req } = res;
      if (Buffer.isBuffer(req.body) && req.body.length > MAX_BODY_BYTES)
        fail('request-too-large', 'The body of a call that waits must not be larger than 50 kB');
      req.body = undefined;
      stepAside(res);
    },
    async drained() {
      if (!res.writableNeedDrain || res.destroyed) return;
      const cut = setTimeout(() => res.destroy(), STALL_MS);
      await new Promise<void>((done) => void res.once('drain', done).once('close', done));
      clearTimeout(cut);
    },
  };
}
