import type { Context, Services } from '../context.ts';
import { createBatch, oncePerDatabase } from '../platform/batch.ts';
import type { BatchOutcome } from '../platform/batch.ts';
import type { Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { countEvents } from '../stores/reports/report.repo.ts';
import { queueEvents } from '../stores/webhooks/event.repo.ts';
import { lockFreeLists, writeContents } from './contents.repo.ts';
import type { ContentsWrite, WrittenContents, WrittenItem } from './contents.repo.ts';
import { countUncopied } from './item-copy.repo.ts';
import { foldItems } from './item.rules.ts';
import type { CheckedItem } from './item.rules.ts';
import type { ListRow } from './list.columns.ts';
import type { ListOwner, LockedList } from './list.repo.ts';
import * as rules from './list.rules.ts';
import { withOwnList } from './list.service.ts';
import type { Owner } from './list.service.ts';
import { trimItems } from './trash.repo.ts';

/** A checked write. */
export type WriteRequest = Part & {
  ctx: Context;
  owner: Owner;
  lid: string;
  expectedVersion?: number | null;
  isSaveForLater: boolean;
  /** The removed items went into the cart, so they are not stored as deleted. */
  isMove?: boolean;
  isLarge: boolean;
  now: Date;
};

export type Part = {
  removed: readonly string[];
  changed: readonly CheckedItem[];
  added: readonly CheckedItem[];
};

type WriteResult = { request: WriteRequest; list: ListRow; used: number | null; items: WrittenItem[] };

export type WrittenParts = { list: ListRow } & Record<keyof Part, WrittenItem[]>;

const PARTS = ['removed', 'changed', 'added'] as const;
const NOTHING: Part = { removed: [], changed: [], added: [] };

/** Small writes that arrive at the same time share a transaction. */
export function writeShared(request: WriteRequest): Promise<WrittenParts> {
  return request.isLarge || hasOverlap(request) ? writeAlone(request) : shareWrite(request.ctx)(request);
}

export const episOf = (items: readonly CheckedItem[]): string[] => items.map(({ epi }) => epi);

/** Whether a variant occurs in two parts of a write, which then have to run one after the other. */
function hasOverlap({ removed, changed, added }: Part): boolean {
  const parts = [removed, episOf(changed), episOf(added)].map((epis) => new Set(epis));
  return new Set(parts.flatMap((part) => [...part])).size < parts.reduce((sum, { size }) => sum + size, 0);
}

const shareWrite = oncePerDatabase(({ db }: Pick<Services, 'db'>) =>
  createBatch<WriteRequest, WrittenParts>({
    kind: 'write',
    maxInFlight: 2,
    maxBatch: 50,
    together: (requests) => db.transaction((tx) => writeTogether(tx, requests)),
    alone: writeAlone,
    subjectOf: ownerKey,
  }),
);

const ownerKey = ({ owner: { pid, regid } }: WriteRequest): string => JSON.stringify([pid, regid]);
const listKey = ({ pid, regid, lid }: ListOwner & { lid: string }): string =>
  JSON.stringify([pid, regid, lid]);
const compare = (a: string, b: string): number => (a < b ? -1 : 1);

async function writeTogether(
  tx: Tx,
  requests: readonly WriteRequest[],
): Promise<BatchOutcome<WrittenParts>[]> {
  const keys = requests.map(({ owner: { pid, regid }, lid }) => ({ pid, regid, lid }));
  const locked = new Map((await lockFreeLists(tx, keys)).map((list) => [listKey(list), list]));
  const writes = requests.map((request, index) => {
    const list = locked.get(listKey(keys[index]!));
    return isUnobstructed(request, list) ? { request, list } : null;
  });
  // Every process writes in this order: two commits that advance the revisions of the same two shoppers would deadlock otherwise.
  const ordered = writes
    .filter((one) => one !== null)
    .sort((a, b) => compare(ownerKey(a.request), ownerKey(b.request)));
  if (ordered.length === 0) return requests.map(() => 'alone');
  const rows = await writeContents(
    tx,
    ordered.map(({ request, list }) => toWrite(request, list, request, true)),
  );
  const written = new Map(rows.map((row) => [listKey(row), row]));
  const results = writes.map((one) => one && toResult(one.request, one.list, written.get(listKey(one.list))));
  await finish(
    tx,
    results.filter((one) => one !== null),
  );
  return results.map((one) => (one ? { result: toParts(one.list, [one.items]) } : 'alone'));
}

/** Whether a write can share a transaction: it neither waits for another one nor fails. */
function isUnobstructed(request: WriteRequest, list: LockedList | undefined): list is LockedList {
  if (list === undefined || (list._cp && request.added.length > 0)) return false;
  const isExpected = request.expectedVersion == null || request.expectedVersion === list.version;
  return isExpected && (!request.isSaveForLater || list.lty === 'sfl');
}

function writeAlone(request: WriteRequest): Promise<WrittenParts> {
  return withOwnList(request.ctx, request.lid, request, async (tx, before) => {
    if (request.isSaveForLater && before.lty !== 'sfl')
      fail('list-not-found', 'Save-for-later list not found');
    const parts = hasOverlap(request)
      ? PARTS.map((name) => ({ ...NOTHING, [name]: request[name] }))
      : [request];
    let result = toResult(request, before);
    const itemsOfParts: WrittenItem[][] = [];
    for (const part of parts) {
      const isFirst = itemsOfParts.every((items) => items.length === 0);
      const [written] = await writeContents(tx, [toWrite(request, before, part, isFirst)]);
      if (written) result = toResult(request, before, written);
      itemsOfParts.push(written?.items ?? []);
    }
    await finish(tx, [{ ...result, items: itemsOfParts.flat() }]);
    return toParts(result.list, itemsOfParts);
  });
}

const storesRemoved = ({ owner, isMove }: WriteRequest): boolean => !isMove && rules.isRestorable(owner);

function toWrite(request: WriteRequest, list: LockedList, part: Part, isFirst: boolean): ContentsWrite {
  const { owner, now } = request;
  const sent = (items: readonly CheckedItem[], isAdd: boolean): ContentsWrite['sent'] =>
    foldItems(items).map((item) => ({ ...item, id: newId(), isAdd }));
  const { pid, lid, bytes } = list;
  return {
    ...{ pid, lid, bytes, di: owner.di, uby: owner.em, now, isFirst, removed: part.removed },
    storesRemoved: part.removed.length > 0 && storesRemoved(request),
    sent: [...sent(part.changed, false), ...sent(part.added, true)],
  };
}

function toResult(request: WriteRequest, before: LockedList, written?: WrittenContents): WriteResult {
  const { used, items, ...list } = written ?? { ...before, used: null, items: [] };
  return { request, list, used, items };
}

/** Splits the items by part. Parts that ran as one statement share no variant, so each item matches one of them. */
function toParts(list: ListRow, [first = [], second = first, third = first]: WrittenItem[][]): WrittenParts {
  const isThere = (item: WrittenItem): boolean => !isRemoved(item);
  return {
    list,
    removed: first.filter(isRemoved),
    changed: second.filter(isThere),
    added: third.filter(isThere),
  };
}

const isNew = ({ outcome }: WrittenItem): boolean => outcome === 'added';
const isRemoved = ({ outcome }: WrittenItem): boolean => outcome === 'removed';

/** Enforces the limits, then records statistics and webhook events. */
async function finish(tx: Tx, results: readonly WriteResult[]): Promise<void> {
  for (const { request, list, used, items } of results) {
    rules.chargeItems(request.ctx, items);
    rules.checkBytes(request.ctx, used);
    await checkItemCount(request.ctx, tx, list, items.filter(isNew).length);
  }
  const trimmed = results
    .filter(({ request, items }) => storesRemoved(request) && items.some(isRemoved))
    .map(({ request }) => request.owner);
  const { config } = results[0]!.request.ctx;
  if (trimmed.length > 0) await trimItems(tx, trimmed, config.maxShopperBytes);
  const counts = results.map(({ request: { owner, now }, items }) => {
    return { store: owner.store, n: items.filter(isNew).length, now };
  });
  await countEvents(tx, 'add', counts);
  const events = results.flatMap(({ request: { owner, now }, items }) => [
    ...rules.eventsOfItems(owner, 'list.item.removed', items.filter(isRemoved), now),
    ...rules.eventsOfItems(owner, 'list.item.added', items.filter(isNew), now),
  ]);
  await queueEvents(tx, events);
}

/** Enforces the item limit for new items only: a list that a merge made longer can still be changed. */
export async function checkItemCount({ config }: Context, tx: Tx, list: ListRow, added: number) {
  if (added === 0) return;
  const uncopied = list._cp ? await countUncopied(tx, list) : 0;
  if (list.cnt + uncopied > config.maxItems)
    fail('limit-reached', `A list can have at most ${config.maxItems} items`);
}
