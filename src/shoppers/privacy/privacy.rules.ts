import { contactsOf } from '../contacts/contact.rules.ts';
import type { Contact } from '../contacts/contact.rules.ts';
import type { IdentityKey, ShopperRow } from '../shopper.repo.ts';

/** A data subject: the person's contacts, and the texts by which a message names the person. */
export type Subject = IdentityKey & { em: string | null; contacts: Contact[]; names: string[] };

/** Addresses that the account has given up still name it, unless another account has them. */
export function subjectOf(
  store: { defaultRegion: string | null },
  { pid, regid, uid, em, m }: ShopperRow,
  formerAddresses: readonly string[],
) {
  const former = formerAddresses.map((address) => ({ em: address, m: null }));
  const contacts = [{ em, m }, ...former].flatMap((reachable) => contactsOf(store, reachable));
  // A valid phone number also names the person as it was typed.
  const typed = contactsOf(store, { em: null, m }).length > 0 ? m : null;
  const names = [em, ...contacts.map(({ value }) => value), typed, uid].filter((name): name is string =>
    Boolean(name),
  );
  return { pid, regid, em, contacts, names: [...new Set(names)] };
}

const WORD = '\\p{L}\\p{M}\\p{N}';

/** Matches a whole name: ann@shop.co is neither in joann@shop.co, ann@shop.com nor ann@shop.co.uk. */
function patternOf(name: string): RegExp {
  const before = `(?<![${WORD}._%+-]|[${WORD}]')`;
  const after = `(?![${WORD}_]|[.-]+[${WORD}])`;
  return new RegExp(before + name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') + after, 'iu');
}

function hasText(value: unknown, patterns: readonly RegExp[]): boolean {
  if (typeof value === 'string') return patterns.some((pattern) => pattern.test(value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => hasText(inner, patterns));
}

/** Creates the check whether a message names the person. */
export function createNameSearch({ names }: Subject): (payload: unknown) => boolean {
  const patterns = names.map(patternOf);
  return (payload) => hasText(payload, patterns);
}
