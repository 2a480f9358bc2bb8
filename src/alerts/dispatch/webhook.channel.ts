import { callOut } from '../../platform/outgoing.ts';
import { NOT_PUBLIC } from '../../platform/public-address.ts';
import { outcomeOfError, outcomeOfStatus } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';

type OutgoingEvent = { url: string; headers: Record<string, string>; body: string };

/** `status` is null if there was no response. */
type Called = { outcome: Outcome; status: number | null };

const REFUSED: Called = { outcome: { kind: 'failed', reason: 'the IP address is not public' }, status: null };
/** Only the status of the response matters, so a long body is cut off. */
const LIMITS = { maxBytes: 65_536, limitMs: 15_000 };

/** Calls public addresses only, unless the operator allows private ones. */
export async function postEvent(event: OutgoingEvent, allowPrivate: boolean, now: Date): Promise<Called> {
  const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(event.body) };
  const headers = { ...event.headers, ...length };
  try {
    const call = { ...event, ...LIMITS, method: 'POST', headers, allowPrivate } as const;
    const { status, retryAfter } = await callOut(call);
    // A receiver returns 410 when it is permanently gone.
    return { outcome: outcomeOfStatus(status, retryAfter, now, (code) => code === 410), status };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === NOT_PUBLIC) return REFUSED;
    return { outcome: outcomeOfError(error), status: null };
  }
}
