import { catchUp } from '../../alerts/events/event.service.ts';
import type { Services } from '../../context.ts';
import { restoreConsent } from './mailing-list.service.ts';
import * as optOuts from './opt-out.repo.ts';
import { announce, openUnsubscribe, unsubscribe, viewOf } from './opt-out.service.ts';
import { readUndo } from './undo.rules.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** Restores exactly what an unsubscribe removed; `isUndone` is false once it is too late. Repeating it is harmless. */
export async function undoUnsubscribe(deps: Deps, token: string, undoing: string, lang: string | null) {
  const opened = await openUnsubscribe(deps, token);
  if (opened === null) return null;
  const { store, claim } = opened;
  const now = deps.now();
  const undo = readUndo(store, claim, undoing, now);
  if (undo !== null)
    await deps.db.transaction(async (tx) => {
      const restored = await optOuts.restoreSubscriptions(tx, undo.subscriptions);
      await optOuts.restoreContact(tx, store.pid, claim, undo);
      if (undo.consent) await restoreConsent(tx, store.pid, claim, undo.consent, now);
      await announce(tx, store.pid, 'subscription.created', restored, now);
      const confirmed = restored.filter((one) => one.confirmed);
      await catchUp(tx, store.pid, confirmed, now);
    });
  return { ...(await viewOf(deps.db, opened, lang)), isUndone: undo !== null };
}

/** The topics of which the contact of an unsubscribe link gets alerts; null for a link that is not ours. */
export async function viewPreferences(deps: Deps, token: string, lang: string | null) {
  const opened = await openUnsubscribe(deps, token);
  if (opened === null) return null;
  const subscribed = await optOuts.listSubscribedTopics(deps.db, opened.store.pid, opened.claim);
  return { ...(await viewOf(deps.db, opened, lang)), subscribed };
}

export type Preferences = NonNullable<Awaited<ReturnType<typeof viewPreferences>>>;

/** Unsubscribes from the topics that the page showed and that are not among `kept`. */
export async function savePreferences(
  deps: Deps,
  token: string,
  { shown, kept }: { shown: readonly string[]; kept: readonly string[] },
  lang: string | null,
) {
  const opened = await openUnsubscribe(deps, token);
  if (opened === null) return null;
  const { store, claim } = opened;
  const view = await viewOf(deps.db, opened, lang);
  const listed = await optOuts.listSubscribedTopics(deps.db, store.pid, claim);
  const left = listed.map(({ topic }) => topic).filter((one) => shown.includes(one) && !kept.includes(one));
  const [topic, ...moreTopics] = left;
  if (topic === undefined) return { ...view, topics: left, undo: null };
  const { medium, value } = claim;
  const narrowed = { scope: 'topic', medium, value, topic, moreTopics, epi: '' } as const;
  return { ...view, topics: left, undo: await unsubscribe(deps, { store, claim: narrowed }) };
}
