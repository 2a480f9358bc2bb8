import type { HappenedEvent } from '../stores/webhooks/event.repo.ts';
import type { ToldItem } from './item.repo.ts';
import type { Context } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { objectFault } from '../platform/json.ts';
import { codePoints, hasControlCharacters, isStorable } from '../platform/text.ts';
import { DAY_MS } from '../platform/time.ts';

/** Items in a list's own record. */
export const PREVIEW_SIZE = 10;

/** Items that `listcontents` of a list shows at most. */
export const MAX_PREVIEW = 500;

/** Items that the lists of one answer show at most in all; where they hold more, each shows its ten newest only. */
export const MAX_SHOWN = 5_000;

const NAME = { min: 3, max: 50 };
const MAX_NOTE = 1_000;
const MAX_LID = 100;

/** A list id, or the failure `invalid-lid` when it is missing; what cannot be an id is reported missing like any unknown one. */
export function checkLid(lid: string | null | undefined, field = 'lid'): string {
  const text = (lid ?? '').trim();
  if (text === '') fail('invalid-lid', `${field} is missing`);
  return text.length <= MAX_LID && isStorable(text) ? text : fail('list-not-found');
}

const MAX_LIDS = 100;

/** List ids to look for, without those that can be none; absent stays absent. */
export function checkLids(lids: readonly string[] | null | undefined): string[] | null {
  if (lids == null) return null;
  if (lids.length > MAX_LIDS) fail('invalid-lid', `lids must have at most ${MAX_LIDS} entries`);
  return lids.map((lid) => lid.trim()).filter((lid) => /^[\w-]+$/.test(lid) && lid.length <= MAX_LID);
}

/** A list name, trimmed and in NFC, or the failure `invalid-lname`. */
export function checkListName(text: string | null | undefined): string {
  const name = (text ?? '').trim().normalize('NFC');
  if (hasControlCharacters(name) || !isStorable(name))
    fail('invalid-lname', 'lname must be one line of printable characters');
  const length = codePoints(name);
  const isFine = length >= NAME.min && length <= NAME.max;
  return isFine ? name : fail('invalid-lname', `lname must have ${NAME.min} to ${NAME.max} characters`);
}

/** A note of one line; absent stays absent, an empty one removes the note. */
export function checkListNote(text: string | null | undefined): string | undefined {
  if (text == null) return undefined;
  const note = text.trim();
  const isFine = !hasControlCharacters(note) && isStorable(note) && codePoints(note) <= MAX_NOTE;
  return isFine ? note : fail('invalid-lnote', `lnote must be one line of at most ${MAX_NOTE} characters`);
}

/** A bounded JSON object, or the failure `invalid-lprops` that names the field; absent stays absent. */
export function checkProperties(
  field: 'lprops' | 'cprops' | 'ldesc',
  value: unknown,
): Record<string, unknown> | undefined {
  if (value == null) return undefined;
  const fault = objectFault(value);
  return fault === null ? (value as Record<string, unknown>) : fail('invalid-lprops', `${field} ${fault}`);
}

/** A description as it is kept: a text becomes an object that holds it. */
export function checkDescription(value: unknown): Record<string, unknown> | undefined {
  return checkProperties('ldesc', typeof value === 'string' ? { text: value } : value);
}

/** A list type that the store allows, or the failure `invalid-lty`. */
export function checkListType(lty: string | null | undefined, configured: readonly string[]): string | null {
  if (lty == null || lty === '') return null;
  const isFine = lty === 'wl' || lty === 'sfl' || configured.includes(lty);
  return isFine
    ? lty
    : fail('invalid-lty', 'lty must be wl, sfl or a list type that is configured for the store');
}

/** A list type to look for; a store may have lists of a type that it no longer allows. */
export function checkTypeFilter(lty: string | null | undefined): string | null {
  if (lty == null || lty === '') return null;
  const isFine = lty.length <= 32 && isStorable(lty);
  return isFine ? lty : fail('invalid-lty', 'lty must have at most 32 characters');
}

/** A list state to look for, or the failure `invalid-request`. */
export function checkState(st: number | null | undefined): number | null {
  if (st == null || st === 0 || st === 1) return st ?? null;
  return fail('invalid-request', 'st must be 1 (active), 0 (archived) or null (both)');
}

/** Refuses a write that was made for an older version of the list. */
export function checkListVersion(version: number, expected: number | null | undefined): void {
  if (expected == null || expected === version) return;
  fail('version-conflict', `The list has version ${version} by now, not ${expected}; read it again`);
}

/** Refuses a write that grew beyond the quota; null stands for one that did not grow, which is always allowed. */
export function checkBytes({ config }: Context, used: number | null): void {
  if (used === null || used <= config.maxShopperBytes) return;
  fail('limit-reached', `A shopper's lists can hold at most ${config.maxShopperBytes} bytes in all`);
}

/** Beyond this size a write waits for the shopper's other large writes, so that many at once cannot all find the same room. */
const LARGE_BYTES = 65_536;

/** Whether what was sent is large enough to be counted exactly. */
export function isLarge(sent: unknown): boolean {
  return JSON.stringify(sent).length > LARGE_BYTES;
}

/** Whether what this shopper deletes can be brought back. */
export function keepsDeleted({ store }: { store: { restoreDays: number } }): boolean {
  return store.restoreDays > 0;
}

/** Since when deletions can be undone; what was deleted at that moment no longer can. */
export function restorableSince({ restoreDays }: { restoreDays: number }, now: Date): Date {
  return new Date(now.getTime() - restoreDays * DAY_MS);
}

/** Until when a deletion can be undone. */
export function restorableUntil({ restoreDays }: { restoreDays: number }, deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + restoreDays * DAY_MS);
}

/** What happened to an item, for webhooks. */
export type ItemEvent = 'list.item.added' | 'list.item.removed';

/** What the store's webhooks learn of items. */
export function eventsOfItems(
  { pid, uid }: { pid: string; uid: string },
  type: ItemEvent,
  items: readonly ToldItem[],
  now: Date,
): HappenedEvent[] {
  return items.map(({ lid, id, epi, empi, du, qty }) => ({
    pid,
    now,
    type,
    data: { lid, id, epi, empi, du, qty, uid },
  }));
}
