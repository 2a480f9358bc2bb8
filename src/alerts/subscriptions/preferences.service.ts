import type { Services } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { ContactKey } from '../../shoppers/contacts/contact.rules.ts';
import { readUndo } from '../../shoppers/contacts/link.rules.ts';
import { restoreConsent } from '../../shoppers/contacts/mailing-list.service.ts';
import * as optOuts from '../../shoppers/contacts/opt-out.repo.ts';
import type { Undo } from '../../shoppers/contacts/opt-out.repo.ts';
import { byLink, unsubscribe } from '../../shoppers/contacts/opt-out.service.ts';
import { announce } from '../../shoppers/contacts/subscription-events.service.ts';
import { catchUp } from '../events/event.service.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** Restores exactly what an unsubscribe removed; `isUndone` is false once it is too late. Repeating it is harmless. */
export const undoUnsubscribe = (deps: Deps, token: string, undoing: string, lang: string | null) =>
  byLink(deps, token, lang, async ({ store, claim }) => {
    const { pid } = store;
    const now = deps.now();
    const record = readUndo(store, claim, undoing, now);
    if (record === null) return { isUndone: false };
    await deps.db.transaction(async (tx) => {
      // A token of the previous release has one record, of the claim's own contact.
      for (const undo of [JSON.parse(record) as Undo | Undo[]].flat())
        await restore(tx, pid, { ...claim, value: undo.value ?? claim.value }, undo, now);
    });
    return { isUndone: true };
  });

async function restore(tx: Tx, pid: string, contact: ContactKey, undo: Undo, now: Date): Promise<void> {
  const restored = await optOuts.restoreSubscriptions(tx, undo.subscriptions);
  await optOuts.restoreContact(tx, pid, contact, undo);
  if (undo.consent) await restoreConsent(tx, pid, contact, undo.consent, now);
  await announce(tx, 'subscription.created', restored, now);
  const confirmed = restored.filter(({ confirmedAt }) => confirmedAt !== null);
  await catchUp(tx, pid, confirmed, now);
}

/** The topics of which the contact of an unsubscribe link gets alerts; null for a link that is not ours. */
export const viewPreferences = (deps: Deps, token: string, lang: string | null) =>
  byLink(deps, token, lang, async ({ store, claim }) => ({
    subscribed: await optOuts.listSubscribedTopics(deps.db, store.pid, claim),
  }));

export type Preferences = NonNullable<Awaited<ReturnType<typeof viewPreferences>>>;

type Choice = { shown: readonly string[]; kept: readonly string[] };

/** Unsubscribes from the topics that the page showed and that are not among `kept`. */
export const savePreferences = (deps: Deps, token: string, { shown, kept }: Choice, lang: string | null) =>
  byLink(deps, token, lang, async ({ store, claim: { medium, value } }) => {
    const listed = await optOuts.listSubscribedTopics(deps.db, store.pid, { medium, value });
    const topics = listed
      .map(({ topic }) => topic)
      .filter((one) => shown.includes(one) && !kept.includes(one));
    const [topic, ...moreTopics] = topics;
    if (topic === undefined) return { topics, undo: null };
    const claim = { scope: 'topic', medium, value, topic, moreTopics, epi: '' } as const;
    return { topics, undo: await unsubscribe(deps, { store, claim }) };
  });
