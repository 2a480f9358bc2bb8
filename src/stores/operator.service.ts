import { LRUCache } from 'lru-cache';
import { requireOperator } from '../context.ts';
import type { Context, Services } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { newId, newOperatorKey } from '../platform/ids.ts';
import { checkLimit, decodeCursor, encodeCursor, failCursor, toConnection } from '../platform/page.ts';
import type { Connection } from '../platform/page.ts';
import { codePoints, isStorable } from '../platform/text.ts';
import { HOUR_MS } from '../platform/time.ts';
import * as operators from './operator.repo.ts';
import type { ListedStoreRow, OperatorKeyRow, StoreFilter, StorePlace } from './operator.repo.ts';
import { noteKeyUse } from './store.repo.ts';
import { MAX_KEYS, checkKeyName, hashKey, isServed } from './store.rules.ts';
import { createStore, failNoStore, setMaintenance } from './store.service.ts';

type Deps = Pick<Services, 'db' | 'now'>;

/** The user name of an operator's Basic header; no store has this pid. */
export const OPERATOR_USER = 'operator';

/** Adds an operator key, which is shown only once; old keys work until they are revoked. */
export async function addOperatorKey(
  { db }: Pick<Deps, 'db'>,
  name: string,
): Promise<{ id: string; key: string }> {
  const checked = checkKeyName(name, 'name');
  const key = newOperatorKey();
  const id = newId();
  await db.transaction(async (tx) => {
    await operators.lockOperatorKeys(tx);
    if ((await operators.listOperatorKeys(tx)).length >= MAX_KEYS)
      fail('limit-reached', `There are at most ${MAX_KEYS} valid operator keys; revoke one first`);
    await operators.addOperatorKey(tx, { id, name: checked, hash: hashKey(key), hint: key.slice(-4) });
  });
  return { id, key };
}

export async function makeFirstOperatorKey(deps: Pick<Deps, 'db'>): Promise<string | null> {
  if (await operators.hasHadOperatorKey(deps.db)) return null;
  return (await addOperatorKey(deps, 'Made at first start')).key;
}

export function listOperatorKeys({ db }: Pick<Deps, 'db'>): Promise<OperatorKeyRow[]> {
  return operators.listOperatorKeys(db);
}

/** Revokes an operator key and ends its dashboard sessions at once. */
export async function revokeOperatorKey({ db, now }: Deps, id: string): Promise<void> {
  if (!(await operators.revokeOperatorKey(db, id, now())))
    fail('not-found', 'There is no such valid operator key');
}

export function findOperator({ db }: Pick<Deps, 'db'>, key: string): Promise<string | null> {
  return operators.findOperatorKey(db, hashKey(key));
}

export function noteOperatorUse({ db }: Pick<Deps, 'db'>, id: string, at: Date, since: Date): Promise<void> {
  return operators.noteOperatorUse(db, id, at, since);
}

const MAX_PAGE = 100;
const PAGE = 25;
const MAX_SEARCH = 100;
const ORDER = 'stores';

export type StoresInput = { search?: string | null; first?: number | null; after?: string | null };

/** The figures are counted for the whole page at once, and only if a caller selects them. */
export type StoreWithFigures = ListedStoreRow & { figures: () => Promise<Figures> };

type Figures = { shoppers: number; lists: number };

export type StoreConnectionRow = Connection<StoreWithFigures> & { filter: StoreFilter };

function withFigures({ db }: Context, rows: ListedStoreRow[]): StoreWithFigures[] {
  let counted: ReturnType<typeof operators.countFigures> | null = null;
  return rows.map((row) => ({
    ...row,
    figures: async () => {
      const { shoppers, lists } = await (counted ??= operators.countFigures(
        db,
        rows.map(({ pid }) => pid),
      ));
      return { shoppers: shoppers.get(row.pid) ?? 0, lists: lists.get(row.pid) ?? 0 };
    },
  }));
}

function placeOf(after: string | null | undefined): StorePlace | null {
  if (!after) return null;
  const [ms, pid] = decodeCursor('after', after, ORDER);
  const isPlace = Number.isSafeInteger(ms) && Math.abs(ms as number) < 8e15 && typeof pid === 'string';
  return isPlace ? { createdAt: new Date(ms as number), pid } : failCursor('after');
}

export async function getStores(
  ctx: Context,
  { search, first, after }: StoresInput,
): Promise<StoreConnectionRow> {
  requireOperator(ctx);
  const limit = checkLimit('first', first, PAGE, MAX_PAGE);
  const wanted = (search ?? '').trim();
  if (codePoints(wanted) > MAX_SEARCH || !isStorable(wanted))
    fail('invalid-request', `search must have at most ${MAX_SEARCH} printable characters`);
  const filter = { search: wanted, hasDemo: ctx.config.demo };
  const rows = await operators.listStores(ctx.db, filter, limit, placeOf(after));
  const cursorOf = ({ createdAt, pid }: ListedStoreRow): string =>
    encodeCursor(ORDER, createdAt.getTime(), pid);
  return { ...toConnection(withFigures(ctx, rows), limit, cursorOf, after), filter };
}

export function countStores(ctx: Context, { filter }: StoreConnectionRow): Promise<number> {
  return operators.countStores(ctx.db, filter);
}

/** Throws `not-found` if there is no such store. */
async function getListed(ctx: Context, pid: string): Promise<StoreWithFigures> {
  const row = await operators.findListedStore(ctx.db, pid);
  return row && isServed(ctx.config, row) ? withFigures(ctx, [row])[0]! : failNoStore();
}

export async function createStoreAsOperator(
  ctx: Context,
  name: string,
): Promise<{ store: StoreWithFigures; apiKey: string }> {
  requireOperator(ctx);
  const { pid, apiKey } = await createStore(ctx, { name });
  ctx.shownOnce.push(
    `the store ${pid}, whose API key is not shown again: act for the store and create another key`,
  );
  return { store: await getListed(ctx, pid), apiKey };
}

export async function setStoreMaintenance(
  ctx: Context,
  pid: string,
  isClosed: boolean,
): Promise<StoreWithFigures> {
  requireOperator(ctx);
  await getListed(ctx, pid);
  await setMaintenance(ctx, pid, isClosed);
  return getListed(ctx, pid);
}

/** Keys in memory; an evicted key costs a statement that changes nothing. */
const MAX_NOTED_KEYS = 10_000;

type UseDeps = Pick<Services, 'db' | 'now' | 'log'>;

/** Records a use at most once an hour and in the background: a record that fails is lost. */
export function createUseNotes<Args extends string[]>(
  { now, log }: UseDeps,
  write: (at: Date, since: Date, ...args: Args) => Promise<void>,
): (...args: Args) => void {
  const noted = new LRUCache<string, number>({ max: MAX_NOTED_KEYS });
  return (...args) => {
    const at = now();
    const name = args.join(' ');
    if (at.getTime() - (noted.get(name) ?? -Infinity) < HOUR_MS) return;
    noted.set(name, at.getTime());
    write(at, new Date(at.getTime() - HOUR_MS), ...args).catch((error: unknown) =>
      log.debug({ err: error }, 'the use of a key was not noted'),
    );
  };
}

export function createKeyUses(deps: UseDeps): (pid: string, keyId: string) => void {
  return createUseNotes(deps, (at, since, pid: string, keyId: string) =>
    noteKeyUse(deps.db, pid, keyId, at, since),
  );
}
