import { execute, parse, validate } from 'graphql';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../../src/context.ts';
import { createOperations } from '../../src/api/graphql/executor.ts';
import { toGraphQLError } from '../../src/api/graphql/errors.ts';
import { inLongRun } from '../tier.ts';
import { generate } from './fixtures/documents.ts';
import type { Generated } from './fixtures/documents.ts';
import { createEchoSchema } from './fixtures/echo.ts';
import type { Seen } from './fixtures/echo.ts';

const PAIRS = 200;
/** All blocks are 10,000 documents and take two minutes. */
const BLOCKS = Array.from({ length: 25 }, (_, block) => block * PAIRS);
const SHORT = 1;
/** By then each document of a pair came three times, which compiles it even if the other's conditions make it another shape. */
const CALLS = 6;

const schema = createEchoSchema();

const createContext = (): Context & { seen: Seen } =>
  ({
    requestId: 'r',
    log: { error: () => undefined },
    viewer: { keyId: 'key', shopper: null },
    budget: { resolve: () => undefined },
    basis: { isOwn: false },
    seen: { compiled: 0, interpreted: 0 },
  }) as never;

/** What graphql-js answers, told as our door tells it. */
async function interpret({ text, variables }: Generated): Promise<ExecutionResult> {
  const ctx = createContext();
  const contextValue = { ...ctx, isInterpreted: true };
  const { data, errors } = await execute({
    schema,
    document: parse(text),
    variableValues: variables,
    contextValue,
  });
  const told = errors?.map((error) => toGraphQLError(error, ctx));
  return errors?.every(({ path }) => path === undefined) ? { errors: told } : { data, errors: told };
}

/** How far down its path the answer still has something: a failure where null is not allowed takes away what is around it. */
function placeOf(data: unknown, path: readonly (string | number)[]): number {
  let place = 0;
  for (let value = data; value != null && place < path.length; place += 1)
    value = (value as Record<string | number, unknown>)[path[place]!];
  return place;
}

/**
 * An answer, to be compared. Of several failures that take away the same place, each executor tells those that it came by first: of
 * one that the other does not tell, only the place counts.
 */
function flatten({ data, errors = [] }: ExecutionResult, others: readonly GraphQLError[] = []): unknown {
  const paths = new Set(others.map(({ path }) => JSON.stringify(path)));
  const told = errors.map((error) => {
    const { path = [] } = error;
    const place = placeOf(data, path);
    const isShared = paths.has(JSON.stringify(error.path));
    // A fault of the variables has the type that the schema names for it (test/api/refusals.test.ts), of which graphql-js knows nothing.
    const { message, locations } = error;
    const shown = error.path === undefined ? { message, locations } : error;
    return place === path.length || isShared ? JSON.stringify(shown) : '';
  });
  const places = errors.map(({ path = [] }) => JSON.stringify(path.slice(0, placeOf(data, path))));
  const sort = (texts: string[]): string[] => [...new Set(texts)].filter(Boolean).sort();
  return { data: JSON.stringify(data), told: sort(told), places: sort(places) };
}

/** Runs pairs of documents that differ in literals and variables until they are compiled; how many of them were. */
async function compare(first: number): Promise<{ compiled: number; failed: number }> {
  const operations = createOperations(schema);
  const total = { compiled: 0, failed: 0 };
  for (let seed = first + 1; seed <= first + PAIRS; seed += 1) {
    const pair = generate(schema, seed, 2);
    const documents = pair.map(({ text }) => parse(text));
    expect(documents.flatMap((document) => validate(schema, document))).toEqual([]);
    const expected = await Promise.all(pair.map(interpret));
    for (let call = 0; call < CALLS; call += 1) {
      const at = call % 2;
      const [document, known] = [documents[at]!, expected[at]!];
      const ctx = createContext();
      const { text, variables } = pair[at]!;
      const actual = await operations.execute({ key: '', document, variables }, ctx);
      expect({ seed, text, variables, ...(flatten(actual, known.errors) as object) }).toEqual({
        seed,
        text,
        variables,
        ...(flatten(known, actual.errors) as object),
      });
      if (call < CALLS - 2) continue;
      if (ctx.seen.compiled > 0) total.compiled += 1;
      if (actual.errors) total.failed += 1;
    }
  }
  return total;
}

const title =
  'documents with literals, variables, conditions and fragments are answered as by graphql-js, from %i on';

async function holds(first: number): Promise<void> {
  const { compiled, failed } = await compare(first);
  // The others have names that are never compiled, or variables that graphql-js objects to.
  expect(compiled).toBeGreaterThan(PAIRS * 2 * 0.7);
  expect(failed).toBeGreaterThan(PAIRS * 2 * 0.1);
}

test.each(BLOCKS.slice(0, SHORT))(title, holds);
for (const first of BLOCKS.slice(SHORT)) inLongRun(title.replace('%i', String(first)), () => holds(first));
