import { randomInt, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Caller, Operation, Tally, Way } from './caller.ts';

/** What is known of an item: where it must be; `unsure` when the last write was never answered. */
type Place = 'list' | 'trash' | 'unsure';

/** What a shopper knows of one of its lists. */
export type KnownList = {
  lid: string;
  lname: string;
  items: Map<number, Place>;
  version: number;
  isUnsure: boolean;
};

/** What a shopper wrote and was told. */
export type ListHistory = { lists: KnownList[]; unsureNames: string[]; writes: number; replays: number };

const OPERATIONS = {
  create: [
    '/api/v3/lists/create',
    'mutation ($lname: String!) { r: createList(input: { lname: $lname }) { lid version } }',
  ],
  change: [
    '/api/v3/lists/update-ctx',
    'mutation ($lid: ID!, $a: [ItemInput!], $d: [ItemRefInput!]) { r: updateListContents(lid: $lid, a: $a, d: $d) { cnt version } }',
  ],
  restoreItems: [
    '/api/v3/lists/restore-items',
    'mutation ($lid: ID!, $epis: [VariantId!]!) { r: restoreItems(lid: $lid, epis: $epis) { cnt version } }',
  ],
  delete: ['/api/v3/lists/delete-list', 'mutation ($lid: ID!) { r: deleteList(lid: $lid) { cnt version } }'],
  restore: ['/api/v3/lists/restore', 'mutation ($lid: ID!) { r: restoreList(lid: $lid) { cnt version } }'],
  read: [
    '/api/v3/lists/fetch-list-with-contents',
    'query ($lid: ID!, $limit: Int) { r: listContents(lid: $lid, limit: $limit) { list { cnt version } items { epi } } }',
  ],
  changes: ['/api/v3/lists/changes', 'query ($wait: Int) { r: listChanges(wait: $wait) { rev lids } }'],
} as const satisfies Record<string, Operation>;

/** Later writes carry no Idempotency-Key, because a shopper's keys are limited by day and a run takes hours. */
const MAX_KEYED = 2_000;
/** A list is this long, then the next one is begun. */
const LIST_LENGTH = 60;

const count = (list: KnownList, place: Place): number =>
  [...list.items.values()].filter((each) => each === place).length;
const inList = (list: KnownList): number[] =>
  [...list.items].filter(([, place]) => place === 'list').map(([epi]) => epi);

/** How a shopper writes. */
export type Writing = {
  isKeyed: boolean;
  isOver: () => boolean;
  mark: string;
  /** Whether the database may go away before an answer is kept: then the write is done again, and only the version tells (decision 14). */
  isDisturbed?: boolean;
};

/** An answer without what tells when a write was done. */
const withoutTime = (body: object): object =>
  JSON.parse(
    JSON.stringify(body, (name, value: unknown) => (/^(version|uts)$/.test(name) ? undefined : value)),
  ) as object;

/**
 * One shopper, one call after the other over REST and GraphQL: makes lists, fills them, deletes and brings back, and reads what it wrote. What it is
 * told is held against what it knows. With `isKeyed`, writes carry an Idempotency-Key, and some are sent again for the idempotency result.
 */
export async function writeLists(
  { call, settle }: Caller,
  tally: Tally,
  { isKeyed, isOver, mark, isDisturbed = false }: Writing,
): Promise<ListHistory> {
  const history: ListHistory = { lists: [], unsureNames: [], writes: 0, replays: 0 };
  let rev = 0;
  const fault = (text: string): void => void tally.faults.push(`${mark}: ${text}`);
  const way = (): Way => ({
    isGraphql: randomInt(2) === 0,
    ...(isKeyed && history.writes < MAX_KEYED ? { key: randomUUID() } : {}),
  });

  /** A write that is repeated until it is answered; false when the run ended before. */
  const write = async (
    list: KnownList,
    operation: Operation,
    values: Record<string, unknown>,
    meansDone: string[] = [],
  ): Promise<boolean> => {
    const chosen = way();
    const answer = await settle(operation, { lid: list.lid, ...values }, chosen, meansDone);
    if (answer === null) return false;
    history.writes += 1;
    if (answer.status !== 200) return true;
    const version = Number(answer.body['version']);
    // A deletion answers the list as it was.
    const isNewer = operation === OPERATIONS.delete ? version >= list.version : version > list.version;
    if (!isNewer) fault(`version ${version} after ${list.version} (${operation[0]})`);
    list.version = version;
    if (chosen.key !== undefined && randomInt(4) === 0) {
      const again = await call(operation, { lid: list.lid, ...values }, chosen);
      history.replays += 1;
      if (again?.status !== 200) return true;
      const newer = Number(again.body['version']);
      // One whose result was lost with the process is done again.
      const compared = isDisturbed && newer > version ? withoutTime : (body: object) => body;
      if (!isDeepStrictEqual(compared(again.body), compared(answer.body)))
        fault(`idempotency result differs (${operation[0]}): ${JSON.stringify([answer.body, again.body])}`);
      list.version = Math.max(version, newer);
    }
    return true;
  };

  /** A write that moves items; those of one that was never answered may be here or there. */
  const move = async (
    list: KnownList,
    epis: number[],
    to: Place,
    operation: Operation,
    values: Record<string, unknown>,
  ): Promise<void> => {
    const isDone = await write(list, operation, values);
    for (const epi of epis) list.items.set(epi, isDone ? to : 'unsure');
  };

  const read = async (list: KnownList): Promise<void> => {
    const answer = await call(
      OPERATIONS.read,
      { lid: list.lid, limit: 1_000 },
      { isGraphql: randomInt(2) === 0 },
    );
    if (answer?.status !== 200) return;
    const { cnt, version } = answer.body['list'] as { cnt: number; version: number };
    const epis = (answer.body['items'] as { epi: number | string }[]).map(({ epi }) => Number(epi));
    if (version < list.version) fault(`read version ${version} after ${list.version}`);
    if (cnt !== epis.length || new Set(epis).size !== cnt) fault(`cnt ${cnt} of ${epis.join()}`);
    const missing = inList(list).filter((epi) => !epis.includes(epi));
    const ghosts = epis.filter((epi) => !['list', 'unsure'].includes(list.items.get(epi) ?? 'never'));
    if (missing.length + ghosts.length > 0)
      fault(`read back behind own writes: misses ${missing.join()}, has ${ghosts.join()}`);
    list.version = Math.max(list.version, version);
    const changes = await call(OPERATIONS.changes, { wait: 0 }, { isGraphql: randomInt(2) === 0 });
    if (changes?.status !== 200) return;
    if (Number(changes.body['rev']) < rev) fault(`rev ${String(changes.body['rev'])} after ${rev}`);
    rev = Number(changes.body['rev']);
  };

  for (let n = 1; !isOver(); n += 1) {
    let list = history.lists.at(-1);
    if (!list || list.isUnsure || list.items.size >= LIST_LENGTH) {
      const lname = `${mark} ${n}`;
      const answer = await settle(OPERATIONS.create, { lname }, way(), ['duplicate-lname']);
      // Done and never told where: it is there once, and nothing else is known of it.
      if (answer?.status !== 200) {
        history.unsureNames.push(lname);
        continue;
      }
      list = {
        lid: String(answer.body['lid']),
        lname,
        items: new Map(),
        version: Number(answer.body['version']),
        isUnsure: false,
      };
      history.lists.push(list);
      history.writes += 1;
    }
    const { lid } = list;
    const trash = [...list.items].filter(([, place]) => place === 'trash').map(([epi]) => epi);
    const first = inList(list).slice(0, 2);
    const dice = randomInt(10);
    if (dice === 0 && first.length === 2)
      await move(list, first, 'trash', OPERATIONS.change, { d: first.map((epi) => ({ epi })) });
    else if (dice === 1 && trash.length > 0)
      await move(list, trash, 'list', OPERATIONS.restoreItems, { epis: trash });
    else if (dice === 2 && count(list, 'unsure') === 0) {
      const isGone = await write(list, OPERATIONS.delete, {}, ['list-not-found']);
      const isBack = isGone && (await write(list, OPERATIONS.restore, {}));
      list.isUnsure = !isBack;
    } else if (dice < 6) await read(list);
    else {
      const epi = history.lists.length * 1_000 + list.items.size + 1;
      await move(list, [epi], 'list', OPERATIONS.change, { a: [{ epi, empi: epi, du: `/p/${lid}` }] });
    }
  }
  return history;
}
