import { BREAK, Kind, visit } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context, GraphqlOperation } from '../context.ts';
import { sizeOf } from './graphql/limits.ts';
import type { Plan } from './plan.ts';

export type RunQuery = CompiledQuery['query'];

const own = new WeakMap<DocumentNode, RunQuery>();

export function compileOwn(schema: GraphQLSchema, document: DocumentNode): RunQuery {
  const known = own.get(document);
  if (known) return known;
  const made = compileQuery(schema, document);
  if (!isCompiledQuery(made)) throw new Error(`a document does not compile: ${made.errors?.[0]?.message}`);
  own.set(document, made.query);
  return made.query;
}

/** Texts and enums are left out, because graphql-jit writes what a scalar makes of them into its code. */
const PLAIN_ARGUMENTS: ReadonlySet<Kind> = new Set([Kind.VARIABLE, Kind.INT, Kind.BOOLEAN, Kind.NULL]);

/** Whether graphql-jit runs a document as graphql-js does, which it does not for conditions, defaults and variables in literals. */
export function isCompilable(document: DocumentNode): boolean {
  let isFaithful = true;
  const giveUp = (): typeof BREAK => {
    isFaithful = false;
    return BREAK;
  };
  visit(document, {
    Directive: giveUp,
    Field: ({ alias }) => (alias?.value === '__proto__' ? giveUp() : undefined),
    VariableDefinition: ({ defaultValue }) => (defaultValue ? giveUp() : undefined),
    Argument: ({ value }) => (PLAIN_ARGUMENTS.has(value.kind) ? undefined : giveUp()),
  });
  return isFaithful;
}

/** Compiling takes about a millisecond, so a document is interpreted until it has come this often. */
const CALLS_BEFORE_COMPILING = 3;
/** graphql-jit resolves a list in one turn of the event loop, so a larger document would delay other requests. */
const MAX_FIELDS = 150;
/** A compiled field takes about 3.5 kB: at most 70 MB. */
const MAX_FIELDS_OF_ALL = 20_000;

const calls = new WeakMap<Plan, number>();
/** Null where the document is not compilable. */
type Compiled = { query: RunQuery | null; fields: number };
const compiled = new LRUCache<Plan, Compiled>({
  maxSize: MAX_FIELDS_OF_ALL,
  sizeCalculation: ({ query, fields }) => (query ? fields : 1),
});

function compileOnce(schema: GraphQLSchema, { document, operationName }: GraphqlOperation): Compiled {
  const { fields } = sizeOf(document, operationName);
  const isFit = fields <= MAX_FIELDS && isCompilable(document);
  const made = isFit ? compileQuery(schema, document, operationName) : null;
  return { query: made && isCompiledQuery(made) ? made.query : null, fields };
}

/** Null where the document is interpreted. Anybody can send any number of documents, so only those of known callers are compiled. */
export function compileClient(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  plan: Plan,
  { viewer }: Context,
): RunQuery | null {
  if (viewer.keyId === null && viewer.shopper === null) return null;
  const count = (calls.get(plan) ?? 0) + 1;
  if (count < CALLS_BEFORE_COMPILING) {
    calls.set(plan, count);
    return null;
  }
  const known = compiled.get(plan);
  if (known) return known.query;
  const made = compileOnce(schema, operation);
  compiled.set(plan, made);
  return made.query;
}
