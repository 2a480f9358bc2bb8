import { createSourceEventStream, execute, getOperationAST } from 'graphql';
import type {
  DocumentNode,
  ExecutionResult,
  GraphQLError,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Asked, Context } from '../../context.ts';
import { toAppError, toGraphQLError } from './errors.ts';
import { liftDocument, relocate } from './lifting.ts';
import { sizeOf } from './limits.ts';
import { asksForOwnRecords } from './cacheable.ts';
import { bind, shapeOf } from './shape.ts';
import type { Bound, Shape } from './shape.ts';
import { coerceVariables } from './variables.ts';

/** Compiling costs about a millisecond, so a shape that came once is only interpreted. */
const HITS_BEFORE_COMPILING = 3;
const MAX_COUNTED = 2_000;
/** A key tells which conditions hold, and a document can have 500 of them. */
const MAX_KEY_LENGTH = 200;
/** A list of a compiled document is resolved in one go: more fields of 1,000 items would stop everybody for too long. */
const MAX_FIELDS_OF_ONE = 150;
/** A compiled field takes about 3.5 kB, so that all of them together keep within 70 MB. */
const MAX_COMPILED_FIELDS = 20_000;

/** A caller learns nothing from more of them, and each can be as long as what was sent. */
const MAX_ERRORS = 20;

/** An operation of the GraphQL door, and what its fields are read from; queries and mutations start from nothing. */
export type Request = Asked & { root?: unknown };

/** The one executor behind both doors. */
export type Operations = {
  /** Runs one of our own documents; throws the failure that the caller sees. */
  run(document: DocumentNode, variables: Record<string, unknown>, ctx: Context): Promise<unknown>;
  /** Runs a validated document of a GraphQL client. */
  execute(request: Request, ctx: Context): Promise<ExecutionResult>;
  /** Opens what a validated subscription tells; each of it is a `root` to execute the same document from. */
  subscribe: (request: Request, ctx: Context) => Promise<AsyncIterable<unknown> | ExecutionResult>;
};

/** What became of compiling a shape; without a query it stays interpreted. */
type Compiled = { query: CompiledQuery['query'] | null; fields: number };

type Variables = Record<string, unknown>;

export function createOperations(schema: GraphQLSchema): Operations {
  const own = new WeakMap<DocumentNode, CompiledQuery>();
  const hits = new LRUCache<string, number>({ max: MAX_COUNTED });
  const compiledByKey = new LRUCache<string, Compiled>({
    maxSize: MAX_COMPILED_FIELDS,
    sizeCalculation: ({ fields }) => fields,
  });

  const asked = new WeakMap<DocumentNode, boolean>();

  const asksForOwn = (document: DocumentNode): boolean => {
    const isOwn = asked.get(document) ?? asksForOwnRecords(schema, document);
    asked.set(document, isOwn);
    return isOwn;
  };

  const compileOwn = (document: DocumentNode): CompiledQuery => {
    const compiled = compileQuery(schema, document);
    if (isCompiledQuery(compiled)) return compiled;
    throw new Error(`a document does not compile: ${compiled.errors?.[0]?.message}`);
  };

  /** Null where the compiler gives up: then the interpreter finds the words. */
  const tryToCompile = (document: DocumentNode): Compiled['query'] => {
    try {
      const compiled = compileQuery(schema, document);
      return isCompiledQuery(compiled) ? compiled.query : null;
    } catch {
      return null;
    }
  };

  const compile = (shape: Shape, bound: Bound): Compiled => {
    const document = liftDocument(shape, bound);
    const { fields } = sizeOf(document);
    const query = fields <= MAX_FIELDS_OF_ONE ? tryToCompile(document) : null;
    return { query, fields: query ? Math.max(fields, 1) : 1 };
  };

  const findCompiled = (shape: Shape, bound: Bound): Compiled['query'] => {
    const { key } = bound;
    if (key.length > MAX_KEY_LENGTH) return null;
    const count = (hits.get(key) ?? 0) + 1;
    hits.set(key, count);
    if (count < HITS_BEFORE_COMPILING) return null;
    const compiled = compiledByKey.get(key) ?? compile(shape, bound);
    compiledByKey.set(key, compiled);
    return compiled.query;
  };

  /** Documents of callers without a key or a session are never compiled: anyone can make up any number of them. */
  const runCompiled = async (
    { document, root }: Request,
    operation: OperationDefinitionNode,
    variables: Variables,
    ctx: Context,
  ): Promise<ExecutionResult | null> => {
    const isKnown = ctx.viewer.keyId !== null || ctx.viewer.shopper !== null;
    const shape = isKnown ? shapeOf(schema, document, operation) : null;
    const bound = shape && bind(shape, variables);
    const query = bound && findCompiled(shape, bound);
    if (!query) return null;
    const { data, errors } = await query(root, ctx, bound.values);
    return errors ? { data, errors: relocate(errors.slice(0, MAX_ERRORS), shape) } : { data };
  };

  /** graphql-jit reports every fault of the variables, however many; graphql-js stops. */
  const coerce = (
    { document, variables }: Request,
    operation: OperationDefinitionNode | null | undefined,
    ctx: Context,
  ): { coerced?: Variables; faults?: GraphQLError[] } => {
    if (!operation) return {};
    const { coerced, errors } = coerceVariables(schema, document, operation, variables, MAX_ERRORS);
    return errors ? { faults: errors.map((error) => toGraphQLError(error, ctx)) } : { coerced };
  };

  return {
    async run(document, variables, ctx) {
      const compiled = own.get(document) ?? compileOwn(document);
      own.set(document, compiled);
      ctx.basis.isOwn = asksForOwn(document);
      const { data, errors } = await compiled.query(undefined, ctx, variables);
      if (errors?.[0]) throw toAppError(errors[0], ctx);
      return data;
    },

    async execute(request, ctx) {
      const { document, operationName, variables } = request;
      ctx.basis.isOwn = asksForOwn(document);
      const operation = getOperationAST(document, operationName);
      const { coerced, faults } = coerce(request, operation, ctx);
      if (faults) return { errors: faults };
      const result =
        (operation && coerced && (await runCompiled(request, operation, coerced, ctx))) ??
        (await execute({
          schema,
          document,
          operationName,
          rootValue: request.root,
          variableValues: variables,
          contextValue: { ...ctx, isInterpreted: true },
        }));
      if (!result.errors) return result;
      // Nothing was executed, so there is no data.
      const isRequestError = result.data == null && result.errors.every(({ path }) => path === undefined);
      const errors = result.errors.slice(0, MAX_ERRORS).map((error) => toGraphQLError(error, ctx));
      return isRequestError ? { errors } : { ...result, errors };
    },

    async subscribe(request, ctx) {
      const { document, operationName, variables } = request;
      const { faults } = coerce(request, getOperationAST(document, operationName), ctx);
      if (faults) return { errors: faults };
      const given = { schema, document, operationName, variableValues: variables, contextValue: ctx };
      const source = await createSourceEventStream(given);
      if (!('errors' in source)) return source as AsyncIterable<unknown>;
      return { errors: source.errors!.map((error) => toGraphQLError(error, ctx)) };
    },
  };
}
