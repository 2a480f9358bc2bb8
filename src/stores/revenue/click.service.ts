import { absoluteUrl, siteOf } from '../../alerts/compose/model.rules.ts';
import type { AlertModel } from '../../alerts/compose/template.rules.ts';
import type { ClaimedMessage } from '../../alerts/queue/outbox.repo.ts';
import { isTerse } from '../../alerts/send/channels.ts';
import type { Medium } from '../../alerts/send/channels.ts';
import { requireShopper } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { hasDeclined, shopperKey } from '../../shoppers/contacts/consent.repo.ts';
import type { PersonKey } from '../../shoppers/contacts/consent.repo.ts';
import { contactsOf, withSameContacts } from '../../shoppers/contacts/contact.rules.ts';
import type { LinkStore, ShortLinkStore } from '../../shoppers/contacts/link.rules.ts';
import { byLink, trackingKeys } from '../../shoppers/contacts/opt-out.service.ts';
import type { ShopperRow } from '../../shoppers/shopper.repo.ts';
import { enter } from '../../shoppers/shopper.service.ts';
import type { ZonedStore } from '../reports/report.repo.ts';
import { isServed } from '../store.rules.ts';
import * as clicks from './click.repo.ts';
import { alertToken, isLinkable, isOurs, longToken, shortToken } from './click.rules.ts';
import type { ClickLink } from './click.rules.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** Replaces the product link in an alert's template variables by a tracked one, where clicks may be tracked. */
export type TrackLink = (store: ShortLinkStore, message: ClaimedMessage, model: AlertModel) => AlertModel;

export async function trackLinks(
  { db, config, now }: Deps,
  medium: Medium,
  messages: readonly ClaimedMessage[],
): Promise<TrackLink> {
  const facts = await clicks.loadLinkFacts(db, messages);
  const factsOf = new Map(messages.map(({ id }, index) => [id, facts[index]!]));
  return (store, { id, seq }, model) => {
    const { url } = model.product;
    const { isTracked, isInCatalogue } = factsOf.get(id)!;
    if (!isTracked || url === '' || !isLinkable(id)) return model;
    // A short link leads where the catalogue says.
    const isShort = isTerse(medium) && isInCatalogue;
    const token = isShort ? shortToken(store, seq) : longToken(store, id, url, now());
    return { ...model, product: { ...model.product, url: `${config.publicUrl}/go/${token}` } };
  };
}

/** The store of a link, with what the day of a click depends on. */
type ClickStore = LinkStore & ZonedStore;

type LongLink = Extract<ClickLink, { kind: 'long' }>;

export type FoundLink = { store: ClickStore; alertId: string; target: string };

/** Verifies a link that contains its target; null when the store did not make it. */
export function verifyLink({ now }: Pick<Deps, 'now'>, store: ClickStore, link: LongLink): FoundLink | null {
  return isOurs(store, link, now()) ? { store, alertId: link.alertId, target: link.target } : null;
}

/** Verifies a link whose target is read from the catalogue; null when it is not ours, or its alert or product is gone. */
export async function findLink({ db, config, now }: Deps, link: Exclude<ClickLink, LongLink>) {
  const found = await clicks.findTarget(db, link);
  if (found === null || !isServed(config, found.store) || !isOurs(found.store, link, now())) return null;
  const target = absoluteUrl(found.url, siteOf(found.store, config.publicUrl));
  return target === '' ? null : { store: found.store, alertId: found.alertId, target };
}

/** Records a click; returns the token that the store can report with an order, or null where the click may not be tracked. */
export async function countClick({ db, now }: Deps, { store, alertId }: FoundLink): Promise<string | null> {
  return (await clicks.recordClick(db, store, alertId, now())) ? alertToken(store, alertId) : null;
}

export async function isTracked({ db }: Context, { pid, regid }: ShopperRow): Promise<boolean> {
  return !(await hasDeclined(db, pid, [shopperKey(regid)]));
}

/** Saves the calling shopper's choice, also for its own contacts. */
export async function setTracking(ctx: Context, isAllowed: boolean): Promise<{ measured: boolean }> {
  const { store, ...shopper } = requireShopper(ctx);
  const { pid, regid } = shopper;
  await ctx.db.transaction(async (tx) => {
    await enter(tx, ctx, shopper);
    const optedIn = await clicks.findOptedIn(tx, pid, regid);
    const keys = [shopperKey(regid), ...contactsOf(store, shopper), ...optedIn.flatMap(withSameContacts)];
    await saveChoice(tx, pid, keys, isAllowed, ctx.now());
  });
  return { measured: isAllowed };
}

async function saveChoice(tx: Tx, pid: string, keys: readonly PersonKey[], isAllowed: boolean, now: Date) {
  if (isAllowed) return clicks.allowTracking(tx, pid, keys);
  await clicks.declineTracking(tx, pid, keys, now);
  await clicks.anonymise(tx, pid, keys);
}

/** Saves the choice of the contact of an unsubscribe link; null when it is not ours. It needs no account. */
export const setTrackingByLink = (deps: Deps, token: string, isAllowed: boolean, lang: string | null) =>
  byLink(deps, token, lang, async (opened) => {
    const keys = await trackingKeys(deps.db, opened);
    await deps.db.transaction((tx) => saveChoice(tx, opened.store.pid, keys, isAllowed, deps.now()));
    return { isTracked: isAllowed };
  });
