import { readFile } from 'node:fs/promises';
import type { ApolloServerPlugin, PersistedQueryOptions } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { CLIENT_DOCUMENTS } from '../client/documents.ts';
import type { Context } from '../context.ts';
import { AppError } from '../shared/errors.ts';
import { extensionsOf } from './failures.ts';

/** What callers may name by an id instead of sending it, and which texts may run at all. */
export type Documents = {
  cache: NonNullable<PersistedQueryOptions['cache']>;
  plugin: ApolloServerPlugin<Context>;
};

/** Anybody can send documents to be remembered, so that there is room for some; who finds one forgotten sends it again. */
const ROOM = { maxSize: 4_000_000, maxEntrySize: 100_000 };

/** Documents are remembered by the SHA-256 of their text, once one of them was sent along with it and is valid. */
function rememberDocuments(): Documents {
  const texts = new LRUCache<string, string>({ ...ROOM, sizeCalculation: (text) => text.length + 200 });
  return {
    cache: {
      get: async (hash) => texts.get(hash),
      set: async (hash, text) => void texts.set(hash, text),
      delete: async (hash) => texts.delete(hash),
    },
    plugin: {},
  };
}

/** The two forms that tools write: ids with their documents, and the manifest of Apollo's clients. */
const manifest = z.union([
  z
    .object({ operations: z.array(z.object({ id: z.string(), body: z.string() })) })
    .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const)),
  z.record(z.string(), z.string()).transform((texts) => Object.entries(texts)),
]);

/** The file's documents by their ids. */
async function readManifest(path: string): Promise<Map<string, string>> {
  try {
    return new Map(manifest.parse(JSON.parse(await readFile(path, 'utf8'))));
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? 'it must be a JSON object of ids and documents'
        : (error as Error).message;
    throw new Error(`TRUSTED_DOCUMENTS is wrong: ${reason} (see .env.example)`, { cause: error });
  }
}

/** Apollo asks for `apq:` and the id. */
const APOLLO_PREFIX = /^apq:/;

/** Nothing runs but what the file holds, for whoever has no store key; what the browser library sends is always trusted. */
async function trustDocuments(path: string): Promise<Documents> {
  const byId = await readManifest(path);
  const trusted = new Set([...byId.values(), ...CLIENT_DOCUMENTS]);
  const refusal = new AppError('forbidden', 'Only trusted documents run here without a store key');
  const refuse = (): never => {
    throw new GraphQLError(refusal.message, {
      extensions: { ...extensionsOf(refusal), http: { status: refusal.status } },
    });
  };
  return {
    cache: {
      get: async (key) => byId.get(key.replace(APOLLO_PREFIX, '')),
      set: async () => undefined,
      delete: async () => false,
    },
    plugin: {
      requestDidStart: async ({ contextValue: ctx }) => ({
        didResolveOperation: async ({ source }) => {
          ctx.isTrusted = trusted.has(source);
          if (!ctx.isTrusted && ctx.viewer.keyId === null && ctx.viewer.operatorId === null) refuse();
        },
      }),
    },
  };
}

/** Documents by their ids: those of the operator's file alone, or whatever callers have sent before. */
export function createDocuments(trustedPath: string | null): Documents | Promise<Documents> {
  return trustedPath === null ? rememberDocuments() : trustDocuments(trustedPath);
}
