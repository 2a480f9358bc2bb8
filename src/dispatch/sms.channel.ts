import type { Config, SmsConfig } from '../config.ts';
import type { FileChannel } from './file.channel.ts';
import { SENT, outcomeOfError, outcomeOfStatus } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** A text message; `to` is in E.164 form. */
export type OutgoingSms = { id: string; isDemo: boolean; to: string; text: string };

/** Sends text messages. */
export type SmsChannel = { send(sms: OutgoingSms, now: Date): Promise<Outcome> };

const MAX_ANSWER_BYTES = 16_384;

/** A refusal of this message. A wrong token (401), a timeout or too many calls pass, so those are tried again. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status);
}

/** The start of an answer's body; a provider that never stops talking is cut off. */
async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += (chunk as Uint8Array).length;
    if (size > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The provider's own words, where it sent Twilio's error body. */
function complaintIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message.slice(0, 200) : '';
  } catch {
    return '';
  }
}

async function post(
  { baseUrl, account, token, from }: SmsConfig,
  sms: OutgoingSms,
  timeoutMs: number,
  now: Date,
): Promise<Outcome> {
  const response = await fetch(
    `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`,
    {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
        'idempotency-key': sms.id,
        'x-alert-id': sms.id,
      },
      body: new URLSearchParams({ To: sms.to, From: from, Body: sms.text }),
    },
  );
  const complaint = complaintIn(await readStart(response));
  return outcomeOfStatus(response.status, response.headers.get('retry-after'), now, isFinal, complaint);
}

/** Text messages leave over HTTP where a provider is configured; else, and for the demo store, they become `.json` files. */
export function createSmsChannel({ sms: settings, dispatchLeaseMs }: Config, files: FileChannel): SmsChannel {
  return {
    async send(sms, now) {
      try {
        if (settings && !sms.isDemo) return await post(settings, sms, dispatchLeaseMs / 2, now);
        await files.write(
          `${sms.id}.json`,
          `${JSON.stringify({ id: sms.id, to: sms.to, text: sms.text }, null, 2)}\n`,
        );
        return SENT;
      } catch (error) {
        return outcomeOfError(error);
      }
    },
  };
}
