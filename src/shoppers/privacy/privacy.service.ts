import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { readWithin } from '../../platform/budget.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { checkLimit } from '../../platform/page.ts';
import { isStorable } from '../../platform/text.ts';
import { exportPieces } from './export.service.ts';
import { publicIdOf, regidOf } from '../identity.rules.ts';
import * as privacy from './privacy.repo.ts';
import type { AuditRow } from './privacy.repo.ts';
import { subjectOf } from './privacy.rules.ts';
import { findById } from '../shopper-search.repo.ts';
import { findShopper, lockShopper } from '../shopper.repo.ts';
import type { IdentityKey, ShopperRow } from '../shopper.repo.ts';
import { checkEmail } from '../shopper.rules.ts';

/** How a merchant names a shopper: one of the two. */
export type ShopperName = { useremail?: string | null; regid?: string | null };

function keyOf(ctx: Context, { useremail, regid }: ShopperName): IdentityKey {
  const { pid, secret } = requireStore(ctx);
  // Two names could mean two people, and an erasure cannot be taken back.
  if (regid && useremail) fail('invalid-request', 'Give useremail or regid, not both');
  if (regid) return { pid, regid };
  return { pid, regid: regidOf(secret, 'account', checkEmail(useremail)) };
}

/** A shopper of the calling store, or null. */
export function lookUpShopper(
  ctx: Context,
  { uid, ...name }: ShopperName & { uid?: string | null },
): Promise<ShopperRow | null> {
  if (!uid) return findShopper(ctx.db, keyOf(ctx, name));
  if (name.useremail || name.regid)
    fail('invalid-request', 'Give useremail, regid or uid, and one of them only');
  return isStorable(uid) ? findById(ctx.db, requireStore(ctx).pid, uid) : Promise.resolve(null);
}

/** The newest audit entries of the calling store. */
export function getAuditLog(ctx: Context, first?: number | null): Promise<AuditRow[]> {
  const { pid } = requireStore(ctx);
  return privacy.listAuditEntries(ctx.db, pid, checkLimit('first', first, 20, 100));
}

function auditEntry(
  ctx: Context,
  action: 'export' | 'erase',
  regid: string,
  detail: Record<string, unknown>,
): AuditRow {
  const { secret } = requireStore(ctx);
  return {
    id: newId(),
    at: ctx.now(),
    action,
    subject: publicIdOf(secret, 'user', regid),
    keyId: ctx.viewer.keyId!,
    detail,
  };
}

const DATA = '"data":';
/** Most bytes of an export that is one answer; a larger one is written piece by piece. */
const MAX_EXPORT_BYTES = 8_000_000;

/** Everything about a shopper; the export itself is recorded. */
export async function exportShopper(
  ctx: Context,
  name: ShopperName,
): Promise<{ exportedAt: Date; data: string }> {
  const key = keyOf(ctx, name);
  const exported = await readWithin(ctx.budget, MAX_EXPORT_BYTES, async (maxBytes) => {
    const value = await ctx.db.transaction(async (tx) => {
      const shopper = (await findShopper(tx, key)) ?? fail('not-found', 'There is no such shopper');
      const exportedAt = ctx.now();
      const text = await joinPieces(
        exportPieces(tx, subjectOf(requireStore(ctx), shopper), exportedAt),
        maxBytes,
      );
      if (text === null) return null;
      await privacy.addAuditEntry(tx, key.pid, auditEntry(ctx, 'export', key.regid, {}));
      // The last member of the document, as the text it is: nobody needs to parse it on the way.
      return { exportedAt, data: text.slice(text.indexOf(DATA) + DATA.length, -1) };
    });
    return { value, bytes: value === null ? maxBytes : Buffer.byteLength(value.data) };
  });
  return (
    exported ??
    fail('limit-reached', 'The export is larger than 8 MB; POST /storeadmin/v3/user/export streams it')
  );
}

/** The pieces as one text; null as soon as they are more than that. */
async function joinPieces(pieces: AsyncIterable<string>, maxBytes: number): Promise<string | null> {
  let text = '';
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += Buffer.byteLength(piece);
    if (bytes > maxBytes) return null;
    text += piece;
  }
  return text;
}

/**
 * The same of any size, as pieces of JSON text. It is recorded before the first one. Each portion is read when its turn comes and holds
 * no connection in between, so a slow reader keeps nobody else waiting.
 */
export async function streamExport(ctx: Context, name: ShopperName): Promise<AsyncGenerator<string>> {
  const key = keyOf(ctx, name);
  const shopper = (await findShopper(ctx.db, key)) ?? fail('not-found', 'There is no such shopper');
  await privacy.addAuditEntry(ctx.db, key.pid, auditEntry(ctx, 'export', key.regid, {}));
  return exportPieces(ctx.db, subjectOf(requireStore(ctx), shopper), ctx.now());
}

/** Erases a shopper in one transaction with its audit entry. */
export async function eraseShopper(ctx: Context, name: ShopperName): Promise<AuditRow> {
  const key = keyOf(ctx, name);
  return ctx.db.transaction(async (tx) => {
    const shopper = (await lockShopper(tx, key)) ?? fail('not-found', 'There is no such shopper');
    const counts = await privacy.eraseData(tx, subjectOf(requireStore(ctx), shopper), ctx.now());
    const entry = auditEntry(ctx, 'erase', key.regid, counts);
    await privacy.addAuditEntry(tx, key.pid, entry);
    return entry;
  });
}
