import { request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Config } from '../../config.ts';
import { hostOf } from '../../stores/webhooks/webhook.rules.ts';
import { outcomeOfError, outcomeOfStatus } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import { NOT_PUBLIC, isPrivateLiteral, lookupPublic } from '../../platform/public-address.ts';

/** One signed event on its way. */
export type OutgoingEvent = { url: string; headers: Record<string, string>; body: string };

/** What a call came to; `status` is null where there was no answer. */
export type Called = { outcome: Outcome; status: number | null };

/** Calls webhooks. */
export type WebhookChannel = { send(event: OutgoingEvent, now: Date): Promise<Called> };

const REFUSED: Called = { outcome: { kind: 'failed', reason: 'the address is not public' }, status: null };
const MAX_ANSWER_BYTES = 65_536;
const ANSWER_LIMIT_MS = 15_000;

/** Posts once; redirects are answers like any other. Only the status counts, so the body is dropped, and cut when it is long. */
function post(
  event: OutgoingEvent,
  options: RequestOptions,
): Promise<{ status: number; retryAfter: string | undefined }> {
  const request = event.url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(event.url, options, (answer) => {
      let size = 0;
      const done = (): void =>
        resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] });
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= MAX_ANSWER_BYTES) return;
        done();
        outgoing.destroy();
      });
      answer.on('end', done);
      answer.on('error', reject);
    });
    const limit = setTimeout(
      () => outgoing.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS / 1_000} s`)),
      ANSWER_LIMIT_MS,
    );
    outgoing.on('close', () => clearTimeout(limit));
    outgoing.on('error', reject);
    outgoing.end(event.body);
  });
}

/** Webhooks leave by HTTP to public addresses only, unless the operator allows others. */
export function createWebhookChannel({ webhookAllowPrivate }: Config): WebhookChannel {
  return {
    async send(event, now) {
      const host = hostOf(new URL(event.url));
      // A literal address is never looked up.
      if (!webhookAllowPrivate && isPrivateLiteral(host)) return REFUSED;
      const options: RequestOptions = {
        method: 'POST',
        agent: false,
        headers: {
          ...event.headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(event.body),
        },
        ...(!webhookAllowPrivate && { lookup: lookupPublic }),
      };
      try {
        const { status, retryAfter } = await post(event, options);
        // 410 is how a receiver says that it is gone for good.
        return { outcome: outcomeOfStatus(status, retryAfter, now, (code) => code === 410), status };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === NOT_PUBLIC) return REFUSED;
        return { outcome: outcomeOfError(error), status: null };
      }
    },
  };
}
