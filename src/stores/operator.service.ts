import { requireOperator } from '../context.ts';
import type { Context, Services } from '../context.ts';
import type { QueryStoresArgs } from '../generated/resolvers.ts';
import { fail } from '../platform/errors.ts';
import { checkLimit, decodeMoment, encodeCursor, isText, toConnection } from '../platform/page.ts';
import type { CountedConnection } from '../platform/page.ts';
import { codePoints, isStorable } from '../platform/text.ts';
import * as operators from './operator.repo.ts';
import type { ListedStoreRow } from './operator.repo.ts';
import { MAX_KEYS, hashKey, isServed, makeKey } from './store.rules.ts';
import { createStore, failNoStore, setMaintenance } from './store.service.ts';

export { listOperatorKeys } from './operator.repo.ts';

type Deps = Pick<Services, 'db' | 'now'>;

/** The user name of an operator's Basic header; no store has this pid. */
export const OPERATOR_USER = 'operator';

/** Adds an operator key, which is shown only once; old keys work until they are revoked. */
export async function addOperatorKey({ db }: Pick<Deps, 'db'>, keyName: string) {
  const { key, row } = makeKey('wgo_', keyName);
  await db.transaction(async (tx) => {
    await operators.lockOperatorKeys(tx);
    if ((await operators.listOperatorKeys(tx)).length >= MAX_KEYS)
      fail('limit-reached', `A service can have at most ${MAX_KEYS} active operator keys; revoke one first`);
    await operators.addOperatorKey(tx, row);
  });
  return { id: row.id, key };
}

export async function makeFirstOperatorKey(deps: Pick<Deps, 'db'>): Promise<string | null> {
  if (await operators.hasHadOperatorKey(deps.db)) return null;
  return (await addOperatorKey(deps, 'Made at first start')).key;
}

/** Revokes an operator key and ends its dashboard sessions at once. */
export async function revokeOperatorKey({ db, now }: Deps, id: string): Promise<void> {
  if (!(await operators.revokeOperatorKey(db, id, now()))) fail('not-found', 'Operator key not found');
}

export function findOperator({ db }: Pick<Deps, 'db'>, key: string): Promise<string | null> {
  return operators.findOperatorKey(db, hashKey(key));
}

const MAX_SEARCH = 100;
const ORDER = 'stores';

/** The figures are counted for the whole page at once, and only if a caller selects them. */
export type StoreWithFigures = ListedStoreRow & { figures: () => ReturnType<typeof operators.countFigures> };

export type StorePage = CountedConnection<StoreWithFigures>;

function withFigures({ db }: Context, rows: ListedStoreRow[]): StoreWithFigures[] {
  const pids = rows.map(({ pid }) => pid);
  let counted: ReturnType<typeof operators.countFigures> | undefined;
  return rows.map((row) => ({ ...row, figures: () => (counted ??= operators.countFigures(db, pids)) }));
}

export async function getStores(ctx: Context, args: QueryStoresArgs): Promise<StorePage> {
  const { first, after } = args;
  const { search } = args.filter ?? args;
  requireOperator(ctx);
  const size = checkLimit('first', first, 25, 100);
  const wanted = (search ?? '').trim();
  if (codePoints(wanted) > MAX_SEARCH || !isStorable(wanted))
    fail('invalid-request', `search must have at most ${MAX_SEARCH} printable characters`);
  const filter = { search: wanted, hasDemo: ctx.config.demo };
  const place = decodeMoment(after, ORDER, isText);
  const before = place && { createdAt: place[0], pid: place[1] };
  const rows = await operators.listStores(ctx.db, filter, { before, limit: size + 1 });
  const cursorOf = (row: ListedStoreRow) => encodeCursor(ORDER, row.createdAt.getTime(), row.pid);
  const page = toConnection(withFigures(ctx, rows), size, cursorOf, after);
  return { ...page, count: () => operators.countStores(ctx.db, filter) };
}

/** Throws `not-found` if there is no such store. */
async function getListed(ctx: Context, pid: string): Promise<StoreWithFigures> {
  const row = await operators.findListedStore(ctx.db, pid);
  return row && isServed(ctx.config, row) ? withFigures(ctx, [row])[0]! : failNoStore();
}

export async function createStoreAsOperator(ctx: Context, name: string) {
  requireOperator(ctx);
  const { pid, apiKey } = await createStore(ctx, { name });
  ctx.shownOnce.push(
    `the store ${pid}, whose API key is not shown again: create another key on behalf of the store`,
  );
  return { store: await getListed(ctx, pid), apiKey };
}

export async function setStoreMaintenance(ctx: Context, pid: string, isClosed: boolean) {
  requireOperator(ctx);
  await getListed(ctx, pid);
  await setMaintenance(ctx, pid, isClosed);
  return getListed(ctx, pid);
}
