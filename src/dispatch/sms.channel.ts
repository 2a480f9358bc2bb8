import type { Config, SmsConfig } from '../config.ts';
import type { FileChannel } from './file.channel.ts';
import { SENT, outcomeOfError, outcomeOfStatus } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** A text message; `to` is in E.164 form. */
export type OutgoingSms = { id: string; isDemo: boolean; to: string; text: string };

/** Sends text messages. */
export type SmsChannel = { send(sms: OutgoingSms, now: Date): Promise<Outcome> };

const MAX_ANSWER_BYTES = 16_384;
/** A provider that answers late has sent the message: whoever gives up before sends it twice. */
const ANSWER_LIMIT_MS = 240_000;
/** Twilio's codes for numbers that do not exist or cannot get texts, and for people who told the provider to stop. */
const GONE_CODES = new Set([21211, 21214, 21217, 21610, 21614]);

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
function complaintIn(text: string): { message: string; code: number | null } {
  try {
    const { message, code } = JSON.parse(text) as { message?: unknown; code?: unknown };
    return {
      message: typeof message === 'string' ? message.slice(0, 200) : '',
      code: typeof code === 'number' ? code : null,
    };
  } catch {
    return { message: '', code: null };
  }
}

async function post(
  { baseUrl, account, token, from }: SmsConfig,
  sms: OutgoingSms,
  now: Date,
): Promise<Outcome> {
  const response = await fetch(
    `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`,
    {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      headers: {
        authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
        'idempotency-key': sms.id,
        'x-alert-id': sms.id,
      },
      body: new URLSearchParams({ To: sms.to, From: from, Body: sms.text }),
    },
  );
  const { message, code } = complaintIn(await readStart(response));
  const { status, headers } = response;
  const outcome = outcomeOfStatus(status, headers.get('retry-after'), now, isFinal, message);
  const isContactGone = outcome.kind === 'failed' && code !== null && GONE_CODES.has(code);
  return isContactGone ? { ...outcome, isContactGone } : outcome;
}

/** Text messages leave over HTTP where a provider is configured; else, and for the demo store, they become `.json` files. */
export function createSmsChannel({ sms: settings }: Config, files: FileChannel): SmsChannel {
  return {
    async send(sms, now) {
      try {
        if (settings && !sms.isDemo) return await post(settings, sms, now);
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
