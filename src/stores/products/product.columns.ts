import type { ProductModel } from '../../generated/prisma/models.ts';
import { columnsOf } from '../../platform/database/columns.ts';
import type { FieldsWith, SqlType } from '../../platform/database/columns.ts';

export type ProductCheck =
  | ('variant' | 'product' | 'line' | 'url' | 'stock')
  | ('price' | 'tags' | 'images' | 'tracked');

type ProductColumn<Field extends keyof ProductModel> = {
  sql: SqlType<ProductModel[Field]>;
  /** `own`: set by each statement. `needed`: required for a new variant. `kept`: unchanged when not sent. `custom`: an expression in product.repo.ts. */
  write: 'own' | 'needed' | 'kept' | 'custom';
  /** How product.rules.ts checks callers' values; a column without it comes from feeds only. */
  check?: ProductCheck;
  /** The name of the input, where it differs. */
  as?: string;
  /** The default of a new row, in SQL. */
  initial?: string;
  isHidden?: true;
};

/** The single source of truth about a product's columns; statements, checks and types derive from it. */
export const PRODUCT_COLUMNS = {
  pid: { sql: 'text', write: 'own' },
  epi: { sql: 'text', write: 'own', check: 'variant' },
  // An empty text means "not sent", because the columns forbid null; the service refuses a new row that has one.
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
  compareAtPrice: { sql: 'float8', write: 'kept', check: 'price' },
  images: { sql: 'text[]', write: 'kept', check: 'images' },
  inventoryItem: { sql: 'text', write: 'kept', isHidden: true },
  sourceAt: { sql: 'timestamptz', write: 'custom', isHidden: true },
  isUntracked: { sql: 'boolean', write: 'custom', check: 'tracked', as: 'tracked', initial: 'false' },
  beforeStk: { sql: 'int', write: 'own', isHidden: true },
  beforePr: { sql: 'float8', write: 'own', isHidden: true },
  beforeTags: { sql: 'text[]', write: 'own', isHidden: true },
  rev: { sql: 'int', write: 'own', isHidden: true },
  seq: { sql: 'bigint', write: 'own', isHidden: true },
  cts: { sql: 'timestamptz', write: 'own' },
  uts: { sql: 'timestamptz', write: 'own' },
} as const satisfies { [Field in keyof ProductModel]: ProductColumn<Field> };

type Table = typeof PRODUCT_COLUMNS;

export const productColumns = columnsOf<{ [Field in keyof Table]: ProductColumn<Field> }>(PRODUCT_COLUMNS);

export type CustomProductField = FieldsWith<Table, { write: 'custom' }>;

type StoredProduct = Pick<ProductModel, FieldsWith<Table, { check: string }>>;
type SentFields = { [Field in keyof StoredProduct]?: Readonly<StoredProduct[Field]> | null };

/** A variant as a caller sends it; null removes a value. */
export type ProductInput = Omit<SentFields, 'isUntracked'> & { tracked?: boolean | null };

/** A variant to store, with the fields that only feeds have. Null means not sent; `cleared` are the fields to reset. */
export type ProductWrite = SentFields &
  // Untracked stock becomes unknown and counts as available.
  Partial<Pick<ProductModel, 'inventoryItem' | 'sourceAt'>> & {
    epi: string;
    cleared?: readonly ClearedField[];
  };

export type ClearedField = Exclude<keyof StoredProduct, FieldsWith<Table, { write: 'own' | 'needed' }>>;

type ShownProduct = Omit<ProductModel, FieldsWith<Table, { isHidden: true }> | 'cts' | 'uts'>;

/** Times are null for a variant that only a subscription names. */
export type ProductRow = ShownProduct & { cts: Date | null; uts: Date | null };

export function unknownProduct(known: Pick<ProductModel, 'pid' | 'epi' | 'empi' | 'du'>): ProductRow {
  const nothing = productColumns
    .filter(({ isHidden }) => !isHidden)
    .map(({ field, sql }) => [field, sql === 'text[]' ? [] : sql === 'boolean' ? false : null]);
  return { ...(Object.fromEntries(nothing) as ProductRow), ...known };
}
