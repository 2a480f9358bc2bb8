import { execute } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';
import { toAppError, toGraphQLError } from './failures.ts';

/** Compiling costs about a millisecond, so a document that came once is only interpreted. */
const HITS_BEFORE_COMPILING = 3;
const MAX_COMPILED = 500;

/** An operation of the GraphQL door; `key` identifies its text. */
export type Request = {
  key: string;
  document: DocumentNode;
  operationName?: string;
  variables: Record<string, unknown>;
};

/** The one executor behind both doors. */
export type Operations = {
  /** Runs one of our own documents; throws the failure that the caller sees. */
  run(document: DocumentNode, variables: Record<string, unknown>, ctx: Context): Promise<unknown>;
  /** Runs a validated document of a GraphQL client. */
  execute(request: Request, ctx: Context): Promise<ExecutionResult>;
};

type Seen = { hits: number; compiled: CompiledQuery | null };

export function createOperations(schema: GraphQLSchema): Operations {
  const own = new WeakMap<DocumentNode, CompiledQuery>();
  const seen = new LRUCache<string, Seen>({ max: MAX_COMPILED });

  const compileOwn = (document: DocumentNode): CompiledQuery => {
    const compiled = compileQuery(schema, document);
    if (isCompiledQuery(compiled)) return compiled;
    throw new Error(`a document does not compile: ${compiled.errors?.[0]?.message}`);
  };

  /** Null where the compiler gives up, for example on an unknown operation name: then the interpreter finds the words. */
  const compile = (document: DocumentNode, operationName?: string): CompiledQuery | null => {
    try {
      const compiled = compileQuery(schema, document, operationName);
      return isCompiledQuery(compiled) ? compiled : null;
    } catch {
      return null;
    }
  };

  return {
    async run(document, variables, ctx) {
      const compiled = own.get(document) ?? compileOwn(document);
      own.set(document, compiled);
      const { data, errors } = await compiled.query(undefined, ctx, variables);
      if (errors?.[0]) throw toAppError(errors[0], ctx);
      return data;
    },

    async execute({ key, document, operationName, variables }, ctx) {
      const entry = seen.get(key) ?? { hits: 0, compiled: null };
      entry.hits += 1;
      if (entry.hits === HITS_BEFORE_COMPILING) entry.compiled = compile(document, operationName);
      seen.set(key, entry);
      const result = entry.compiled
        ? await entry.compiled.query(undefined, ctx, variables)
        : await execute({ schema, document, operationName, variableValues: variables, contextValue: ctx });
      if (!result.errors) return result;
      // The compiled executor answers `data: null` to bad variables; nothing was executed, so there is no data.
      const isRequestError = result.data === null && result.errors.every(({ path }) => path === undefined);
      const errors = result.errors.map((error) => toGraphQLError(error, ctx));
      return isRequestError ? { errors } : { ...result, errors };
    },
  };
}
