import { request as httpRequest } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isPrivateLiteral, lookupPublic, notPublic } from './public-address.ts';

export type OutgoingCall = {
  method: 'GET' | 'POST';
  url: string;
  headers: OutgoingHttpHeaders;
  body?: string;
  /** Whether the operator allows addresses that are not public. */
  allowPrivate: boolean;
  limitMs: number;
  maxBytes: number;
};

/** `body` is null where it is longer than `maxBytes`. */
export type OutgoingResponse = { status: number; retryAfter: string | undefined; body: string | null };

/** Removes the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Calls an address that a store named, once and without following redirects. */
export function callOut({ url, allowPrivate, body, ...call }: OutgoingCall): Promise<OutgoingResponse> {
  const { method, headers, limitMs, maxBytes } = call;
  // A literal IP address skips the DNS lookup and its check.
  if (!allowPrivate && isPrivateLiteral(hostOf(new URL(url)))) return Promise.reject(notPublic());
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, ...(!allowPrivate && { lookup: lookupPublic }) };
    const outgoing = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const { statusCode: status = 0, headers: received } = response;
      const done = (text: string | null): void =>
        resolve({ status, retryAfter: received['retry-after'], body: text });
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= maxBytes) return;
        done(null);
        outgoing.destroy();
      });
      response.on('end', () => done(Buffer.concat(chunks).toString('utf8')));
      response.on('error', reject);
    });
    const giveUp = () => outgoing.destroy(new Error(`no response within ${limitMs / 1_000} s`));
    const limit = setTimeout(giveUp, limitMs);
    outgoing.on('close', () => clearTimeout(limit));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
