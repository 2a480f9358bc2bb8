import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../platform/encrypt.ts';
import type { Reply, ReplyRequest } from './channel.ts';

type Credentials = { account: string; token: string };

/** Random credentials that no request matches if no provider is configured. */
const NOBODY: Credentials = { account: '', token: randomBytes(32).toString('hex') };

/** Twilio's signature of a form: the URL, then each field's name and value, sorted by name. */
function signatureOf(token: string, url: string, fields: ReadonlyMap<string, string>): string {
  const names = [...fields.keys()].sort();
  const signed = url + names.map((name) => name + fields.get(name)!).join('');
  return createHmac('sha1', token).update(signed, 'utf8').digest('base64');
}

/** Whether a reply comes from the provider: by Twilio's signature or, without one, by the credentials used for sending. */
export function isFromProvider(settings: Credentials | null, request: ReplyRequest): boolean {
  const { account, token } = settings ?? NOBODY;
  const { url, headers, fields } = request;
  const signature = headers['x-twilio-signature'];
  if (signature) return isSameSecret(signature, signatureOf(token, url, fields));
  const login = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
  return isSameSecret(headers['authorization'] ?? '', login);
}

/** Opt-out keywords without accents: English, German, French, Spanish, Portuguese, Dutch and Swedish. */
const STOP_WORDS = new Set(
  'STOP STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT STOPP ABMELDEN ARRET ALTO BAJA PARAR AFMELDEN STOPPA'.split(
    ' ',
  ),
);
const START_WORDS = new Set(['START', 'UNSTOP', 'YES']);

/** Only a reply that consists of one keyword counts; a sentence that contains a keyword does not. */
function meaningOf(text: string): Reply['says'] {
  const word = text
    .slice(0, 100)
    .normalize('NFD')
    .replace(/[\p{M}\p{P}\p{Z}\p{C}\p{S}]/gu, '')
    .toUpperCase();
  if (STOP_WORDS.has(word)) return 'stop';
  return START_WORDS.has(word) ? 'start' : null;
}

/** Reads a reply in Twilio's format; `OptOutType` is the provider's own classification. */
export function readReply(fields: ReadonlyMap<string, string>): Reply {
  const kind = fields.get('OptOutType')?.trim() || fields.get('Body') || '';
  return {
    from: fields.get('From') ?? '',
    says: meaningOf(kind),
    id: (fields.get('MessageSid') ?? fields.get('SmsSid') ?? '').slice(0, 64),
  };
}
