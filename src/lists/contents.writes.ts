import { oncePerDatabase, createBatch, isOneInputsFault } from '../platform/batch.ts';
import { eventsOfItems, keepsDeleted, checkBytes, checkListVersion } from './list.rules.ts';
import type { Context, Services } from '../context.ts';
import type { Tx } from '../platform/database/database.ts';
import type { BatchOutcome } from '../platform/batch.ts';
import { charge } from '../platform/budget.ts';
import { AppError, fail } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { countWaiting } from './item-copy.repo.ts';
import { foldItems } from './item.rules.ts';
import type { CheckedItem } from './item.rules.ts';
import type { ListRow } from './list.columns.ts';
import { lockList } from './list.repo.ts';
import type { ListOwner, LockedList } from './list.repo.ts';
import { failMissing, lockOwner } from './list.service.ts';
import type { Owner } from './list.service.ts';
import { countEvents } from '../stores/reports/report.repo.ts';
import { trimItems } from './trash.repo.ts';
import { queueEvents } from '../stores/webhooks/event.repo.ts';
import { lockFreeLists, writeContents } from './contents.repo.ts';
import type { ContentsWrite, MetItem, WrittenContents } from './contents.repo.ts';

/** A checked write to the items of a list, and who asks for it. */
export type WantedContents = {
  ctx: Context;
  owner: Owner;
  lid: string;
  expectedVersion?: number | null;
  /** Whether only the save-for-later list will do. */
  isSaveForLater: boolean;
  /** Whether what it removes has gone elsewhere, so that it is not deleted. */
  isMove: boolean;
  /** Whether it is large enough to be counted exactly. */
  isLarge: boolean;
  removed: readonly string[];
  changed: readonly CheckedItem[];
  added: readonly CheckedItem[];
  now: Date;
};

/** A list as a write left it, and the items that each part of the write met. */
export type DoneContents = { list: ListRow; gone: MetItem[]; changed: MetItem[]; added: MetItem[] };

type Part = Pick<WantedContents, 'removed' | 'changed' | 'added'>;
type Met = { wanted: WantedContents; list: ListRow; used: number | null; items: MetItem[] };

const NOTHING: Part = { removed: [], changed: [], added: [] };

/** Whether a variant comes in two parts of a write, so that they have to follow each other. */
function isInParts({ removed, changed, added }: Part): boolean {
  const parts = [
    new Set(removed),
    new Set(changed.map(({ epi }) => epi)),
    new Set(added.map(({ epi }) => epi)),
  ];
  return new Set(parts.flatMap((part) => [...part])).size < parts.reduce((sum, { size }) => sum + size, 0);
}

const keeps = ({ owner, isMove }: WantedContents): boolean => !isMove && keepsDeleted(owner);

function writeOf(wanted: WantedContents, list: LockedList, part: Part, isFirst: boolean): ContentsWrite {
  const { owner, now } = wanted;
  const sent = (items: readonly CheckedItem[], isAdd: boolean): ContentsWrite['sent'] =>
    foldItems(items).map((item) => ({ ...item, id: newId(), isAdd }));
  const { pid, lid, bytes } = list;
  const scope = { pid, lid, bytes, di: owner.di, uby: owner.em, now, isFirst };
  const keepsRemoved = part.removed.length > 0 && keeps(wanted);
  return {
    ...scope,
    removed: part.removed,
    keepsRemoved,
    sent: [...sent(part.changed, false), ...sent(part.added, true)],
  };
}

/** What is answered of written items counts for the request; 20 writes in one can be of 500 large items each. */
export function chargeItems({ budget }: Context, rows: readonly { cprops: string; bundle: string }[]): void {
  charge(
    budget,
    rows.reduce((bytes, { cprops, bundle }) => bytes + cprops.length + bundle.length, 0),
  );
}

/** Refuses new items beyond the limit. A list that a merge made longer can still be changed. */
export async function checkItemRoom(
  { config }: Context,
  tx: Tx,
  list: ListRow,
  added: number,
): Promise<void> {
  if (added === 0) return;
  const waiting = list._cp ? await countWaiting(tx, list) : 0;
  if (list.cnt + waiting > config.maxItems)
    fail('limit-reached', `A list can have at most ${config.maxItems} items`);
}

const isNew = ({ fate }: MetItem): boolean => fate === 'made';
const isGone = ({ fate }: MetItem): boolean => fate === 'gone';

/** Checks what writes came to, counts and tells of it. */
async function finish(tx: Tx, writes: readonly Met[]): Promise<void> {
  for (const { wanted, list, used, items } of writes) {
    chargeItems(wanted.ctx, items);
    checkBytes(wanted.ctx, used);
    await checkItemRoom(wanted.ctx, tx, list, items.filter(isNew).length);
  }
  await trimItems(
    tx,
    writes.flatMap(({ wanted, items }) => (keeps(wanted) && items.some(isGone) ? [wanted.owner] : [])),
    writes[0]!.wanted.ctx.config.maxShopperBytes,
  );
  await countEvents(
    tx,
    'add',
    writes.map(({ wanted: { owner, now }, items }) => ({
      pid: owner.pid,
      n: items.filter(isNew).length,
      now,
    })),
  );
  await queueEvents(
    tx,
    writes.flatMap(({ wanted: { owner, now }, items }) => [
      ...eventsOfItems(owner, 'list.item.removed', items.filter(isGone), now),
      ...eventsOfItems(owner, 'list.item.added', items.filter(isNew), now),
    ]),
  );
}

/** Waits for the list, and says what stands in the way. */
async function lockWanted(tx: Tx, wanted: WantedContents): Promise<LockedList> {
  const { owner, lid } = wanted;
  // Before the list, as in a merge: whoever locks both takes the shopper first.
  if (wanted.isLarge) await lockOwner(tx, owner);
  const list = (await lockList(tx, owner, lid)) ?? (await failMissing(tx, owner));
  checkListVersion(list.version, wanted.expectedVersion);
  if (wanted.isSaveForLater && list.lty !== 'sfl')
    fail('list-not-found', 'There is no such save-for-later list');
  return list;
}

/** A write with what became of its list and items. */
function metBy(wanted: WantedContents, before: LockedList, written: WrittenContents | undefined): Met {
  if (written === undefined) return { wanted, list: before, used: null, items: [] };
  const { used, items, ...list } = written;
  return { wanted, list, used, items };
}

/** The items by the part of the write that met them; where all parts were done as one, each variant is in one of them only. */
function doneOf(list: ListRow, [first = [], second = first, third = first]: MetItem[][]): DoneContents {
  const isThere = (item: MetItem): boolean => !isGone(item);
  return { list, gone: first.filter(isGone), changed: second.filter(isThere), added: third.filter(isThere) };
}

async function writeAlone(tx: Tx, wanted: WantedContents): Promise<DoneContents> {
  const { removed, changed, added } = wanted;
  const before = await lockWanted(tx, wanted);
  const parts = isInParts(wanted)
    ? [
        { ...NOTHING, removed },
        { ...NOTHING, changed },
        { ...NOTHING, added },
      ]
    : [wanted];
  let met = metBy(wanted, before, undefined);
  const itemsOfParts: MetItem[][] = [];
  for (const part of parts) {
    const isFirst = itemsOfParts.every((items) => items.length === 0);
    const [written] = await writeContents(tx, [writeOf(wanted, before, part, isFirst)]);
    if (written) met = metBy(wanted, before, written);
    itemsOfParts.push(written?.items ?? []);
  }
  await finish(tx, [{ ...met, items: itemsOfParts.flat() }]);
  return doneOf(met.list, itemsOfParts);
}

/** Whether a write has nothing in its way that it would have to wait for or complain about. */
function isPlain(wanted: WantedContents, list: LockedList | undefined): list is LockedList {
  if (list === undefined || (list._cp && wanted.added.length > 0)) return false;
  const isExpected = wanted.expectedVersion == null || wanted.expectedVersion === list.version;
  return isExpected && (!wanted.isSaveForLater || list.lty === 'sfl');
}

const ownerOf = ({ owner: { pid, regid } }: WantedContents): string => JSON.stringify([pid, regid]);
const compare = (a: string, b: string): number => (a < b ? -1 : 1);
/** With its owner: somebody else's write to the same list is not this one. */
const nameOf = ({ pid, regid, lid }: ListOwner & { lid: string }): string =>
  JSON.stringify([pid, regid, lid]);

async function writeTogether(tx: Tx, all: readonly WantedContents[]): Promise<BatchOutcome<DoneContents>[]> {
  const keys = all.map(({ owner: { pid, regid }, lid }) => ({ pid, regid, lid }));
  const locked = new Map((await lockFreeLists(tx, keys)).map((list) => [nameOf(list), list]));
  const lists = keys.map((key) => locked.get(nameOf(key)));
  const writes = all.map((wanted, index) => {
    const list = lists[index];
    return isPlain(wanted, list) ? { wanted, list } : null;
  });
  // In one order in all processes: at the commit, whoever moves the revisions of two shoppers must not meet another in a circle.
  const plain = writes
    .filter((write) => write !== null)
    .sort((a, b) => compare(ownerOf(a.wanted), ownerOf(b.wanted)));
  if (plain.length === 0) return all.map(() => 'alone');
  const rows = await writeContents(
    tx,
    plain.map(({ wanted, list }) => writeOf(wanted, list, wanted, true)),
  );
  const written = new Map(rows.map((row) => [nameOf(row), row]));
  const met = writes.map(
    (write) => write && metBy(write.wanted, write.list, written.get(nameOf(write.list))),
  );
  await finish(
    tx,
    met.filter((one) => one !== null),
  );
  return met.map((one) => (one ? { result: doneOf(one.list, [one.items]) } : 'alone'));
}

const shareWrite = oncePerDatabase(({ db }: Pick<Services, 'db'>) =>
  createBatch<WantedContents, DoneContents>({
    kind: 'write',
    maxInFlight: 2,
    maxBatch: 50,
    async together(all) {
      try {
        return await db.transaction((tx) => writeTogether(tx, all));
      } catch (error) {
        if (!(error instanceof AppError) && !isOneInputsFault(error)) throw error;
        return all.map(() => (all.length === 1 ? { error } : 'alone'));
      }
    },
    alone: (wanted) => db.transaction((tx) => writeAlone(tx, wanted)),
    subjectOf: ownerOf,
  }),
);

/** Writes all of it or nothing. Small writes that arrive together share a transaction. */
export function changeContents(wanted: WantedContents): Promise<DoneContents> {
  const { db } = wanted.ctx;
  return wanted.isLarge || isInParts(wanted)
    ? db.transaction((tx) => writeAlone(tx, wanted))
    : shareWrite({ db })(wanted);
}
