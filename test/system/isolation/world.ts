import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { addOperatorKey } from '../../../src/stores/operator.service.ts';
import { revokeKey, rotateKey } from '../../../src/stores/store.service.ts';
import { startService } from '../../harness.ts';
import type { TestService } from '../../harness.ts';
import type { Guess } from './calls.ts';
import { marksOf, rowsOf, textsOf } from './rows.ts';
import { fillStore, seedStore } from './stores.ts';
import type { FilledStore } from './stores.ts';

export let service: TestService;
export let alpha: FilledStore;
export let bravo: FilledStore;
/** What only the one store has, with its places. */
export let marks: Map<string, Set<string>>;
export let ids: string[];
/** What strangers send: they know it already, and what they wrote comes back to them. */
export let known: string;
/** The rows of the store before anybody came. */
export let seeded: Set<string>;

/** Somebody without a right: what every call of theirs shows, and a list of their own. */
export type Stranger = {
  headers: Record<string, string>;
  pid: string;
  regid: string;
  sessionid: string;
  own: string;
};

export const basic = (user: string, key: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
});
export const shown = (who: { pid: string; regid: string; sessionid: string; own?: string }): Stranger => ({
  ...who,
  own: who.own ?? 'none',
  headers: { 'x-pid': who.pid, 'x-regid': who.regid, 'x-sessionid': who.sessionid },
});
export const byHeaders = (headers: Record<string, string>): Stranger => ({
  headers,
  pid: '',
  regid: '',
  sessionid: '',
  own: 'none',
});

export let operatorKey: string;
export let revoked: string;
export let cookie: string;

/** Fills the stores; what is exported here is set by it. */
export async function openWorld(): Promise<void> {
  service = await startService({ rateLimits: false });
  [alpha, bravo] = [await seedStore(service, 'ALPHA'), await seedStore(service, 'BRAVO')];
  for (const store of [alpha, bravo]) await fillStore(service, store);
  operatorKey = (await addOperatorKey(service.services, 'isolation')).key;
  const spare = await rotateKey(service.services, alpha.pid);
  revoked = spare.apiKey;
  await revokeKey(service.services, alpha.pid, spare.keyId);
  const { headers } = await service.http
    .post('/dashboard/session')
    .set('x-wishgate-dashboard', '1')
    .send({ pid: bravo.pid, apiKey: bravo.apiKey })
    .expect(200);
  cookie = String(headers['set-cookie']).split(';')[0]!;
  const { db } = service.services;
  const rows = await rowsOf(db, alpha.pid);
  marks = marksOf(rows, await rowsOf(db, bravo.pid));
  const everyId = [...rows.values()].flat().map(({ id }) => id);
  ids = [...new Set(everyId.filter((id): id is string => typeof id === 'string'))];
  known = JSON.stringify(guessOf(byHeaders({}), false, false));
  seeded = textsOf(rows);
}

/** Looks like the id, and is nobody's: the same one each time, so that what strangers make of it is there again, too. */
export const ghosts = new Map<string, string>();
export function ghostOf(id: string): string {
  const made = /^[0-9a-f-]{36}$/.test(id)
    ? randomUUID()
    : /^\d+$/.test(id)
      ? String(randomInt(1e9, 9e9))
      : id.includes('@')
        ? `${randomUUID()}@example.com`
        : randomBytes(64).toString('base64url').slice(0, id.length);
  return ghosts.set(id, ghosts.get(id) ?? made).get(id)!;
}

/** What the calls send: ids of the store, or of nobody. What every shopper of the store sees, newcomers of it know. */
export function guessOf({ own }: Stranger, isGhost: boolean, isFellow: boolean): Guess {
  const one = (id: string): string => (isGhost ? ghostOf(id) : id);
  const shownOne = (id: string): string => (isFellow ? id : one(id));
  const [lid, epi, email] = [one(alpha.lid), shownOne(alpha.epi), one(alpha.email)];
  return {
    ...{ lid, fromlid: lid, lids: [lid], epi, epis: [epi], empi: shownOne('ALPHA-empi') },
    ...{ regid: one(alpha.shopper.regid), pid: one(alpha.pid), uid: one('0123456789012345678901') },
    ...{ useremail: email, mediumvalue: email, toemail: 'friend@example.com', medium: 'email' },
    ...{ topic: 'backinstock', topics: ['backinstock'], events: ['alert.sent'], useragenttype: 'test' },
    ...{ name: 'isolation', lname: `Name ${randomUUID()}`, search: shownOne('ALPHA-title') },
    ...{ orderId: one('ALPHA-order'), click: one('a'.repeat(38)), quantity: 1, currency: 'EUR' },
    ...{ url: 'https://93.184.215.14/hook', host: '127.0.0.1', du: 'https://shop.example/' },
    ...{ wait: 0, qty: 1, stk: 3, oldDays: 30, secret: 'a-secret-of-16-characters' },
    ...{ $ids: ids.map(one), $own: own },
  };
}

export type Answer = { status: number; text: string; headers: string };

export async function ask(
  path: string,
  headers: Record<string, string>,
  body?: string,
  method = body === undefined ? 'GET' : 'POST',
): Promise<Answer> {
  const answer = await fetch(`${service.url}${path}`, { method, headers, redirect: 'manual', body });
  return { status: answer.status, text: await answer.text(), headers: JSON.stringify([...answer.headers]) };
}

/** What every shopper of a store may see of it. */
export const SHOWN_TO_SHOPPERS =
  /^product\.|^store\.(pid|name|logo_url|share_url|allowed_origins|sender_name)$|\.pid$/;
/** What an operator sees of every store. */
export const SHOWN_TO_OPERATORS = /^store\.(pid|name)$|\.pid$/;

/** Names what of the store an answer tells beyond what strangers know. Cursors and the like are opened. */
export function leaksIn(
  { text, headers }: Answer,
  stranger: Stranger,
  isShown: RegExp,
  knows: string,
): string[] {
  const sent = knows + JSON.stringify(stranger);
  const opened = [...new Set(text.match(/[\w-]{16,}/g))].map((one) =>
    Buffer.from(one, 'base64url').toString('latin1'),
  );
  const told = [text, headers, ...opened].join('\n');
  const isLeak = (mark: string, places: Set<string>): boolean =>
    told.includes(mark) && !sent.includes(mark) && ![...places].some((place) => isShown.test(place));
  const leaks = [...marks].filter(([mark, places]) => isLeak(mark, places));
  return leaks.map(([mark, places]) => `${[...places].join(' ')}: ${mark}`);
}

/** A text in which what was sent is a blank, so that an id and a ghost's read the same. */
export function withoutSent(text: string, guess: Guess): string {
  const sent = Object.values(guess)
    .flat()
    .filter((one): one is string => typeof one === 'string' && one.length > 7);
  return sent.sort((a, b) => b.length - a.length).reduce((rest, one) => rest.replaceAll(one, '#'), text);
}
