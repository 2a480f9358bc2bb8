import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { QueryFindShopperArgs } from '../../generated/resolvers.ts';
import { readWithin } from '../../platform/budget.ts';
import type { Db } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { checkLimit } from '../../platform/page.ts';
import { isStorable } from '../../platform/text.ts';
import { listFormerAddresses } from '../account.repo.ts';
import { lookUpAccount } from '../account.service.ts';
import { publicIdOf } from '../identity.rules.ts';
import { enterShopper, findByIds, findShopper, lockShopper } from '../shopper.repo.ts';
import type { IdentityKey, ShopperRow } from '../shopper.repo.ts';
import { checkEmail, checkExternalId } from '../shopper.rules.ts';
import { unseenGuest } from '../new-shopper.rules.ts';
import * as privacy from './privacy.repo.ts';
import type { AuditRow, SectionName } from './privacy.repo.ts';
import { subjectOf } from './privacy.rules.ts';
import type { Subject } from './privacy.rules.ts';

/** Exactly one is given. */
type ShopperName = Omit<QueryFindShopperArgs, 'uid'>;

async function findNamed(ctx: Context, db: Db, name: ShopperName): Promise<ShopperRow | null> {
  const store = requireStore(ctx);
  const { useremail, externalid, regid } = name;
  // Two names could mean two people, and an erasure cannot be undone.
  if (Object.values(name).filter(Boolean).length > 1)
    fail('invalid-request', 'Send only one of useremail, externalid, regid and uid');
  if (regid) return findShopper(db, { pid: store.pid, regid });
  const email = externalid ? null : checkEmail(useremail);
  return lookUpAccount(db, store, { email, externalId: externalid ? checkExternalId(externalid) : null });
}

const findSubject = async (ctx: Context, db: Db, shopper: ShopperRow): Promise<Subject> =>
  subjectOf(requireStore(ctx), shopper, await listFormerAddresses(db, shopper));

export async function lookUpShopper(ctx: Context, { uid, ...name }: QueryFindShopperArgs) {
  if (!uid) return findNamed(ctx, ctx.db, name);
  if (Object.values(name).some(Boolean))
    fail('invalid-request', 'Send only one of useremail, externalid, regid and uid');
  const [found] = isStorable(uid) ? await findByIds(ctx.db, requireStore(ctx).pid, [uid]) : [];
  return found ?? null;
}

export function getAuditLog(ctx: Context, first?: number | null): Promise<AuditRow[]> {
  const { pid } = requireStore(ctx);
  return privacy.listAuditEntries(ctx.db, pid, checkLimit('first', first, 20, 100));
}

/** Records an export or an erasure. */
async function audit(ctx: Context, db: Db, action: 'export' | 'erase', key: IdentityKey, detail = {}) {
  const subject = publicIdOf(requireStore(ctx).secret, 'user', key.regid);
  const entry = { id: newId(), at: ctx.now(), action, subject, keyId: ctx.viewer.keyId!, detail };
  await privacy.addAuditEntry(db, key.pid, entry);
  return entry;
}

const DATA = '"data":';
/** A larger export is only streamed. */
const MAX_EXPORT_BYTES = 8_000_000;

/** Everything about a shopper; the export itself is audited. */
export async function exportShopper(ctx: Context, name: ShopperName) {
  const exported = await readWithin(ctx.budget, MAX_EXPORT_BYTES, async (maxBytes) => {
    const value = await ctx.db.transaction(async (tx) => {
      const shopper = (await findNamed(ctx, tx, name)) ?? fail('not-found', 'Shopper not found');
      const exportedAt = ctx.now();
      const chunks = exportChunks(tx, await findSubject(ctx, tx, shopper), exportedAt);
      const text = await joinChunks(chunks, maxBytes);
      if (text === null) return null;
      await audit(ctx, tx, 'export', shopper);
      // The last member of the document, cut out as text instead of parsed.
      return { exportedAt, data: text.slice(text.indexOf(DATA) + DATA.length, -1) };
    });
    return { value, bytes: value === null ? maxBytes : Buffer.byteLength(value.data) };
  });
  return (
    exported ??
    fail('limit-reached', 'The export is larger than 8 MB; use POST /storeadmin/v3/user/export instead')
  );
}

/** Returns null as soon as the chunks exceed `maxBytes`. */
async function joinChunks(chunks: AsyncIterable<string>, maxBytes: number): Promise<string | null> {
  let text = '';
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += Buffer.byteLength(chunk);
    if (bytes > maxBytes) return null;
    text += chunk;
  }
  return text;
}

/** The same in any size; it is audited before the first chunk. It holds no connection between batches, so a slow reader blocks nobody. */
export async function streamExport(ctx: Context, name: ShopperName): Promise<AsyncGenerator<string>> {
  const shopper = (await findNamed(ctx, ctx.db, name)) ?? fail('not-found', 'Shopper not found');
  await audit(ctx, ctx.db, 'export', shopper);
  return exportChunks(ctx.db, await findSubject(ctx, ctx.db, shopper), ctx.now());
}

export async function eraseShopper(ctx: Context, name: ShopperName): Promise<AuditRow> {
  return ctx.db.transaction(async (tx) => {
    // A guest without a row may have sessions, which end, too.
    const unseen = name.regid ? unseenGuest(requireStore(ctx), name.regid) : null;
    const found = (await findNamed(ctx, tx, name)) ?? unseen ?? fail('not-found', 'Shopper not found');
    const shopper = (await lockShopper(tx, found)) ?? (await enterShopper(tx, found, ctx.now()));
    // The account has another address by now, and the given one may be somebody else's.
    if (name.useremail && shopper.em !== found.em) fail('not-found', 'Shopper not found');
    const counts = await privacy.eraseData(tx, await findSubject(ctx, tx, shopper), ctx.now());
    return audit(ctx, tx, 'erase', shopper, counts);
  });
}

/** Everything about a shopper as one JSON text, in chunks of at most a few megabytes. */
async function* exportChunks(db: Db, subject: Subject, exportedAt: Date): AsyncGenerator<string> {
  const read = (name: SectionName, lid?: string) => privacy.readSection(db, subject, name, lid);
  let shopper = 'null';
  for await (const [row] of read('shopper')) shopper = row!.json;
  yield `{"exportedAt":${exportedAt.getTime()},"data":{"shopper":${shopper}`;
  yield* inArray('lists', read('lists'), (lid) => read('items', lid));
  yield* inArray('deletedLists', read('deletedLists'), (lid) => read('itemsOfDeleted', lid));
  for (const name of privacy.FLAT_SECTIONS) {
    if (name === 'alertsReceived') yield* inArray('messages', privacy.findMessages(db, subject));
    yield* inArray(name, read(name));
  }
  yield '}}';
}

type ExportBatches = AsyncIterable<{ json: string; lid?: string }[]>;

/** A member of the export. Items are read separately from their lists: one list can have more than a chunk should. */
async function* inArray(
  name: string,
  batches: ExportBatches,
  itemsOf?: (lid?: string) => ExportBatches,
): AsyncGenerator<string> {
  yield `,"${name}":[`;
  let comma = '';
  for await (const rows of batches) {
    if (itemsOf === undefined) yield comma + rows.map(({ json }) => json).join(',');
    else
      for (const [index, { json, lid }] of rows.entries()) {
        yield (index === 0 ? comma : ',') + json.slice(0, -1);
        yield* inArray('items', itemsOf(lid));
        yield '}';
      }
    comma = ',';
  }
  yield ']';
}
