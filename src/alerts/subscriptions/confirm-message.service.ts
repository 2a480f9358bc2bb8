import type { Context } from '../../context.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import type { Contact } from '../../shoppers/contacts/contact.rules.ts';
import { readerLanguage } from '../../shoppers/contacts/language.repo.ts';
import { encryptLink, langQuery, shortConfirm } from '../../shoppers/contacts/link.rules.ts';
import { findProducts } from '../../stores/products/product.repo.ts';
import { variantUrl } from '../../stores/products/product.rules.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { consume } from '../../stores/usage-window.repo.ts';
import { USAGE_LIMITS, failTooMany, usageKey } from '../../stores/usage-window.rules.ts';
import type { UsageKind } from '../../stores/usage-window.rules.ts';
import { productUrls } from '../compose/shop.rules.ts';
import type { Shop } from '../compose/shop.rules.ts';
import { enqueueMessage } from '../queue/outbox.repo.ts';
import { channelOf, isBuiltIn, isTerse } from '../send/channels.ts';
import type { Branded } from '../send/mail-page.ts';
import * as requests from './request.repo.ts';
import { LINK_LIFETIME_MS, toClaim } from './signup.rules.ts';

/** The sign-up's author, for counting confirmation messages. */
export type Requester = { regid: string; isStranger: boolean };

/** Strangers have their own limit, so that they cannot exhaust the store's. The result depends only on the requester's own requests. */
export async function sendConfirmation(
  tx: Tx,
  ctx: Context,
  store: StoreRow,
  contact: Contact,
  { regid: requester, isStranger }: Requester,
  now: Date,
): Promise<boolean> {
  const { pid } = store;
  const asked = { pid, ...contact, requester };
  const pending = await requests.listAsked(tx, asked);
  if (pending.length === 0) return false;
  const spend = spender(tx, store, now);
  const subject = `${contact.medium} ${contact.value}`;
  if (isStranger && (await spend('signup confirmGuest', `${subject} ${requester}`)) !== null) return true;
  // Checked before the contact's own limit, because the response must not reveal whether others have reached that.
  const channel = channelOf(contact.medium);
  const range = channel.contact.rangeOf?.(contact.value);
  const textUntil = range ? await admitText(ctx, spend, range, { regid: requester, isStranger }, now) : null;
  const dayEnd = await spend('signup confirm', isStranger ? `${subject} guests` : subject);
  const isLate = dayEnd !== null;
  if (isLate && (await requests.isNotified(tx, asked, new Date(now.getTime() - LINK_LIFETIME_MS))))
    return true;
  const dueAt = later(dayEnd, textUntil) ?? now;
  const { publicUrl } = ctx.config;
  const wanted = pending.find((one) => one.language !== null)?.language ?? null;
  const language = await readerLanguage(tx, store, contact, wanted);
  const url = publicUrl + confirmPath(store, contact, dueAt, requester, language);
  const message = {
    pid,
    kind: 'confirm',
    medium: contact.medium,
    recipient: contact.value,
    payload: channel.confirm({ ...(await describeAsked(tx, store, publicUrl, pending)), language, url }),
    dueAt,
    dedupeKey: isLate ? lateKey(store, `${subject} ${isStranger}`, dayEnd) : null,
  };
  if ((await enqueueMessage(tx, message, now)) !== null) await requests.markNotified(tx, asked, dueAt);
  return true;
}

type Asked = { topic: string; epi: string };

/** Describes requests, newest first, by the catalogue and built-in topics only, because anyone can have typed other texts. */
export async function describeAsked(
  db: Db,
  store: Branded & Shop & { pid: string },
  publicUrl: string,
  asked: readonly Asked[],
) {
  const epis = [...new Set(asked.map(({ epi }) => epi))];
  const products = new Map((await findProducts(db, store.pid, epis)).map((one) => [one.epi, one]));
  const found = epis.map((epi) => products.get(epi)).find((one) => one?.dt);
  const [topic = '', ...others] = new Set(asked.map((one) => one.topic));
  const urls = found && productUrls(store, publicUrl)(variantUrl(found), found.iu);
  return {
    store,
    topic: others.length === 0 && isBuiltIn(topic) ? topic : null,
    product: urls ? { title: found.dt!, ...urls } : null,
    count: epis.length,
  };
}

/** The path of the confirmation page; a short link if the medium limits the length. */
function confirmPath(store: StoreRow, contact: Contact, issuedAt: Date, requester: string, language: string) {
  const short = isTerse(contact.medium) ? shortConfirm(store, { contact, issuedAt, requester }) : null;
  if (short !== null) return `/c/${short}`;
  const token = encryptLink(store, 'confirm', toClaim(contact, issuedAt, requester));
  return `/confirm/${token}${langQuery(language)}`;
}

/** One message is sent after the end of a day, for all requests beyond its limit. */
function lateKey({ secret }: StoreRow, subject: string, dayEnd: Date): string {
  return `confirm ${usageKey(secret, 'signup confirm', subject).toString('base64url')} ${dayEnd.getTime()}`;
}

type Spend = (kind: UsageKind, subject: string) => Promise<Date | null>;

const spender =
  (tx: Tx, { pid, secret }: StoreRow, now: Date): Spend =>
  (kind, subject) =>
    consume(tx, pid, usageKey(secret, kind, subject), USAGE_LIMITS[kind], now);

/** SMS messages cost money: beyond the limits a shopper is rejected, while a store's own call is only delayed. */
async function admitText(
  ctx: Context,
  spend: Spend,
  range: string,
  { regid, isStranger }: Requester,
  now: Date,
): Promise<Date | null> {
  const isShoppers = ctx.viewer.keyId === null;
  const counts = [
    ...(isStranger ? [['signup textGuest', regid] as const] : []),
    ...(isShoppers ? [['signup textAddress', ctx.address] as const, ['signup textStore', ''] as const] : []),
    ['signup textRange', range] as const,
  ];
  let latest: Date | null = null;
  for (const [kind, subject] of counts) {
    const until = await spend(kind, subject);
    if (until !== null && isShoppers) failTooMany(kind, until, now);
    latest = later(latest, until);
  }
  return latest;
}

function later(one: Date | null, other: Date | null): Date | null {
  return one === null || (other !== null && other > one) ? other : one;
}
