import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import type { MutationUpdateListContentsArgs } from '../generated/resolvers.ts';
import { fail } from '../platform/errors.ts';
import { rowsInOrder } from '../stores/products/product.rules.ts';
import { episOf, writeShared } from './contents.writes.ts';
import type { Part } from './contents.writes.ts';
import type { ItemRow } from './item.columns.ts';
import { checkAddedIn, checkChanged, checkEach, checkRef } from './item.rules.ts';
import * as rules from './list.rules.ts';
import { ownView } from './list.view.ts';

/** Removes, changes and adds items, in this order, together or not at all. The result of an array that was not sent is null. */
export async function updateListContents(
  ctx: Context,
  { a, u, d, expectedVersion, ...change }: MutationUpdateListContentsArgs,
  { isSaveForLater = false, isMove = false } = {},
) {
  const owner = requireShopper(ctx);
  const lid = rules.checkLid(change.lid);
  if (!a && !u && !d)
    fail('invalid-items', `Send ${isSaveForLater ? 'items' : 'a, u or d'}: a JSON array of items`);
  const fieldOf = (array: string): string => (isSaveForLater ? 'items' : array);
  const part: Part = {
    removed: checkEach(fieldOf('d'), d ?? [], checkRef),
    changed: checkEach(fieldOf('u'), u ?? [], checkChanged),
    added: checkEach(fieldOf('a'), a ?? [], checkAddedIn(owner.store)),
  };
  const flags = { isSaveForLater, isMove, isLarge: rules.isLarge([a, u]) };
  const written = await writeShared({ ctx, owner, lid, expectedVersion, ...flags, ...part, now: ctx.now() });
  const { list } = written;
  return {
    lid: list.lid,
    cnt: list.cnt,
    uts: new Date(list.uts),
    version: list.version,
    a: a ? rowsInOrder(episOf(part.added), written.added) : null,
    u: u ? itemChanges(episOf(part.changed), written.changed) : null,
    d: d ? itemChanges(part.removed, written.removed) : null,
    list: ownView(owner, list),
    touched: [...part.removed, ...episOf(part.added)],
  };
}

/** The result for each item to change or remove. */
function itemChanges(epis: readonly string[], rows: readonly ItemRow[]) {
  const byVariant = new Map(rows.map((row) => [row.epi, row]));
  return epis.map((epi) => {
    const item = byVariant.get(epi) ?? null;
    return { epi, hasError: item === null, msg: item ? null : 'The list does not contain this item', item };
  });
}
