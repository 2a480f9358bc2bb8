import { getIntrospectionQuery, parse, specifiedRules, validate } from 'graphql';
import { DOCUMENT_LIMITS, checkDocument, checkText } from '../src/api/graphql/limits.ts';
import type { DocumentLimits } from '../src/api/graphql/limits.ts';
import { sharedSchema } from '../src/api/graphql/schema.ts';

// How long the worst documents within the limits take to parse and to validate, in CPU time: `npx tsx bench/documents.ts`.

const RUNS = 15;
const SHOWN = 12;
const MAX_ERRORS = 5;
const schema = sharedSchema();

const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: Math.max(0, Math.floor(count)) }, (_, index) => make(index)).join(' ');

/** Fragments of a type, each with its own selection. */
const fragments = (count: number, type: string, make: (index: number) => string): string =>
  repeat(count, (index) => `fragment F${index} on ${type} { ${make(index)} }`);

const valid = (index: number): string => `a${index}: __typename`;

/** Makes a hostile document of about so many tokens, and of as much else as the limits allow. */
type Shape = (tokens: number, limits: DocumentLimits) => string;

const FIELDS: Record<string, Shape> = {
  'one field': (t) => `{ ${repeat(t - 2, () => '__typename')} }`,
  'one object': (t) => `{ ${repeat((t - 2) / 4, () => 'store { pid }')} }`,
  'one object, 3 levels': (t) => `{ ${repeat((t - 2) / 10, () => 'lists { edges { node { lid } } }')} }`,
  'one object of one field': (t) =>
    `{ ${repeat(Math.sqrt(t), () => `store { ${repeat(Math.sqrt(t) - 3, () => 'pid')} }`)} }`,
  'one name, other arguments': (t) =>
    `{ ${repeat((t - 2) / 9, (n) => `lists(first: ${n}) { __typename }`)} }`,
  'one name, other fields': (t, { pairs }) =>
    `{ ${repeat(Math.min(Math.sqrt(2 * pairs), t / 3), (n) => `a: f${n}`)} }`,
  'one name, large values': (t) =>
    `{ ${repeat(Math.sqrt(t), (k) => `isInLists(epis: [${repeat(Math.sqrt(t) - 9, String)} ${k}]) { epi }`)} }`,
  'one name, long texts': (_t, { characters }) =>
    `{ ${repeat(40, (n) => `x(a: "${'y'.repeat(characters / 45)}${n}")`)} }`,
  'one name, inline fragments': (t, { spreads }) =>
    `{ ${repeat(Math.min(spreads, t / 9), () => '... on Query { store { pid } }')} }`,
  'other names': (t) => `{ ${repeat((t - 2) / 3, valid)} }`,
  'wide and valid': (t) =>
    `{ ${repeat(20, (n) => `l${n}: list(lid: "1") { ${repeat((t - 222) / 60, (i) => `a${i}: lname`)} }`)} }`,
  'arguments, directives and variables': (t) =>
    `query ($f: Int) { ${repeat((t - 8) / 29, (n) => `l${n}: lists(first: $f) { edges { node { lid items(first: $f) @skip(if: false) { edges { node { epi } } } } } }`)} }`,
};

const UNKNOWN: Record<string, Shape> = {
  'unknown fields': (t) => `mutation { store { ${repeat(t - 6, (n) => `unsubscribeContactForGood${n}`)} } }`,
  'unknown types': (t, { spreads }) =>
    `{ ${repeat(Math.min(spreads, t / 6), (n) => `... on SubscriptionConnectio${n} { a }`)} }`,
  'unknown types of variables': (t) =>
    `query (${repeat((t - 8) / 4, (n) => `$a${n}: SubscriptionConnectio${n}`)}) { __typename }`,
  'unknown arguments': (t) => `{ lists(${repeat((t - 8) / 3, (n) => `firs${n}: 1`)}) { __typename } }`,
  'unknown input fields': (t) =>
    `mutation { createList(input: { ${repeat((t - 12) / 3, (n) => `lnam${n}: 1`)} }) { lid } }`,
  'unknown directives': (t) => `{ __typename ${repeat((t - 3) / 2, (n) => `@skipp${n}`)} }`,
};

const VALUES: Record<string, Shape> = {
  'unused variables': (t) => `query (${repeat((t - 8) / 4, (n) => `$v${n}: Int`)}) { __typename }`,
  'one variable, many lines': (t, { lines }) =>
    `query (${'\n'.repeat(lines - 2)} ${repeat((t - 8) / 4, () => '$v: Int')}) { __typename }`,
  'one argument, many lines': (t, { lines }) =>
    `{ ${'\n'.repeat(lines - 2)} lists(${repeat((t - 8) / 3, () => 'first: 1')}) { __typename } }`,
  'undefined variables': (t) =>
    `{ list(lid: "1") { ${repeat((t - 12) / 10, (n) => `a${n}: items(first: $v${n}) { __typename }`)} } }`,
  'a long list': (t) => `{ isInLists(epis: [${repeat(t - 11, String)}]) { epi } }`,
  'a list of objects': (t) => `{ lists(first: [${repeat((t - 12) / 6, () => '{ a: 1 }')}]) { __typename } }`,
  'a deep list': (_t, { nesting }) =>
    `{ lists(first: ${'['.repeat(nesting - 2)}${']'.repeat(nesting - 2)}) { __typename } }`,
  'block strings': (t, { characters }) =>
    `{ list(lid: "1") { ${repeat(t / 12, (n) => `a${n}: items(first: """${' x'.repeat(characters / (t / 6) - 20)}""") { __typename }`)} } }`,
  comments: (_t, { lines }) => `{ __typename } ${'#\n'.repeat(lines - 1)}`,
};

const FRAGMENTS: Record<string, Shape> = {
  'one fragment many times': (t, { spreads }) =>
    `{ ${repeat(spreads, () => '...F0')} } ${fragments(1, 'Query', () => repeat(Math.min(20, t), valid))}`,
  'a chain': (_t, { definitions: f }) =>
    `{ ...F0 } ${fragments(f - 1, 'Query', (n) => (n + 2 < f ? `...F${n + 1}` : '__typename'))}`,
  'each with all that follow': (t, { definitions, spreads }) => {
    const f = Math.min(definitions - 1, Math.floor(Math.sqrt(2 * spreads)) - 1);
    const later = (n: number) => repeat(f - n - 1, (k) => `...F${n + k + 1}`);
    return `{ ...F0 } ${fragments(f, 'Query', (n) => `${later(n)} ${repeat(t / f / 3 - 9, valid)}`)}`;
  },
  'many of one field': (t, { definitions: f }) =>
    `{ ${repeat(f - 1, (n) => `...F${n}`)} } ${fragments(f - 1, 'Query', () => repeat(t / f - 9, () => '__typename'))}`,
  'objects that spread all': (t, { definitions, spreads }) => {
    const f = Math.min(definitions - 1, 12);
    const n = Math.floor(spreads / f);
    const all = repeat(f, (k) => `...F${k}`);
    return `{ ${repeat(n, () => `store { ${all} }`)} } ${fragments(f, 'Store', (k) => repeat((t - 2 * spreads - 9 * f) / f / 3, (i) => `a${k}_${i}: pid`))}`;
  },
  'objects that spread two of a chain': (_t, { definitions, spreads }) => {
    const f = definitions - 1;
    const next = (k: number) => (k + 1 < f ? `...F${k + 1}` : '');
    return `{ ${repeat((spreads - f) / 2, (n) => `store { ...F${n % f} ...F${(n + 1) % f} }`)} } ${fragments(f, 'Store', (k) => `a${k}: pid ${next(k)}`)}`;
  },
  'variables below a chain': (t, { definitions: f }) => {
    const v = (t - f * 8) / 14;
    const uses = repeat(v, (n) => `a${n}: items(first: $v${n}) { __typename }`);
    return `query (${repeat(v, (n) => `$v${n}: Int`)}) { ...F0 } ${fragments(f - 1, 'Query', (n) => (n + 2 < f ? `...F${n + 1}` : `list(lid: "1") { ${uses} }`))}`;
  },
  'operations that share variables': (t, { definitions: f }) =>
    `${repeat(f - 1, (n) => `query Q${n} { ...F0 }`)} ${fragments(1, 'Query', () => `list(lid: "1") { ${repeat((t - f * 6) / 10, (n) => `a${n}: items(first: $v${n}) { __typename }`)} }`)}`,
};

const INTROSPECTION: Record<string, Shape> = {
  'the introspection of graphql-js': () => getIntrospectionQuery(),
  'introspection of all fields': (_t, { introspected }) =>
    `{ __schema { types { fields { ${repeat(introspected / 1_200, (n) => `a${n}: name`)} } } } }`,
  'introspection, many lists': (t) =>
    `{ __schema { types { ${repeat((t - 12) / 10, (n) => `a${n}: interfaces { fields { name } }`)} } } }`,
  'introspection by many operations': (_t, { definitions: f }) =>
    `${repeat(f - 1, (n) => `query Q${n} { ...F0 }`)} ${fragments(1, 'Query', () => '__schema { types { fields { name } } }')}`,
};

const SHAPES = { ...FIELDS, ...UNKNOWN, ...VALUES, ...FRAGMENTS, ...INTROSPECTION };

type Outcome = { ms: number; end: string };

function check(text: string, limits: DocumentLimits): Outcome {
  const start = process.cpuUsage();
  let end: string;
  try {
    checkText(text, limits);
    const document = parse(text);
    checkDocument(schema, document, limits);
    end = `${validate(schema, document, specifiedRules, { maxErrors: MAX_ERRORS }).length} errors`;
  } catch (error) {
    end = (error as Error).message;
  }
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1_000, end };
}

for (const [who, limits] of Object.entries(DOCUMENT_LIMITS)) {
  const rows: (Outcome & { name: string })[] = [];
  for (const [name, shape] of Object.entries(SHAPES))
    // The largest that is let in, and all that are not, because these are looked at, too.
    for (const part of [1, 0.97, 0.9, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.12]) {
      const text = shape(limits.tokens * part, limits);
      const outcomes = Array.from({ length: RUNS }, () => check(text, limits));
      const best = outcomes.reduce((left, right) => (left.ms < right.ms ? left : right));
      rows.push({ name, ...best });
      if (best.end.endsWith('errors')) break;
    }
  rows.sort((left, right) => right.ms - left.ms);
  console.log(`${who}, ms:`);
  for (const { name, ms, end } of rows.slice(0, SHOWN))
    console.log(ms.toFixed(1).padStart(6), name, `(${end})`);
}
