import type { DocumentNode } from 'graphql';
import type { RenderBudget, Templates } from './alerts/compose/template.pool.ts';
import type { Config } from './config.ts';
import type { Caller } from './generated/resolvers.ts';
import type { Budget } from './platform/budget.ts';
import type { Database } from './platform/database/database.ts';
import { fail } from './platform/errors.ts';
import type { ErrorType } from './platform/errors.ts';
import type { Connection } from './platform/in-flight.ts';
import type { Limiter } from './platform/limiter.ts';
import type { Logger } from './platform/log.ts';
import type { IdentityState } from './shoppers/identity.repo.ts';
import type { ShopperRow } from './shoppers/shopper.repo.ts';
import type { StoreRow } from './stores/store.repo.ts';

/** What lives as long as the process and is passed to every request; created once, then frozen. */
export type Services = Readonly<{
  config: Config;
  db: Database;
  log: Logger;
  /** The clock; tests set it. */
  now: () => Date;
  templates: Templates;
  limiter: Limiter;
}>;

/** The error that a guarded field returns to a caller who may not read it. */
export type Denial = { type: ErrorType; msg?: string };

/**
 * The caller. A valid store key, or an operator that acts for a store, sets `keyId`; a valid session, or a store key that names
 * one, sets `shopper`. Without valid credentials the fields are null and guarded fields return `denial`.
 */
export type Viewer = {
  store: StoreRow | null;
  /** Id of the valid API key of the call or of its dashboard session, or of the operator key that acts for the store. */
  keyId: string | null;
  /** Id of the operator key; such a call acts for the store that it names, if any. */
  operatorId: string | null;
  shopper: (ShopperRow & { store: StoreRow }) | null;
  /** Whether the call names a shopper, known or not: a store that means one shopper must never act on all. */
  isShopperNamed: boolean;
  denial: Denial;
  /** What a response about the shopper's own records depends on; null without a shopper. */
  state: IdentityState | null;
};

/** What the access log records besides route and status: only names that the service itself assigned, no user input. */
export type Trace = {
  /** Id of the caller's trace, or of one that we started. */
  traceId?: string | undefined;
  store?: string;
  /** Kind and top-level fields of the operation, the same over REST and GraphQL: `mutation createList`. */
  operation?: string;
  /** Type of the returned error; over GraphQL of the first one, whatever the status. */
  type?: ErrorType;
};

/** An empty text means none. */
export type Credentials = {
  authorization: string;
  /** The dashboard's cookie; empty where it may not be read. */
  session: string;
  pid: string;
  actsFor: string;
  regid: string;
  sessionid: string;
};

/** `key` identifies the text of the document. */
export type GraphqlOperation = {
  key: string;
  document: DocumentNode;
  operationName?: string;
  variables: Record<string, unknown>;
};

export type Context = Services & {
  /** The writable database; `db` is a replica while a query reads from one. */
  primary: Database;
  requestId: string;
  /** Filled while the request runs and logged at its end. */
  trace: Trace;
  viewer: Viewer;
  budget: Budget;
  /** Whether the document comes from the operator's file, and its cost is therefore accepted. */
  isTrusted?: boolean;
  /** Whether graphql-js runs the document, so that its lists may hold promises. */
  isInterpreted?: boolean;
  dependencies: CacheDependencies;
  /** The open connection, and the credentials that identify the caller again; `viewer` is the result of the last check. */
  connection: Connection & { credentials: Credentials; viewer: Viewer };
  /** Set for subscriptions: Apollo stores the validated operation here. */
  stream?: { operation: GraphqlOperation | null };
  /** Network address of the caller; one for a whole IPv6 household. */
  address: string;
  /** The browser that calls; empty texts where the request does not say, as a server's does not. */
  browser: { origin: string; isOwnPage: boolean; userAgent: string };
  /** Without a trailing slash. */
  path: string;
  /** What this call created whose key or secret only its own response shows. */
  shownOnce: string[];
  /** The raw Idempotency-Key header; empty when there is none. */
  idempotencyKey: string;
  renderBudget: RenderBudget;
};

export function onPrimary(ctx: Context): Context {
  return ctx.db === ctx.primary ? ctx : { ...ctx, db: ctx.primary };
}

/** The calling store, by its API key, or 401. */
export function requireStore({ viewer: { store, keyId, denial } }: Context): StoreRow {
  return keyId !== null && store !== null
    ? store
    : fail('unauthorised', store === null ? denial.msg : undefined);
}

export function requireOperator({ viewer: { operatorId, keyId, shopper, denial } }: Context): string {
  if (operatorId !== null) return operatorId;
  if (keyId !== null || shopper !== null)
    fail('forbidden', 'This call requires an operator key; a store API key is not enough');
  return fail('unauthorised', (denial.type === 'unauthorised' && denial.msg) || NEEDS_OPERATOR);
}

const NEEDS_OPERATOR =
  'This call requires an operator key: send Authorization: Basic with the user name operator and the key';

/** Whether the store itself calls: a key that names a shopper, known or not, acts for that shopper alone. */
export function isStoreAlone({ viewer }: Context): boolean {
  return viewer.keyId !== null && !viewer.isShopperNamed;
}

const NO_PID = 'pid is missing: add ?pid=… to the URL (over GraphQL, send the header x-pid)';

/** The calling shopper with its store, or a 401 whose type says what the client should do. */
export function requireShopper({ viewer: { shopper, denial } }: Context): ShopperRow & { store: StoreRow } {
  return shopper ?? fail(denial.type, denial.msg ?? (denial.type === 'unauthorised' ? NO_PID : undefined));
}

/** An empty regid owns no list and sees the public ones. */
export type Reader = { pid: string; regid: string; shopper: ShopperRow | null };

/** The calling shopper, or an anonymous caller who names the store and no shopper. */
export function requireReader(ctx: Context): Reader {
  const { shopper, store, isShopperNamed } = ctx.viewer;
  if (shopper === null && store !== null && !isShopperNamed)
    return { pid: store.pid, regid: '', shopper: null };
  const { pid, regid } = requireShopper(ctx);
  return { pid, regid, shopper };
}

/** The calling shopper if logged in, else 403. */
export function requireAccount(ctx: Context): ShopperRow & { store: StoreRow } {
  const shopper = requireShopper(ctx);
  return shopper.isGuest ? fail('login-required') : shopper;
}

/** Whether a call has the credentials of such a caller, and the error where it has not. */
const CALLERS: Record<Caller, { holds: (viewer: Viewer) => boolean; deny: (ctx: Context) => unknown }> = {
  anyone: {
    holds: ({ store, keyId, shopper, isShopperNamed }) =>
      shopper !== null || (store !== null && (keyId !== null || !isShopperNamed)),
    deny: requireReader,
  },
  shopper: { holds: ({ shopper }) => shopper !== null, deny: requireShopper },
  store: { holds: ({ keyId, store }) => keyId !== null && store !== null, deny: requireStore },
  operator: { holds: ({ operatorId }) => operatorId !== null, deny: requireOperator },
};

/** Throws unless the call is of one of these callers. */
export function requireCaller(ctx: Context, callers: readonly Caller[]): void {
  if (!callers.some((caller) => CALLERS[caller].holds(ctx.viewer))) CALLERS[callers[0]!].deny(ctx);
}

export type CacheDependencies = {
  /** Whether it depends only on the caller's own records and the catalogue. */
  isCacheable: boolean;
  shards: Set<number>;
};

export const newDependencies = (): CacheDependencies => ({ isCacheable: false, shards: new Set() });

export function dependOnItems({ shards }: CacheDependencies, items: readonly { shard: number }[]): void {
  for (const { shard } of items) shards.add(shard);
}
