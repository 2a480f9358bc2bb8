import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Answer, AnswerRequest } from './channel.ts';

/** What our provider proves itself with. */
type Credentials = { account: string; token: string };

/** Where no provider is set up, nobody knows what to prove. */
const NOBODY: Credentials = { account: '', token: randomBytes(32).toString('hex') };

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares without telling how far two texts agree, nor how long they are. */
const isSame = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

/** Twilio's signature of a form: the address, then every field with its value in the order of their names. */
function signatureOf(token: string, url: string, fields: ReadonlyMap<string, string>): string {
  const names = [...fields.keys()].sort();
  const signed = url + names.map((name) => name + fields.get(name)!).join('');
  return createHmac('sha1', token).update(signed, 'utf8').digest('base64');
}

/** Whether an answer comes from the provider: by Twilio's signature or, where there is none, by the login that messages are sent with. */
export function isFromProvider(settings: Credentials | null, request: AnswerRequest): boolean {
  const { account, token } = settings ?? NOBODY;
  const { url, headers, fields } = request;
  const signature = headers['x-twilio-signature'];
  if (signature) return isSame(signature, signatureOf(token, url, fields));
  const login = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
  return isSame(headers['authorization'] ?? '', login);
}

/** Words that end everything, without accents; English, German, French, Spanish, Portuguese, Dutch and Swedish. */
const STOP_WORDS = new Set(
  'STOP STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT STOPP ABMELDEN ARRET ALTO BAJA PARAR AFMELDEN STOPPA'.split(
    ' ',
  ),
);
const START_WORDS = new Set(['START', 'UNSTOP', 'YES']);

/** What an answer says by its one word; a sentence that holds such a word says nothing. */
function meaningOf(text: string): Answer['says'] {
  const word = text
    .slice(0, 100)
    .normalize('NFD')
    .replace(/[\p{M}\p{P}\p{Z}\p{C}\p{S}]/gu, '')
    .toUpperCase();
  if (STOP_WORDS.has(word)) return 'stop';
  return START_WORDS.has(word) ? 'start' : null;
}

/** Reads an answer in Twilio's form; `OptOutType` is what the provider itself made of it. */
export function readAnswer(fields: ReadonlyMap<string, string>): Answer {
  const kind = fields.get('OptOutType')?.trim() || fields.get('Body') || '';
  return {
    from: fields.get('From') ?? '',
    says: meaningOf(kind),
    id: (fields.get('MessageSid') ?? fields.get('SmsSid') ?? '').slice(0, 64),
  };
}
