import { productUrls } from '../alerts/compose/shop.rules.ts';
import { enqueueMessage } from '../alerts/queue/outbox.repo.ts';
import { requireAccount, requireShopper } from '../context.ts';
import type { Context, Services } from '../context.ts';
import type { MutationEmailListArgs, MutationReportShareArgs } from '../generated/resolvers.ts';
import { readOrLess } from '../platform/budget.ts';
import type { Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { readLanguage, shippedLanguage } from '../platform/messages.ts';
import { findProducts } from '../stores/products/product.repo.ts';
import { variantUrl } from '../stores/products/product.rules.ts';
import { countUse } from '../stores/usage-window.service.ts';
import { readPage } from './list.reads.ts';
import { changeList, countShare, findNewestList, findPublicStore } from './list.repo.ts';
import { checkLid } from './list.rules.ts';
import { withOwnList } from './list.service.ts';
import type { Owner } from './list.service.ts';
import { itemUrl, ownView } from './list.view.ts';
import { readPages } from './page.repo.ts';
import type { PageRow } from './page.repo.ts';
import { NEWEST_FIRST } from './page.rules.ts';
import { checkEmail } from '../shoppers/shopper.rules.ts';
import * as rules from './share.rules.ts';

/** Makes the list public, because its link would not open otherwise, and queues the email in the same transaction. */
export async function emailList(ctx: Context, mail: MutationEmailListArgs) {
  requireAccount(ctx);
  const to = checkEmail(mail.toemail, 'toemail');
  const fromname = rules.checkFromName(mail.fromname);
  const note = rules.checkShareNote(mail.note);
  const now = ctx.now();
  const listinfo = await withOwnList(ctx, mail.lid, {}, async (tx, locked, owner) => {
    await countUse(tx, ctx, 'share shopper', owner.regid);
    if (ctx.viewer.keyId === null) await countUse(tx, ctx, 'share address', ctx.address);
    await countUse(tx, ctx, 'share recipient', to);
    const list = locked.anonRead
      ? locked
      : await changeList(tx, locked, { anonRead: true }, { uby: owner.em, now });
    const { store } = owner;
    const language = shippedLanguage(readLanguage(mail.language), owner.language, store.locale);
    const content = rules.shareMail({
      ...{ store, language, note, fromname: fromname || owner.fname, lname: list.lname, cnt: list.cnt },
      items: await readMailedItems(tx, ctx, owner, list.lid),
      url: rules.shareLink(store, ctx.config.publicUrl, list.lid, language),
    });
    const message = { kind: 'list-share', medium: 'email', recipient: to, payload: content } as const;
    await enqueueMessage(tx, { pid: store.pid, ...message }, now);
    return ownView(owner, list);
  });
  return { msg: 'List emailed', listinfo };
}

const MAILED_ITEMS = 10;
const MAX_MAILED_BYTES = 1_000_000;

async function readMailedItems(tx: Tx, ctx: Context, owner: Owner, lid: string): Promise<rules.MailedItem[]> {
  const { pid, regid, store } = owner;
  const key = { pid, regid, lid, limit: MAILED_ITEMS, isWithoutList: true } as const;
  const [page] = await readPages(tx, NEWEST_FIRST, [{ key, maxBytes: MAX_MAILED_BYTES }]);
  const items = page!.row?.items ?? [];
  const epis = items.map(({ epi }) => epi);
  const products = await findProducts(tx, pid, epis);
  const urlsOf = productUrls(store, ctx.config.publicUrl);
  return items.map(({ epi, dt, vi, pr, qty, stk }) => {
    const product = products.find((one) => one.epi === epi);
    return {
      title: dt ?? epi,
      variant: vi,
      price: pr,
      quantity: qty,
      isSoldOut: store.inventoryManaged && stk !== null && stk <= 0,
      ...(product ? urlsOf(variantUrl(product), product.iu) : { url: '', image: '' }),
    };
  });
}

/** Without an id it counts a share of the shopper's newest list. */
export async function reportShare(ctx: Context, share: MutationReportShareArgs) {
  const shopper = requireShopper(ctx);
  const sent = share.lid?.trim() ? checkLid(share.lid) : null;
  rules.checkFromName(share.fromname);
  const medium = rules.checkShareMedium(share.medium);
  const lid =
    sent ??
    (await findNewestList(ctx.db, shopper)) ??
    fail('list-not-found', 'The shopper has no list to share yet');
  const list = await ctx.db.transaction(async (tx) => {
    if (ctx.viewer.keyId === null) await countUse(tx, ctx, 'share report', ctx.address);
    return (await countShare(tx, shopper, lid)) ?? fail('list-not-found');
  });
  return { msg: 'Share recorded', ...list, medium };
}

/** For links without a store id; returns an empty text when there is no such list. */
export async function storeOfSharedList({ db }: Pick<Services, 'db'>, lid: string): Promise<string> {
  return (await findPublicStore(db, lid)) ?? '';
}

/** The page shows fewer items when they are too large to be read at once. */
const SHARED_ITEMS = { max: 500, large: 50 };

export type SharedList = NonNullable<Awaited<ReturnType<typeof viewSharedList>>>;

export async function viewSharedList(ctx: Context, lid: string) {
  const { viewer, config } = ctx;
  const { store } = viewer;
  if (store === null) return null;
  if (store.maintenance) fail('maintenance', undefined, { 'Retry-After': '120' });
  const read = (limit: number): Promise<PageRow> =>
    readPage(ctx, NEWEST_FIRST, { pid: store.pid, regid: '', lid, limit });
  const page = await readOrLess(read, SHARED_ITEMS.max, SHARED_ITEMS.large);
  if (page.list === null) return null;
  const { lname, lnote, cnt } = page.list;
  const urlsOf = productUrls(store, config.publicUrl);
  /** With absolute URLs; `image` is empty unless it is served over https. */
  const items = page.items.map((item) => ({
    ...item,
    ...urlsOf(itemUrl(item) ?? item.du, item.iu),
    stock: store.inventoryManaged ? item.stk : null,
  }));
  // The first name of an account; null for a guest.
  const ownerName = (page.owner?.isGuest === false && page.owner.fname) || null;
  return { store, lname, lnote, ownerName, cnt, items };
}
