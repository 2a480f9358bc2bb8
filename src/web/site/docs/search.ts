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

type Snippet = { before: string; mark: string; after: string };

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

function snippetOf(text: string, words: string[]): Snippet {
  const piece = text.replace(/<[^>]+>|`|\*\*/g, '').replace(/\s+/g, ' ');
  const word = words.find((one) => piece.toLowerCase().includes(one)) ?? '';
  const at = piece.toLowerCase().indexOf(word);
  const start = at > BEFORE ? Math.min(at, piece.indexOf(' ', at - BEFORE) + 1) : 0;
  const end = at + word.length;
  return {
    before: (start > 0 ? '… ' : '') + piece.slice(start, at),
    mark: piece.slice(at, end),
    after: piece.slice(end, end + AFTER) + (piece.length > end + AFTER ? '…' : ''),
  };
}

/** Finds the topics that contain all words: those with a matching title first, then those where one piece has all of them. */
export function searchTopics(parts: Part[], search: string) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const count = (text: string): number => words.filter((word) => text.toLowerCase().includes(word)).length;
  const found = parts.flatMap(({ name, topics }) =>
    topics.map((topic) => {
      const counts = topic.pieces.map(count);
      const best = Math.max(0, ...counts);
      const piece = topic.pieces[Math.max(0, counts.indexOf(best))] ?? '';
      const rank = [count(topic.title), best, count([topic.title, ...topic.pieces].join(' '))];
      return { topic, part: name, rank: rank.indexOf(words.length), snippet: snippetOf(piece, words) };
    }),
  );
  return found.filter(({ rank }) => rank >= 0).sort((left, right) => left.rank - right.rank);
}
