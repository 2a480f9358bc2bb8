import { readFile } from 'node:fs/promises';
import type { ApolloServerPlugin, PersistedQueryOptions } from '@apollo/server';
import { visit } from 'graphql';
import type { ASTNode, DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { createTurns } from '../../platform/turns.ts';
import { CLIENT_DOCUMENTS } from '../../sdk/documents.ts';
import { refuse } from './errors.ts';
import { DOCUMENT_LIMITS, checkDocument, checkText } from './limits.ts';
import type { DocumentLimits } from './limits.ts';

export type Documents = {
  cache: NonNullable<PersistedQueryOptions['cache']>;
  /** Whether the operator trusts a text; throws where this caller may only run trusted ones. */
  trusts: (text: string, ctx: Context) => boolean;
};

/** Automatic persisted queries: a valid document is remembered by the SHA-256 that was sent along with it. */
function rememberDocuments(): Documents {
  // Anybody can register documents, so their memory is bounded; a client whose document was evicted sends it again.
  const texts = new LRUCache<string, string>({
    maxSize: 4_000_000,
    maxEntrySize: 100_000,
    sizeCalculation: (text) => text.length + 200,
  });
  return {
    cache: {
      get: async (hash) => texts.get(hash),
      set: async (hash, text) => void texts.set(hash, text),
      delete: async (hash) => texts.delete(hash),
    },
    trusts: () => false,
  };
}

/** The two formats that tools write: a map from id to document, and the manifest of Apollo's clients. */
const manifest = z.union([
  z
    .object({ operations: z.array(z.object({ id: z.string(), body: z.string() })) })
    .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const)),
  z.record(z.string(), z.string()).transform((texts) => Object.entries(texts)),
]);

async function readManifest(path: string): Promise<Map<string, string>> {
  try {
    return new Map(manifest.parse(JSON.parse(await readFile(path, 'utf8'))));
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? 'it must be a JSON object that maps ids to documents'
        : (error as Error).message;
    throw new Error(`TRUSTED_DOCUMENTS is invalid: ${reason} (see .env.example)`, { cause: error });
  }
}

const READ_ONLY = { set: async () => undefined, delete: async () => false };

/** Without a store key, callers run only the documents of the file; those of the browser library are always trusted. */
async function trustDocuments(path: string): Promise<Documents> {
  const byId = await readManifest(path);
  const trusted = new Set([...byId.values(), ...CLIENT_DOCUMENTS]);
  return {
    // Apollo looks up `apq:` and the id.
    cache: { ...READ_ONLY, get: async (key) => byId.get(key.replace(/^apq:/, '')) },
    trusts: (text, { viewer }) => {
      const isTrusted = trusted.has(text);
      if (!isTrusted && viewer.keyId === null && viewer.operatorId === null)
        refuse('forbidden', 'Without a store API key, this service only executes trusted documents');
      return isTrusted;
    },
  };
}

export function createDocuments(trustedPath: string | null): Documents | Promise<Documents> {
  return trustedPath === null ? rememberDocuments() : trustDocuments(trustedPath);
}

/** Memory of one node without its tokens; the nodes of ordinary documents take a little more than those of long lists (183 to 218). */
const NODE_BYTES = 220;
const sizes = new WeakMap<DocumentNode, number>();

/** Drops the lexer's tokens, a third of a document's memory, which nothing reads after validation. Returns the rest in bytes. */
export function shrinkDocument(document: DocumentNode): number {
  const known = sizes.get(document);
  if (known !== undefined) return known;
  // Nodes refer to their text, which may be one long comment.
  let bytes = (document.loc?.source.body.length ?? 0) * 2;
  const enter = ({ loc }: ASTNode): void => {
    bytes += NODE_BYTES;
    if (loc) Object.assign(loc, { startToken: undefined, endToken: undefined });
  };
  visit(document, { enter });
  sizes.set(document, bytes);
  return bytes;
}

/**
 * Rejects a document beyond the limits, or one that the caller may not run, before it is parsed and validated; known hashes skip
 * both. Apollo parses in the turn it was given and does not yield until validation ends.
 */
export function createChecks(schema: GraphQLSchema, { trusts }: Documents) {
  const cacheOf = (maxSize: number): LRUCache<string, DocumentNode> =>
    new LRUCache({ maxSize, sizeCalculation: shrinkDocument });
  // An ordinary document takes 18 kB. Anonymous callers could evict the documents of all others.
  const checked = { authenticated: cacheOf(24_000_000), anonymous: cacheOf(6_000_000) };
  const find = (hash: string): DocumentNode | undefined =>
    checked.authenticated.get(hash) ?? checked.anonymous.get(hash);
  const nextTurn = createTurns();
  const groupOf = ({ isTrusted, viewer: { keyId, operatorId, shopper } }: Context): keyof typeof checked =>
    isTrusted || (keyId ?? operatorId ?? shopper) !== null ? 'authenticated' : 'anonymous';
  const limitsFor = (ctx: Context): DocumentLimits => DOCUMENT_LIMITS[groupOf(ctx)];

  const plugin: ApolloServerPlugin<Context> = {
    requestDidStart: async ({ contextValue: ctx }) => ({
      didResolveSource: async ({ source, queryHash }) => {
        ctx.isTrusted = trusts(source, ctx);
        if (find(queryHash)) return;
        await nextTurn();
        checkText(source, limitsFor(ctx));
      },
      validationDidStart: async ({ document }) => checkDocument(schema, document, limitsFor(ctx)),
      didResolveOperation: async ({ queryHash, document }) => {
        if (!find(queryHash)) checked[groupOf(ctx)].set(queryHash, document);
      },
    }),
  };
  // Apollo prefixes the hash of the text with that of the schema; a process has one schema.
  const store = { ...READ_ONLY, get: async (key: string) => find(key.slice(key.lastIndexOf(':') + 1)) };
  return { store, plugin };
}
