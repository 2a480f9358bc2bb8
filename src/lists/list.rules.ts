import type { Context } from '../context.ts';
import type { QueryListsArgs } from '../generated/resolvers.ts';
import { charge } from '../platform/budget.ts';
import { fail, failField } from '../platform/errors.ts';
import { objectFault } from '../platform/json.ts';
import { codePoints, hasControlCharacters, isLine, isStorable } from '../platform/text.ts';
import { DAY_MS } from '../platform/time.ts';
import type { HappenedEvent } from '../stores/webhooks/event.repo.ts';
import type { ItemEventData } from './item.columns.ts';

/** The default number of items in a list record. */
export const PREVIEW_SIZE = 10;

/** The most items in `listcontents`. */
export const MAX_PREVIEW = 500;

/** When the lists of a response have more items than this in total, each shows its ten newest only. */
export const MAX_SHOWN = 5_000;

const NAME = { min: 3, max: 50 };
const MAX_NOTE = 1_000;
const MAX_LID = 100;

/** Null for a malformed id, which no list has. */
export function readLid(lid: string | null | undefined, field = 'lid'): string | null {
  const text = (lid ?? '').trim();
  if (text === '') fail('invalid-lid', `${field} is missing`);
  return text.length <= MAX_LID && isStorable(text) ? text : null;
}

export function checkLid(lid: string | null | undefined, field?: string): string {
  return readLid(lid, field) ?? fail('list-not-found');
}

const MAX_LIDS = 100;

/** Drops malformed ids. */
function checkLids(lids: readonly string[] | null | undefined): string[] | null {
  if (lids == null) return null;
  if (lids.length > MAX_LIDS) fail('invalid-lid', `lids must have at most ${MAX_LIDS} entries`);
  return lids.map((lid) => lid.trim()).filter((lid) => /^[\w-]+$/.test(lid) && lid.length <= MAX_LID);
}

export function checkListName(text: string | null | undefined): string {
  const name = (text ?? '').trim().normalize('NFC');
  if (hasControlCharacters(name) || !isStorable(name))
    fail('invalid-lname', 'lname must be one line of printable characters');
  const length = codePoints(name);
  const isFine = length >= NAME.min && length <= NAME.max;
  return isFine
    ? name
    : failField('invalid-lname', 'lname', `must have ${NAME.min} to ${NAME.max} characters`, text);
}

/** An empty note removes the stored one, and so does null. */
export function checkListNote(text: string | null | undefined): string | undefined {
  if (text === undefined) return undefined;
  const note = (text ?? '').trim();
  return isLine(note, MAX_NOTE)
    ? note
    : fail('invalid-lnote', `lnote must be one line of at most ${MAX_NOTE} characters`);
}

/** Null removes the stored properties. */
export function checkProperties(field: 'lprops' | 'cprops' | 'ldesc', value: unknown) {
  if (value === undefined) return undefined;
  if (value === null) return {};
  const fault = objectFault(value);
  return fault === null ? (value as Record<string, unknown>) : fail('invalid-lprops', `${field} ${fault}`);
}

export function checkDescription(value: unknown): Record<string, unknown> | undefined {
  return checkProperties('ldesc', typeof value === 'string' ? { text: value } : value);
}

export function checkListType(lty: string | null | undefined, configured: readonly string[]): string | null {
  if (lty == null || lty === '') return null;
  const isFine = lty === 'wl' || lty === 'sfl' || configured.includes(lty);
  return isFine
    ? lty
    : fail('invalid-lty', 'lty must be wl, sfl or a list type that is configured for the store');
}

/** A filter may name a list type that the store no longer allows. */
function checkTypeFilter(lty: string | null | undefined): string | null {
  if (lty == null || lty === '') return null;
  const isFine = lty.length <= 32 && isStorable(lty);
  return isFine ? lty : fail('invalid-lty', 'lty must have at most 32 characters');
}

const STATES = { active: 1, archived: 0, any: null };

/** `filter` replaces the arguments of the same names. */
export function checkListFilter({ filter, ...args }: QueryListsArgs) {
  const { lty, lids } = filter ?? args;
  const st = filter ? STATES[filter.st ?? 'active'] : checkState(args.st);
  return { lty: checkTypeFilter(lty), st, lids: checkLids(lids) };
}

function checkState(st: number | null | undefined): number | null {
  if (st == null || st === 0 || st === 1) return st ?? null;
  return fail('invalid-request', 'st must be 1 (active), 0 (archived) or null (both)');
}

export function checkListVersion(version: number, expected: number | null | undefined): void {
  if (expected == null || expected === version) return;
  fail('version-conflict', `The list now has version ${version}, not ${expected}; read it again`);
}

/** Enforces the storage quota; `used` is null for a write that did not grow the list, which is always allowed. */
export function checkBytes({ config }: Context, used: number | null): void {
  if (used === null || used <= config.maxShopperBytes) return;
  fail('limit-reached', `A shopper's lists can use at most ${config.maxShopperBytes} bytes in total`);
}

/** Charges the request for the items in its response: 20 mutations in one document can return 500 large items each. */
export function chargeItems({ budget }: Context, rows: readonly { cprops: string; bundle: string }[]): void {
  for (const { cprops, bundle } of rows) charge(budget, cprops.length + bundle.length);
}

/** Larger writes of one shopper run one at a time, so that concurrent ones cannot exceed the quota together. */
const LARGE_BYTES = 65_536;

export function isLarge(sent: unknown): boolean {
  return JSON.stringify(sent).length > LARGE_BYTES;
}

/** Whether the store lets shoppers restore what they delete. */
export function isRestorable({ store }: { store: { restoreDays: number } }): boolean {
  return store.restoreDays > 0;
}

/** What was deleted after this moment can be restored. */
export function restorableSince({ restoreDays }: { restoreDays: number }, now: Date): Date {
  return new Date(now.getTime() - restoreDays * DAY_MS);
}

export function restorableUntil({ restoreDays }: { restoreDays: number }, deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + restoreDays * DAY_MS);
}

/** Builds webhook events. */
export function eventsOfItems(
  { pid, uid }: { pid: string; uid: string },
  type: 'list.item.added' | 'list.item.removed',
  items: readonly ItemEventData[],
  now: Date,
): HappenedEvent[] {
  return items.map(({ lid, id, epi, empi, du, qty }) => ({
    pid,
    now,
    type,
    data: { lid, id, epi, empi, du, qty, uid },
  }));
}
