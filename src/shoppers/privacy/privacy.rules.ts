import { contactsOf } from '../contacts/contact.rules.ts';
import type { Contact } from '../contacts/contact.rules.ts';
import type { IdentityKey, ShopperRow } from '../shopper.repo.ts';

/** Who is meant, by which contacts messages reach that person, and by which texts a message names it. */
export type Subject = IdentityKey & { em: string | null; contacts: Contact[]; names: string[] };

/** A shopper as a data subject. Contacts have the form in which subscriptions keep them. */
export function subjectOf(
  store: { defaultRegion: string | null },
  { pid, regid, uid, em, m }: ShopperRow,
): Subject {
  const contacts = contactsOf(store, { em, m });
  // A number as it was typed names the person, too, if it is one at all.
  const typed = contactsOf(store, { em: null, m }).length > 0 ? m : null;
  const names = [em, ...contacts.map(({ value }) => value), typed, uid].filter((name): name is string =>
    Boolean(name),
  );
  return { pid, regid, em, contacts, names: [...new Set(names)] };
}

const WORD = '\\p{L}\\p{M}\\p{N}';

/** Finds a name on its own: ann@shop.co is neither in joann@shop.co, ann@shop.com nor ann@shop.co.uk. */
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

/** Tells whether the texts of a message name the person. */
export function createNameSearch({ names }: Subject): (payload: unknown) => boolean {
  const patterns = names.map(patternOf);
  return (payload) => hasText(payload, patterns);
}
