import { HOUR_MS } from '../../platform/time.ts';
import type { ConsentBefore } from './consent.repo.ts';
import type { ContactKey } from './contact.rules.ts';
import { decryptLink, encryptLink } from './link.rules.ts';
import type { LinkStore } from './link.rules.ts';
import type { Removal } from './opt-out.repo.ts';

const UNDO_MS = HOUR_MS;

/** What an unsubscribe changed. */
export type Undo = Removal & { consent: ConsentBefore | null };

/** Only the page after an unsubscribe has it: an encrypted record of what was removed. */
export function undoToken(store: LinkStore, { medium, value }: ContactKey, undo: Undo, now: Date): string {
  return encryptLink(store, 'undo', [medium, value, String(now.getTime()), JSON.stringify(undo)]);
}

/** Null unless the store made the token for this contact within the last hour. */
export function readUndo(store: LinkStore, contact: ContactKey, token: string, now: Date): Undo | null {
  const [medium, value, madeAt, undo] = decryptLink(store, 'undo', token, now) ?? [];
  const isOurs = medium === contact.medium && value === contact.value;
  return isOurs && now.getTime() - Number(madeAt) <= UNDO_MS ? (JSON.parse(undo!) as Undo) : null;
}
