import type { ComponentChildren } from 'preact';
import type { Schema } from './model.ts';
import { objectIn } from './schema.tsx';

/** A place of the reference. A search looks through `pieces` after the title; `body` is missing where it is elsewhere on the page. */
export type Topic = {
  href: string;
  title: string;
  note?: string;
  pieces: string[];
  body?: () => ComponentChildren;
};

export type Part = { name: string; about?: string; topics: Topic[] };

const MAX_DEPTH = 3;
const [BEFORE, AFTER] = [30, 90];

/** The fields inside a value, each as its name and description. */
export function fieldsIn(schema: Schema, schemas: Record<string, Schema>, depth = 0): string[] {
  const { properties = {} } = objectIn(schema, schemas) ?? {};
  return Object.entries(properties).flatMap(([name, inner]) => [
    `${name}: ${inner.description ?? ''}`,
    ...(depth < MAX_DEPTH ? fieldsIn(inner, schemas, depth + 1) : []),
  ]);
}

/** What people type for a word of this reference, in the singular; a phrase comes before its first word. */
const SYNONYMS: Record<string, string> = {
  stock: 'restock|back in stock|out of stock|sold out|back|inventory|availability',
  merge: 'login|log in|sign in|signin',
  'a list': 'wishlist|wish list|favourite|favorite|registry',
  'list items': 'wishlist|wish list|favourite|favorite',
  'subscribe to alerts': 'price drop|back in stock|back|notify|notification',
  shopper: 'customer|user',
  unsubscribe: 'cancel|opt out|optout|opt-out|stop alert',
  erase: 'gdpr|privacy|forget|delete my data|delete|right to be forgotten|anonymise',
  export: 'gdpr|privacy|download my data|data access',
  guest: 'anonymous|visitor|not logged in',
  alert: 'notify|notification|reminder',
  public: 'share|shared|public link',
  credentials: 'auth|authentication|authorization|authorisation|password|token',
  'api key': 'token|secret|password',
  limits: 'rate limit|429|throttle|quota|pagination|paging',
  'safe retries': 'retry|retrie|idempotency|duplicate request',
  webhook: 'callback|hook|push',
  stream: 'live|realtime|real-time|real time|push|sse',
  pricedrop: 'price drop|discount|sale',
  cart: 'basket|checkout',
};
const PHRASES = new RegExp(`(?<!\\S)(${Object.values(SYNONYMS).join('|')})s?(?!\\S)`, 'g');
const STOP_WORDS = /^(an?|the|to|of|for|from|in|on|with|and|or|how|do|can|i|my|me|is|are|it|when|what)$/;

/** The words of a search that matter, each with the words that may stand for it. */
function wordsOf(search: string): string[][] {
  const text = search.toLowerCase().trim();
  const others = text.replace(PHRASES, '').split(/\s+/);
  const words = [...(text.match(PHRASES) ?? []), ...others.filter((one) => one && !STOP_WORDS.test(one))];
  return (words.length > 0 ? words : [text]).map((word) => {
    const singular = word.replace(/(?<=\w\w[^su])s$/, '');
    const names = Object.keys(SYNONYMS).filter((name) => SYNONYMS[name]!.split('|').includes(singular));
    return [...new Set([word, singular, ...names])];
  });
}

const escaped = (word: string): string => word.replace(/[^\w\s]/g, '\\$&');

/** Where a word, or a part of a camelCase name, begins in a text; -1 if none does. */
const startOf = (text: string, word: string): number =>
  Math.max(
    text.search(new RegExp(`(?<![a-z\\d])${escaped(word)}`, 'i')),
    text.search(new RegExp(`(?<=[a-z\\d])${escaped(word.charAt(0).toUpperCase() + word.slice(1))}`)),
  );

/** Only words of four letters and more are also found inside others. */
const placeOf = (text: string, word: string): number =>
  Math.max(startOf(text, word), word.length > 3 ? text.toLowerCase().indexOf(word) : -1);

function snippetOf(text: string, words: string[]) {
  const piece = text.replace(/<[^>]+>|`|\*\*/g, '').replace(/\s+/g, ' ');
  const word = words.find((one) => placeOf(piece, one) >= 0) ?? '';
  const at = Math.max(0, placeOf(piece, word));
  const start = at > BEFORE ? Math.min(at, piece.indexOf(' ', at - BEFORE) + 1) : 0;
  const end = at + word.length;
  return {
    before: (start > 0 ? '… ' : '') + piece.slice(start, at),
    mark: piece.slice(at, end),
    after: piece.slice(end, end + AFTER) + (piece.length > end + AFTER ? '…' : ''),
  };
}

/** What a word that is nowhere adds to a rank: more than all other words together. */
const MISSING = 100;

/** Ranks a word by where it is: in the title, a name, a text, inside another word, or nowhere. */
function rankOf({ title, note = '', pieces }: Topic, word: string): number {
  const names = pieces.map((piece) => /^\w+(?=:)/.exec(piece)?.[0] ?? '');
  const places = [[title], [note, ...names], pieces];
  if (!places.flat().join('\n').toLowerCase().includes(word)) return MISSING;
  const rank = places.findIndex((texts) => texts.some((text) => startOf(text, word) >= 0));
  if (rank >= 0) return rank;
  return places.flat().some((text) => placeOf(text, word) >= 0) ? places.length : MISSING;
}

/** Finds the topics with all words, else with half of them, best first. Synonyms count a little less, as do events and errors. */
export function searchTopics(parts: Part[], search: string) {
  const words = wordsOf(search);
  const topics = parts.flatMap((part) => part.topics.map((topic) => ({ topic, part: part.name })));
  const ranked = topics.map((one) => {
    const ranks = words.map((ways) =>
      Math.min(...ways.map((way, at) => rankOf(one.topic, way) + Math.sign(at) / 2)),
    );
    const extra = /^#\/(webhook\/|errors)/.test(one.topic.href) ? 1 : 0;
    return { ...one, rank: ranks.reduce((sum, rank) => sum + Math.min(rank, MISSING), extra) };
  });
  ranked.sort((left, right) => left.rank - right.rank);
  const missing = ranked[0]!.rank < MISSING ? 0 : words.length / 2;
  const found = ranked.filter(({ rank }) => Math.floor(rank / MISSING) <= missing);
  return found.map(({ topic, part }) => {
    const { pieces } = topic;
    const isIn = (piece: string) => (ways: string[]) => ways.some((way) => placeOf(piece, way) >= 0);
    const piece = pieces.find((one) => words.every(isIn(one))) ?? pieces.find((one) => words.some(isIn(one)));
    return { topic, part, snippet: snippetOf(piece ?? pieces[0] ?? '', words.flat()) };
  });
}
