import type { ServerResponse } from 'node:http';

/** Calls `listener` when the response has ended or its caller has left; at once where that has happened already. */
export function onLeave(res: ServerResponse, listener: () => void): void {
  if (res.destroyed) listener();
  else res.once('close', listener);
}
