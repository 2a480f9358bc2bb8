import type { Services } from '../../context.ts';
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
    const undo = JSON.parse(record) as Undo;
    await deps.db.transaction(async (tx) => {
      const restored = await optOuts.restoreSubscriptions(tx, undo.subscriptions);
      await optOuts.restoreContact(tx, pid, claim, undo);
      if (undo.consent) await restoreConsent(tx, pid, claim, undo.consent, now);
      await announce(tx, 'subscription.created', restored, now);
      const confirmed = restored.filter(({ confirmedAt }) => confirmedAt !== null);
      await catchUp(tx, pid, confirmed, now);
    });
    return { isUndone: true };
  });

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
