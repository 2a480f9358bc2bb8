// What the type check must refuse, so that a column is renamed in prisma/*.prisma and then wherever tsc points. Nothing runs this: `npm run
// typecheck` reads it.
import type { Db } from '../../src/platform/database/database.ts';
import type { ITEM_COLUMNS, ItemRow } from '../../src/lists/item.columns.ts';
import type { LIST_COLUMNS, ListRow } from '../../src/lists/list.columns.ts';
import type { MergeListRow } from '../../src/lists/merge.repo.ts';
import type { PRODUCT_COLUMNS } from '../../src/stores/products/product.columns.ts';
import type { ItemModel, ListModel, ProductModel } from '../../src/generated/prisma/models.ts';

type Differing<A, B> = Exclude<A, B> | Exclude<B, A>;

/** Fails by the name of what is left over. */
type None<Left extends never> = Left;

// @ts-expect-error Two names differ; otherwise nothing below would ever fail.
export type Sensitive = None<Differing<'note' | 'gift', 'note'>>;

/** A column without a line in its table, or a line without a column. */
export type Untold = [
  None<Differing<keyof typeof ITEM_COLUMNS, keyof ItemModel>>,
  None<Differing<keyof typeof LIST_COLUMNS, keyof ListModel>>,
  None<Differing<keyof typeof PRODUCT_COLUMNS, keyof ProductModel>>,
];

type FromCatalogue = 'stk' | 'isUntracked' | 'fullPrice' | 'shard';

/** Rows that are read follow the models: whoever reads a column by an old name, as item.view.ts and share.service.ts do, fails. */
export type Unread = [
  None<Differing<Exclude<keyof ItemRow, '_av' | FromCatalogue>, Exclude<keyof ItemModel, 'av'>>>,
  None<Differing<Exclude<keyof ListRow, '_cp'>, Exclude<keyof ListModel, 'copying' | 'sflOwner' | 'bytes'>>>,
  None<Exclude<keyof MergeListRow, keyof ListModel | 'isSfl' | 'isActive' | 'isCopying'>>,
];

/** A field that is not there is refused in typed calls also beside fields that are: TypeScript lets it pass since 6.0 (decision 8). */
export const refused = ({ prisma }: Db, pid: string, regid: string, lid: string) => [
  prisma.list.findFirst({ where: { pid, regid, lname: 'known' }, select: { lid: true } }),
  // @ts-expect-error No such column to look by.
  prisma.list.findFirst({ where: { pid, regid, renamed: 'unknown' }, select: { lid: true } }),
  // @ts-expect-error No such column to read.
  prisma.list.findFirst({ where: { pid, regid }, select: { lid: true, renamed: true } }),
  // @ts-expect-error No such column to write.
  prisma.list.updateMany({ where: { pid, lid }, data: { lname: 'known', renamed: 'unknown' } }),
  // @ts-expect-error The same for items.
  prisma.item.findMany({ where: { pid, lid, renamed: 'unknown' } }),
];
