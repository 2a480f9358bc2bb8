import { columnsOf } from '../../platform/database/columns.ts';
import type { FieldsWith, SqlType } from '../../platform/database/columns.ts';
import type { ProductModel } from '../../generated/prisma/models.ts';

/** How a product's column is filled and shown. */
type ProductColumn<Field extends keyof ProductModel> = {
  sql: SqlType<ProductModel[Field]>;
  /**
   * `own`: by each statement itself. `needed`: a new variant must have it. `kept`: what is not sent stays. `custom`: product.repo.ts has an
   * expression for it.
   */
  write: 'own' | 'needed' | 'kept' | 'custom';
  /** How callers' values are checked, in product.rules.ts and for files; a column without it comes from feeds only. */
  check?: 'variant' | 'product' | 'line' | 'url' | 'stock' | 'price' | 'tags';
  /** What a new row gets where nothing is sent; null when left out. */
  initial?: string;
  /** Whether no record shows it. */
  isHidden?: true;
};

/** Everything that is known of a product's columns; statements, checks and types derive from it. */
export const PRODUCT_COLUMNS = {
  pid: { sql: 'text', write: 'own' },
  epi: { sql: 'text', write: 'own', check: 'variant' },
  // An empty text stands for "left out", because the columns forbid null; the service refuses a new row that has one.
  empi: { sql: 'text', write: 'needed', check: 'product', initial: `''` },
  du: { sql: 'text', write: 'needed', check: 'url', initial: `''` },
  bt: { sql: 'text', write: 'kept', check: 'line' },
  dt: { sql: 'text', write: 'kept', check: 'line' },
  sku: { sql: 'text', write: 'kept', check: 'line' },
  uri: { sql: 'text', write: 'kept', check: 'url' },
  iu: { sql: 'text', write: 'kept', check: 'url' },
  stk: { sql: 'int', write: 'custom', check: 'stock' },
  pr: { sql: 'float8', write: 'kept', check: 'price' },
  vi: { sql: 'text', write: 'kept', check: 'line' },
  tags: { sql: 'text[]', write: 'kept', check: 'tags' },
  inventoryItem: { sql: 'text', write: 'kept', isHidden: true },
  sourceAt: { sql: 'timestamptz', write: 'custom', isHidden: true },
  isUntracked: { sql: 'boolean', write: 'custom', initial: 'false', isHidden: true },
  beforeStk: { sql: 'int', write: 'own', isHidden: true },
  beforePr: { sql: 'float8', write: 'own', isHidden: true },
  beforeTags: { sql: 'text[]', write: 'own', isHidden: true },
  rev: { sql: 'int', write: 'own', isHidden: true },
  seq: { sql: 'bigint', write: 'own', isHidden: true },
  cts: { sql: 'timestamptz', write: 'own' },
  uts: { sql: 'timestamptz', write: 'own' },
} as const satisfies { [Field in keyof ProductModel]: ProductColumn<Field> };

type Table = typeof PRODUCT_COLUMNS;

/** The columns with all that may be told of one. */
export const productColumns = columnsOf<{ [Field in keyof Table]: ProductColumn<Field> }>(PRODUCT_COLUMNS);

/** Fields that an upsert fills by an expression of its own. */
export type CustomField = FieldsWith<Table, { write: 'custom' }>;

/** Fields of callers that are checked like this. */
export const fieldsChecked = <Check extends NonNullable<ProductColumn<keyof Table>['check']>>(
  check: Check,
): FieldsWith<Table, { check: Check }>[] =>
  productColumns
    .filter((column) => column.check === check)
    .map(({ field }) => field as FieldsWith<Table, { check: Check }>);

type Sent = Pick<ProductModel, FieldsWith<Table, { check: string }>>;

/** A variant as a caller gives it; null and left out are the same: the field stays as it is. */
export type ProductInput = { [Field in keyof Sent]?: Readonly<Sent[Field]> | null };

/** A variant to store, with what a feed knows beyond the callers' fields. */
export type ProductWrite = ProductInput &
  // Not counted, its stock becomes unknown, and it counts as there. Left out, it is counted as before.
  Partial<Pick<ProductModel, 'inventoryItem' | 'sourceAt' | 'isUntracked'>> & { epi: string };

type Shown = Omit<ProductModel, FieldsWith<Table, { isHidden: true }> | 'cts' | 'uts'>;

/** A variant as it is read. Times are null for one that only a subscription told us of. */
export type ProductRow = Shown & { cts: Date | null; uts: Date | null };

/** A variant that only a subscription told us of, as it is read. */
export function unknownProduct(told: Pick<ProductModel, 'pid' | 'epi' | 'empi' | 'du'>): ProductRow {
  const nothing = productColumns
    .filter(({ isHidden }) => !isHidden)
    .map(({ field, sql }) => [field, sql === 'text[]' ? [] : null]);
  return { ...(Object.fromEntries(nothing) as ProductRow), ...told };
}
