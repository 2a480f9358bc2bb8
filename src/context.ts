import type { DocumentNode } from 'graphql';
import type { RenderBudget, Templates } from './alerts/compose/template.pool.ts';
import type { Config } from './config.ts';
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

/** What lives as long as the process and is handed to every request; built once, then frozen. */
export type Services = Readonly<{
  config: Config;
  db: Database;
  log: Logger;
  /** The clock; tests set it. */
  now: () => Date;
  /** Where stores' templates are rendered. */
  templates: Templates;
  /** What counts against limits. */
  limiter: Limiter;
}>;

/** What a guarded field answers to who may not read it. */
export type Denial = { type: ErrorType; msg?: string };

/**
 * Who calls. A valid store key gives `keyId`, an operator that acts for a store too; a shopper is there with a valid session, or named by a store key.
 * Missing or wrong credentials leave fields null and say in `denial` what a guarded field answers.
 */
export type Viewer = {
  store: StoreRow | null;
  /** Id of the API key used, when the call carries a valid one or a dashboard's session of it; of the operator key that acts for the store. */
  keyId: string | null;
  /** Id of the operator key used; such a call acts for the store that it names, if it names one. */
  operatorId: string | null;
  shopper: (ShopperRow & { store: StoreRow }) | null;
  /** Whether the call names a shopper, known or not: a store that means one shopper must never act on all. */
  isShopperNamed: boolean;
  /** Why there is no shopper, or no store. */
  denial: Denial;
  /** What an answer about the shopper's own records depends on; null without a shopper. */
  state: IdentityState | null;
};

/** What the access log tells of a request beside its route and status: names that the service itself gave, no person's typing. */
export type Trace = {
  /** Id of the trace that the call belongs to: the caller's, or one that we began. */
  traceId?: string | undefined;
  /** The `pid` of the store that the call was found to belong to. */
  store?: string;
  /** Kind and top fields of the operation, the same over REST and GraphQL: `mutation createList`. */
  operation?: string;
  /** Type of the failure that was answered; over GraphQL of the first one, whatever the status. */
  type?: ErrorType;
};

/** What a request shows of itself, over REST or GraphQL; an empty text is nothing. */
export type Credentials = {
  authorization: string;
  /** The dashboard's cookie; empty where it may not be read. */
  session: string;
  pid: string;
  /** The store that an operator acts for. */
  actsFor: string;
  regid: string;
  sessionid: string;
};

/** A validated operation of a GraphQL client; `key` identifies its text. */
export type GraphqlOperation = {
  key: string;
  document: DocumentNode;
  operationName?: string;
  variables: Record<string, unknown>;
};

/** What a resolver sees of one request. */
export type Context = Services & {
  /** The database that is written to; `db` is a replica while a query reads from one. */
  primary: Database;
  requestId: string;
  /** Filled while the request runs and logged at its end. */
  trace: Trace;
  viewer: Viewer;
  /** What this request may take of the process's memory and time. */
  budget: Budget;
  /** Whether the document is one of the operator's file, so that its cost was accepted with it. */
  isTrusted?: boolean;
  /** Whether graphql-js runs the document; its lists may hold promises. */
  isInterpreted?: boolean;
  /** What the response turned out to depend on. */
  dependencies: CacheDependencies;
  /** The caller's open connection, and the credentials to identify the caller again with; `viewer` is who it was the last time. */
  connection: Connection & { credentials: Credentials; viewer: Viewer };
  /** Set where subscriptions run: Apollo leaves the validated operation here. */
  stream?: { operation: GraphqlOperation | null };
  /** Network address of the caller; one for a whole IPv6 household. */
  address: string;
  /** Path of the call, without a slash at its end. */
  path: string;
  /** What this call created whose key or secret only its own response shows. */
  shownOnce: string[];
  /** The Idempotency-Key header as it came; empty when there is none. */
  idempotencyKey: string;
  /** Time that is left for the templates of this request. */
  renderBudget: RenderBudget;
};

/** The same request, reading where it writes. */
export function onPrimary(ctx: Context): Context {
  return ctx.db === ctx.primary ? ctx : { ...ctx, db: ctx.primary };
}

/** The calling store, by its API key, or 401. */
export function requireStore({ viewer: { store, keyId, denial } }: Context): StoreRow {
  return keyId !== null && store !== null
    ? store
    : fail('unauthorised', store === null ? denial.msg : undefined);
}

/** The calling operator's key, or the refusal. */
export function requireOperator({ viewer: { operatorId, keyId, denial } }: Context): string {
  if (operatorId !== null) return operatorId;
  if (keyId !== null) fail('forbidden', 'This is for operators: a store key does not do');
  return fail(
    'unauthorised',
    denial.type === 'unauthorised' ? (denial.msg ?? NEEDS_OPERATOR) : NEEDS_OPERATOR,
  );
}

const NEEDS_OPERATOR =
  'This needs an operator key: send Authorization: Basic with the user operator and the key';

/** Whether the store itself calls: a key that names a shopper, known or not, acts for that shopper alone. */
export function isStoreAlone({ viewer }: Context): boolean {
  return viewer.keyId !== null && !viewer.isShopperNamed;
}

/** The calling shopper with its store, or the 401 that tells the client what to do. */
export function requireShopper({ viewer: { shopper, denial } }: Context): ShopperRow & { store: StoreRow } {
  return shopper ?? fail(denial.type, denial.msg);
}

/** Who reads lists; an empty regid owns none and sees the public ones. */
export type Reader = { pid: string; regid: string; shopper: ShopperRow | null };

/** The calling shopper, or anybody who names the store and no shopper. */
export function requireReader(ctx: Context): Reader {
  const { shopper, store, isShopperNamed } = ctx.viewer;
  if (shopper === null && store !== null && !isShopperNamed)
    return { pid: store.pid, regid: '', shopper: null };
  const { pid, regid } = requireShopper(ctx);
  return { pid, regid, shopper };
}

/** The calling shopper if it is logged in, else 403. */
export function requireAccount(ctx: Context): ShopperRow & { store: StoreRow } {
  const shopper = requireShopper(ctx);
  return shopper.isGuest ? fail('login-required') : shopper;
}

/** What a response depends on; filled in while it is made. */
export type CacheDependencies = {
  /** Whether it depends on nothing but the caller's own records and the catalogue. */
  isCacheable: boolean;
  /** Catalogue shards that its items are in. */
  shards: Set<number>;
};

/** The dependencies of a response that holds nothing yet. */
export function newDependencies(): CacheDependencies {
  return { isCacheable: false, shards: new Set() };
}

/** Notes that the response holds these items. */
export function dependOnItems({ shards }: CacheDependencies, items: readonly { slice: number }[]): void {
  for (const { slice } of items) shards.add(slice);
}
