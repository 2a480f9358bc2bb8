import { GUIDES } from '../../../../docs/guides/README.md';
import type { Area, ErrorRow, GraphqlOperation, Schema, WebhookEvent } from './model.ts';
import { objectIn } from './schema.tsx';

/** A place of the reference. `pieces` are the texts that a search looks through after the label. */
export type Topic = { href: string; label: string; group: string; pieces: string[] };

export type Contents = {
  areas: Area[];
  operations: GraphqlOperation[];
  events: WebhookEvent[];
  errors: ErrorRow[];
};

/** `mark` is the matched part of a snippet. */
export type Found = Topic & { snippet: { before: string; mark: string; after: string } | null };

export const GRAPHQL_GROUPS = {
  query: 'GraphQL queries',
  mutation: 'GraphQL mutations',
  subscription: 'GraphQL subscriptions',
};

const MAX_DEPTH = 3;
const [BEFORE, AFTER] = [30, 90];

const plain = (text: string): string => text.replace(/<[^>]+>|`|\*\*/g, '').replace(/\s+/g, ' ');

/** The fields inside a value, each as its name and description. */
function fieldsIn(schema: Schema, schemas: Record<string, Schema>, depth = 0): string[] {
  const { properties = {} } = objectIn(schema, schemas) ?? {};
  return Object.entries(properties).flatMap(([name, inner]) => [
    `${name}: ${inner.description ?? ''}`,
    ...(depth < MAX_DEPTH ? fieldsIn(inner, schemas, depth + 1) : []),
  ]);
}

export function topicsOf(contents: Contents, schemas: Record<string, Schema>): Topic[] {
  const { areas, operations, events, errors } = contents;
  const describe = (name: string, schema: Schema): string[] => [
    `${name}: ${schema.description ?? ''}`,
    ...fieldsIn(schema, schemas),
  ];
  const topics: Topic[] = [
    { href: '#/', label: 'Introduction', group: 'Start', pieces: [] },
    {
      href: '#/credentials',
      label: 'Credentials',
      group: 'Start',
      pieces: ['pid, API key, regid, sessionid'],
    },
    ...GUIDES.map(({ id, title, blocks }) => ({
      href: `#/guide/${id}`,
      label: title,
      group: 'Guides',
      pieces: blocks.map(({ text }) => text),
    })),
    ...areas.flatMap(({ name: group, calls }) =>
      calls.map(({ operationId, method, path, summary, description, fields, response }) => ({
        href: `#/${operationId}`,
        label: summary,
        group,
        pieces: [
          description,
          `${method} ${path}`,
          ...fields.flatMap(({ name, schema }) => describe(name, schema)),
          ...fieldsIn(response.schema, schemas),
        ],
      })),
    ),
    ...operations.map(({ name, kind, title, description, args }) => ({
      href: `#/graphql/${name}`,
      label: title,
      group: GRAPHQL_GROUPS[kind],
      pieces: [description, name, ...args.flatMap((arg) => describe(arg.name, arg.schema))],
    })),
    {
      href: '#/errors',
      label: 'Error types',
      group: 'Errors',
      pieces: errors.map(({ status, type, meaning }) => `${status} ${type}: ${meaning}`),
    },
    ...events.map(({ type, summary, schema }) => ({
      href: `#/webhook/${type}`,
      label: summary,
      group: 'Webhook events',
      pieces: [type, ...fieldsIn(schema, schemas)],
    })),
  ];
  return topics.map((topic) => ({ ...topic, pieces: topic.pieces.map(plain) }));
}

function snippetOf(piece: string, words: string[]): Found['snippet'] {
  const places = words.map((word) => [piece.toLowerCase().indexOf(word), word.length] as const);
  const [at = 0, length = 0] = places.find(([place]) => place >= 0) ?? [];
  const start = at > BEFORE ? piece.indexOf(' ', at - BEFORE) + 1 : 0;
  const end = at + length;
  return {
    before: `${start > 0 ? '… ' : ''}${piece.slice(Math.min(start, at), at)}`,
    mark: piece.slice(at, end),
    after: piece.slice(end, end + AFTER) + (piece.length > end + AFTER ? '…' : ''),
  };
}

/** Finds the topics that contain all words: those with a matching title first, then those where one piece has all of them. */
export function searchTopics(topics: Topic[], search: string): Found[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const count = (text: string): number => words.filter((word) => text.toLowerCase().includes(word)).length;
  return topics
    .flatMap((topic) => {
      if (count([topic.label, ...topic.pieces].join(' ')) < words.length) return [];
      const counts = topic.pieces.map(count);
      const best = Math.max(0, ...counts);
      const piece = topic.pieces[best > 0 ? counts.indexOf(best) : 0];
      const rank = count(topic.label) === words.length ? 0 : best === words.length ? 1 : 2;
      return [{ ...topic, rank, snippet: piece === undefined ? null : snippetOf(piece, words) }];
    })
    .sort((left, right) => left.rank - right.rank);
}
