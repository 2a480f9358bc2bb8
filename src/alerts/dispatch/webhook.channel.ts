import { request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { NOT_PUBLIC, isPrivateLiteral, lookupPublic } from '../../platform/public-address.ts';
import { hostOf } from '../../stores/webhooks/webhook.rules.ts';
import { outcomeOfError, outcomeOfStatus } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';

type OutgoingEvent = { url: string; headers: Record<string, string>; body: string };

/** `status` is null if there was no response. */
type Called = { outcome: Outcome; status: number | null };

const REFUSED: Called = { outcome: { kind: 'failed', reason: 'the IP address is not public' }, status: null };
const MAX_RESPONSE_BYTES = 65_536;
const RESPONSE_LIMIT_MS = 15_000;

/** Posts once without following redirects. Only the status matters, so the body is discarded and cut off when long. */
function post(event: OutgoingEvent, options: RequestOptions) {
  const request = event.url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
    const outgoing = request(event.url, options, (response) => {
      let size = 0;
      const done = (): void =>
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= MAX_RESPONSE_BYTES) return;
        done();
        outgoing.destroy();
      });
      response.on('end', done);
      response.on('error', reject);
    });
    const giveUp = () => outgoing.destroy(new Error(`no response within ${RESPONSE_LIMIT_MS / 1_000} s`));
    const limit = setTimeout(giveUp, RESPONSE_LIMIT_MS);
    outgoing.on('close', () => clearTimeout(limit));
    outgoing.on('error', reject);
    outgoing.end(event.body);
  });
}

/** Calls public addresses only, unless the operator allows private ones. */
export async function postEvent(event: OutgoingEvent, allowPrivate: boolean, now: Date): Promise<Called> {
  const host = hostOf(new URL(event.url));
  // A literal IP address skips the DNS lookup and its check.
  if (!allowPrivate && isPrivateLiteral(host)) return REFUSED;
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    headers: {
      ...event.headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(event.body),
    },
    ...(!allowPrivate && { lookup: lookupPublic }),
  };
  try {
    const { status, retryAfter } = await post(event, options);
    // A receiver returns 410 when it is permanently gone.
    return { outcome: outcomeOfStatus(status, retryAfter, now, (code) => code === 410), status };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === NOT_PUBLIC) return REFUSED;
    return { outcome: outcomeOfError(error), status: null };
  }
}
