import { defaultFieldResolver } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { AppError } from './errors.ts';
import type { ErrorType } from './errors.ts';

/** What is left of a mutation's answer: what it takes to read it anew, or how it failed. */
type Receipt = { made?: unknown; failure?: { type: ErrorType; message: string } };

/** The receipts of one request by the names of its fields; those of `known` were done before and are only read. */
export type Receipts = {
  known: Record<string, Receipt>;
  made: Record<string, Receipt>;
  /** What was made whose key or secret the response shows, this once. */
  shownOnce: string[];
};

/** By the name of the mutation: names what its result made with a key or secret in it; null where the result holds none. */
export type ShownOnce = Record<string, (result: never) => string | null>;

/**
 * How the answer of one mutation is read anew, from its arguments and from what only its result told, without doing it again. A mutation
 * that has none is done again: it says the same a second time.
 */
export type Reread = {
  receiptOf?: (result: never) => unknown;
  reread: (ctx: Context, args: never, made: never) => Promise<unknown>;
};

/** By the name of the mutation. */
export type Rereads = Record<string, Reread>;

/** Makes mutations leave receipts where the request asks for them, and read where it brings them. */
export function keepReceipts(schema: GraphQLSchema, rereads: Rereads, shownOnce: ShownOnce): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()!.getFields())) {
    const resolve = field.resolve ?? defaultFieldResolver;
    const { receiptOf, reread } = rereads[field.name] ?? {};
    const nameSecret = shownOnce[field.name];
    field.resolve = (source, args, ctx: Context, info): unknown => {
      const { receipts } = ctx;
      if (receipts === undefined) return resolve(source, args, ctx, info);
      const name = String(info.path.key);
      const known = receipts.known[name];
      if (known?.failure) throw new AppError(known.failure.type, known.failure.message);
      if (known && reread) return reread(ctx, args as never, known.made as never);
      return Promise.resolve(resolve(source, args, ctx, info)).then(
        (result: unknown) => {
          receipts.made[name] = { made: receiptOf?.(result as never) };
          const secret = nameSecret?.(result as never) ?? null;
          if (secret !== null) receipts.shownOnce.push(secret);
          return result;
        },
        (error: unknown) => {
          if (error instanceof AppError)
            receipts.made[name] = { failure: { type: error.type, message: error.message } };
          throw error;
        },
      );
    };
  }
  return schema;
}
