import { isTerse } from '../../alerts/send/channels.ts';
import type { Medium } from '../../alerts/send/channels.ts';
import type { Services } from '../../context.ts';
import type { ClaimedMessage } from '../../alerts/queue/outbox.repo.ts';
import { absoluteUrl, siteOf } from '../../alerts/compose/model.rules.ts';
import type { AlertModel } from '../../alerts/compose/template.rules.ts';
import type { LinkStore } from '../../shoppers/contacts/link.rules.ts';
import type { ShortStore } from '../../shoppers/contacts/short-link.rules.ts';
import { isServed } from '../store.rules.ts';
import { findBriefTarget, findTarget, loadLinkFacts, recordClick } from './click.repo.ts';
import { briefToken, isLinkable, isOurs, longToken, shortToken } from './click.rules.ts';
import type { ClickLink } from './click.rules.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** Gives what a template sees of an alert the link that counts its clicks, where they may be counted. */
export type LinkAlert = (store: ShortStore, message: ClaimedMessage, model: AlertModel) => AlertModel;

/** Loads what decides on the links of a batch of alerts, with one statement. */
export async function openLinks(
  { db, config, now }: Deps,
  medium: Medium,
  messages: readonly ClaimedMessage[],
): Promise<LinkAlert> {
  const facts = await loadLinkFacts(db, messages);
  const factsOf = new Map(messages.map(({ id }, index) => [id, facts[index]!]));
  return (store, { id, seq }, model) => {
    const { url } = model.product;
    const { isMeasured, isInCatalogue } = factsOf.get(id)!;
    if (!isMeasured || url === '' || !isLinkable(id)) return model;
    // A short link leads where the catalogue says.
    const isShort = isTerse(medium) && isInCatalogue;
    const token = isShort ? briefToken(store, seq) : longToken(store, id, url, now());
    return { ...model, product: { ...model.product, url: `${config.publicUrl}/go/${token}` } };
  };
}

/** A link that is proven: whose alert it is of, and where it leads. */
export type FoundLink = { store: LinkStore; alertId: string; target: string };

/** Proves a link that says where it leads; null when the store did not make it. */
export function proveLink(
  { now }: Pick<Deps, 'now'>,
  store: LinkStore,
  link: Extract<ClickLink, { kind: 'long' }>,
): FoundLink | null {
  return isOurs(store, link, now()) ? { store, alertId: link.alertId, target: link.target } : null;
}

/** Finds where a short link leads; null when it is none of ours, or its alert or product is not known any more. */
export async function findLink(
  { db, config, now }: Deps,
  link: Exclude<ClickLink, { kind: 'long' }>,
): Promise<FoundLink | null> {
  const found = await (link.kind === 'short' ? findTarget(db, link.alertId) : findBriefTarget(db, link));
  if (found === null || !isServed(config, found.store) || !isOurs(found.store, link, now())) return null;
  const target = absoluteUrl(found.url, siteOf(found.store, config.publicUrl));
  return target === '' ? null : { store: found.store, alertId: found.alertId, target };
}

/** Notes a click; answers the token that the store can report with an order, or null where the click does not count. */
export async function countClick({ db, now }: Deps, { store, alertId }: FoundLink): Promise<string | null> {
  return (await recordClick(db, store.pid, alertId, now())) ? shortToken(store, alertId) : null;
}
