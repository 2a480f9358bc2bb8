import { Kind, Lexer, Source, TokenKind, getOperationAST } from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLSchema,
  SelectionSetNode,
} from 'graphql';
import { refuse } from './errors.ts';
import { countIntrospected } from './introspection.ts';
import type { Fragments } from './introspection.ts';

/**
 * What is counted, its limit without credentials and its limit with them. The first six are checked before parsing, the others
 * before validation, which compares fields of one name in pairs.
 */
const BOUNDS = {
  characters: ['characters', 10_000, 50_000],
  lines: ['lines', 600, 2_000],
  tokens: ['tokens', 600, 2_000],
  nesting: ['levels of nested brackets', 30, 40],
  definitions: ['operations and fragments', 15, 50],
  spreads: ['fragment spreads', 40, 150],
  pairs: ['pairs of fields with the same response name', 1_000, 4_000],
  // The introspection query of graphql-js has 2,100 characters, 184 tokens and 15,000 values.
  introspected: ['introspection values', 20_000, 20_000],
} as const;

/** Bounds on the time to parse and validate a document, which anybody can send. */
export type DocumentLimits = Record<keyof typeof BOUNDS, number>;

const limitsIn = (column: 1 | 2): DocumentLimits =>
  Object.fromEntries(Object.entries(BOUNDS).map(([bound, row]) => [bound, row[column]])) as DocumentLimits;

/** The worst document takes 7 ms without credentials and 14 ms with, on two busy cores (`npx tsx bench/documents.ts`). */
export const DOCUMENT_LIMITS = { anonymous: limitsIn(1), authenticated: limitsIn(2) };

/** Root fields are limited because rate limits count requests. Each cycle of items and lists can multiply the response by 100. */
const SELECTION_LIMITS = { depth: 15, fields: 1_000, roots: 20, lists: 2 };

const invalid = (message: string): never => refuse('invalid-request', message);

function checkBound(bound: keyof DocumentLimits, count: number, limits: DocumentLimits): void {
  if (count <= limits[bound]) return;
  const whose = limits === DOCUMENT_LIMITS.anonymous ? ' without a store API key or a session' : '';
  invalid(`The document has more than ${limits[bound]} ${BOUNDS[bound][0]}, which is the limit${whose}`);
}

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Stops one token beyond the limit. */
function countTokens(text: string, maxTokens: number) {
  const lexer = new Lexer(new Source(text));
  const count = { lines: 0, tokens: 0, nesting: 0, definitions: 0, spreads: 0 };
  let open = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF && count.tokens <= maxTokens) {
      const { kind } = lexer.token;
      count.tokens += 1;
      if (kind === TokenKind.SPREAD) count.spreads += 1;
      if (kind === TokenKind.BRACE_L && open === 0) count.definitions += 1;
      if (OPENING.has(kind)) open += 1;
      else if (CLOSING.has(kind)) open -= 1;
      count.nesting = Math.max(count.nesting, open);
    }
  } catch {
    // The parser fails at the same position and reports the error.
  }
  count.lines = lexer.line;
  return count;
}

export function checkText(text: string, limits: DocumentLimits): void {
  checkBound('characters', text.length, limits);
  const counts = countTokens(text, limits.tokens);
  for (const bound of Object.keys(counts) as (keyof typeof counts)[])
    checkBound(bound, counts[bound], limits);
}

/** With fragments expanded; `roots` are top-level fields, `lists` the deepest nesting of lists. */
const NOTHING = { depth: 0, fields: 0, roots: 0, lists: 0 };
type Size = typeof NOTHING;
type Known = Map<FragmentDefinitionNode, Size>;

export function measure(set: SelectionSetNode | undefined, fragments: Fragments, known: Known): Size {
  const total = { ...NOTHING };
  for (const node of set?.selections ?? []) {
    const isField = node.kind === Kind.FIELD;
    const inner =
      node.kind === Kind.FRAGMENT_SPREAD
        ? measureFragment(fragments.get(node.name.value), fragments, known)
        : measure(node.selectionSet, fragments, known);
    const isList = isField && node.name.value === 'list';
    total.depth = Math.max(total.depth, inner.depth + (isField ? 1 : 0));
    total.lists = Math.max(total.lists, inner.lists + (isList ? 1 : 0));
    total.fields += inner.fields + (isField ? 1 : 0);
    total.roots += isField ? 1 : inner.roots;
  }
  return total;
}

function measureFragment(
  fragment: FragmentDefinitionNode | undefined,
  fragments: Fragments,
  known: Known,
): Size {
  if (!fragment) return NOTHING;
  const size = known.get(fragment);
  // The fragment contains itself. graphql-js would report the same, but only after it has followed every cycle.
  if (size === NOTHING) invalid(`Cannot spread fragment "${fragment.name.value}" within itself.`);
  if (size) return size;
  known.set(fragment, NOTHING);
  const measured = measure(fragment.selectionSet, fragments, known);
  known.set(fragment, measured);
  return measured;
}

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );

/** Visits the fields of a selection and of its fragments, each of which is entered once. */
export function eachField(
  { selections }: SelectionSetNode,
  fragments: Fragments,
  entered: Set<string>,
  visit: (node: FieldNode) => void,
): void {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) visit(node);
    else if (node.kind === Kind.INLINE_FRAGMENT) eachField(node.selectionSet, fragments, entered, visit);
    else if (!entered.has(node.name.value)) {
      const fragment = fragments.get(node.name.value);
      entered.add(node.name.value);
      if (fragment) eachField(fragment.selectionSet, fragments, entered, visit);
    }
  }
}

export function sizeOf(document: DocumentNode, operationName?: string): Size {
  const operation = getOperationAST(document, operationName);
  return measure(operation?.selectionSet, fragmentsOf(document), new Map());
}

type Comparison = { pairs: number; limit: number; fragments: Fragments };

/** Counts the pairs of fields that validation compares: those with one name at one position of the response, across fragments. */
function countPairs(sets: readonly SelectionSetNode[], comparison: Comparison): void {
  const fields = new Map<string, { count: number; sets: SelectionSetNode[] }>();
  const entered = new Set<string>();
  for (const set of sets)
    eachField(set, comparison.fragments, entered, ({ alias, name, selectionSet }) => {
      const same = fields.get((alias ?? name).value) ?? { count: 0, sets: [] };
      fields.set((alias ?? name).value, same);
      comparison.pairs += same.count;
      same.count += 1;
      if (selectionSet) same.sets.push(selectionSet);
    });
  for (const same of fields.values())
    if (same.sets.length > 0 && comparison.pairs <= comparison.limit) countPairs(same.sets, comparison);
}

function checkSize({ depth, fields, lists }: Size): void {
  if (depth > SELECTION_LIMITS.depth)
    invalid(`The query is ${depth} levels deep; the limit is ${SELECTION_LIMITS.depth}`);
  if (lists > SELECTION_LIMITS.lists)
    invalid(
      `The query goes through \`list\` ${lists} times on one path; the limit is ${SELECTION_LIMITS.lists}`,
    );
  if (fields > SELECTION_LIMITS.fields)
    invalid(`The query selects ${fields} fields; the limit is ${SELECTION_LIMITS.fields}`);
}

/** The document need not be valid. */
export function checkDocument(schema: GraphQLSchema, document: DocumentNode, limits: DocumentLimits): void {
  const fragments = fragmentsOf(document);
  const known: Known = new Map();
  const comparison = { pairs: 0, limit: limits.pairs, fragments };
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) checkSize(measureFragment(node, fragments, known));
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = measure(node.selectionSet, fragments, known);
    checkSize(size);
    if (size.roots > SELECTION_LIMITS.roots)
      invalid(`An operation must not have more than ${SELECTION_LIMITS.roots} fields at its top`);
  }
  for (const { selectionSet } of [...operations, ...fragments.values()])
    countPairs([selectionSet], comparison);
  checkBound('pairs', comparison.pairs, limits);
  let introspected = 0;
  for (const node of operations) {
    introspected += countIntrospected(node, schema, fragments, limits.introspected - introspected);
    checkBound('introspected', introspected, limits);
  }
}
