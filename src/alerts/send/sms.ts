import { z } from 'zod';
import type { Channel, Outgoing, Payload } from './channel.ts';
import { confirmSms } from './confirm.ts';
import { SENT, outcomeOfError, outcomeOfStatus } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { phone } from './phone.ts';
import { httpUrl, together } from './settings.ts';
import { isFromProvider, readReply } from './sms-reply.ts';
import { standardSms } from './standard-mail.ts';

/** An HTTP API that is compatible with Twilio's. */
type SmsSettings = { baseUrl: string; account: string; token: string; from: string };

type SmsPayload = Payload & { text: string };

const MAX_RESPONSE_BYTES = 16_384;
/** Long, because a provider that responds late has sent the message, and a retry would send it twice. */
const RESPONSE_LIMIT_MS = 240_000;
/** Twilio's codes for numbers that do not exist or cannot receive SMS, and for contacts who opted out at the provider. */
const GONE_CODES = new Set([21211, 21214, 21217, 21610, 21614]);

/** A permanent rejection of this message. A wrong token (401), a timeout and rate limiting are temporary. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status);
}

/** Reads only the start of the response body, because a provider could send an endless one. */
async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

const complaintShape = z.object({ message: z.string().catch(''), code: z.number().nullable().catch(null) });

function complaintIn(text: string): z.infer<typeof complaintShape> {
  try {
    return complaintShape.parse(JSON.parse(text));
  } catch {
    return { message: '', code: null };
  }
}

async function post(
  { baseUrl, account, token, from }: SmsSettings,
  { id, to, payload }: Outgoing,
  now: Date,
): Promise<Outcome> {
  const response = await fetch(
    `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`,
    {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(RESPONSE_LIMIT_MS),
      headers: {
        authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
        'idempotency-key': id,
        'x-alert-id': id,
      },
      body: new URLSearchParams({ To: to, From: from, Body: (payload as SmsPayload).text }),
    },
  );
  const { message, code } = complaintIn(await readStart(response));
  const { status, headers } = response;
  const outcome = outcomeOfStatus(status, headers.get('retry-after'), now, isFinal, message.slice(0, 200));
  const isContactGone = outcome.kind === 'failed' && code !== null && GONE_CODES.has(code);
  return isContactGone ? { ...outcome, isContactGone } : outcome;
}

function readSettings(env: Record<string, unknown>): SmsSettings | null {
  const given = together(env, 'SMS_BASE_URL', 'SMS_ACCOUNT', 'SMS_TOKEN', 'SMS_FROM');
  if (given === null) return null;
  const { SMS_BASE_URL: baseUrl, SMS_ACCOUNT: account, SMS_TOKEN: token, SMS_FROM: from } = given;
  return { baseUrl, account, token, from };
}

/** Sends over HTTP if a provider is configured; otherwise, and for the demo store, it writes `.json` files. */
export const sms = {
  label: 'SMS',
  messages: 'SMS',
  contact: phone,
  parts: {
    sms: {
      label: 'SMS',
      form: 'short',
      rows: 3,
      isSegmented: true,
      standard: standardSms,
    },
  },
  compose: (texts): SmsPayload => ({ text: texts.sms }),
  confirm: (message): SmsPayload => ({ text: confirmSms(message) }),
  settings: {
    variables: {
      SMS_BASE_URL: httpUrl.optional(),
      SMS_ACCOUNT: z.string().optional(),
      SMS_TOKEN: z.string().optional(),
      SMS_FROM: z.string().optional(),
    },
    read: readSettings,
  },
  provider: {
    name: 'SMS over HTTP (Twilio API)',
    hint: 'Set SMS_BASE_URL, SMS_ACCOUNT, SMS_TOKEN and SMS_FROM to send SMS.',
    describe: ({ baseUrl, from }) => `Sends from ${from} via ${new URL(baseUrl).host}.`,
  },
  // More do not fit into 1,600 characters.
  together: 5,
  replies: { isGenuine: isFromProvider, read: readReply },
  concurrency: () => 8,
  open: (settings, files) => ({
    async send(message, now) {
      try {
        if (settings && !message.isDemo) return await post(settings, message, now);
        const { id, to, payload, isDemo } = message;
        const content = `${JSON.stringify({ id, to, ...payload }, null, 2)}\n`;
        await files.write(`${id}.json`, content, isDemo);
        return SENT;
      } catch (error) {
        return outcomeOfError(error);
      }
    },
  }),
} satisfies Channel<'sms', SmsSettings>;
