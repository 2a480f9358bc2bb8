import { columnsOf } from '../platform/database/columns.ts';
import type { FieldsWith, ReadValue, SqlType } from '../platform/database/columns.ts';
import type { ItemModel, ProductModel } from '../generated/prisma/models.ts';

/** How what is sent is checked, by the column's type; item.rules.ts has the checks. */
type Checks = {
  text: 'id' | 'url' | 'line' | 'text';
  int: 'quantity';
  float8: 'price';
  boolean: 'flag';
  'text[]': 'labels';
  jsonb: 'properties' | 'bundle';
};

/** How an item's column is filled: by each statement itself (`own`), once when the item is made, or by a caller. */
type ItemColumn<Field extends keyof ItemModel, Sql = SqlType<ItemModel[Field]>> = {
  sql: Sql;
  /** What the record calls it, where that is something else. */
  as?: string;
  /** What a new item gets where nothing is sent; null when left out. */
  initial?: string;
  /** How the input is checked; a column without it is no input. */
  check?: Checks[Sql & keyof Checks];
  /** Most characters that a text may have. */
  max?: number;
  /** Another name that callers may send it by. */
  also?: string;
} & (
  | { write: 'own' | 'once' }
  | {
      /**
       * `kept`: what is not sent stays. `clearable`: the same, and an empty text removes it. `snapshot`: the catalogue's as long as it
       * knows the variant, and then what it was at the last add. `custom`: item.repo.ts has an expression for it.
       */
      write:
        | 'kept'
        | 'custom'
        | (null extends ItemModel[Field] ? 'clearable' : never)
        | (Field extends keyof ProductModel ? 'snapshot' : never);
      /** Where a guest and an account both have the variant: the newer item's value, or that and the older one's where it has none. */
      merge: 'newer' | 'newerOrOlder';
    }
);

/**
 * Everything that is known of an item's columns; statements, checks and types derive from it. All but `own` columns go into copies.
 * The product id is written once: the reports count by it when an item comes and goes.
 */
export const ITEM_COLUMNS = {
  pid: { sql: 'text', write: 'own' },
  lid: { sql: 'text', write: 'own' },
  epi: { sql: 'text', write: 'once' },
  id: { sql: 'text', write: 'own' },
  empi: { sql: 'text', write: 'once', check: 'id' },
  du: { sql: 'text', write: 'snapshot', merge: 'newer', check: 'url' },
  uri: { sql: 'text', write: 'snapshot', merge: 'newer', check: 'url' },
  qty: { sql: 'int', write: 'kept', merge: 'newer', check: 'quantity', initial: '1' },
  note: { sql: 'text', write: 'clearable', merge: 'newerOrOlder', check: 'text', max: 2_000 },
  cprops: { sql: 'jsonb', write: 'kept', merge: 'newerOrOlder', check: 'properties', initial: `'{}'` },
  lbls: { sql: 'text[]', write: 'kept', merge: 'newerOrOlder', check: 'labels', initial: `'{}'` },
  av: { sql: 'boolean', write: 'kept', merge: 'newer', check: 'flag', initial: 'false', as: '_av' },
  lity: { sql: 'text', write: 'custom', merge: 'newer' },
  bt: { sql: 'text', write: 'snapshot', merge: 'newer', check: 'line', max: 500 },
  dt: { sql: 'text', write: 'snapshot', merge: 'newer', check: 'line', max: 500, also: 'title' },
  sku: { sql: 'text', write: 'snapshot', merge: 'newer', check: 'line', max: 500 },
  iu: { sql: 'text', write: 'snapshot', merge: 'newer', check: 'url' },
  pr: { sql: 'float8', write: 'snapshot', merge: 'newer', check: 'price', also: 'price' },
  vi: { sql: 'text', write: 'snapshot', merge: 'newer', check: 'line', max: 500 },
  compareAtPrice: { sql: 'float8', write: 'kept', merge: 'newer', check: 'price' },
  platformitemid: { sql: 'text', write: 'kept', merge: 'newer', check: 'id' },
  bundle: { sql: 'jsonb', write: 'custom', merge: 'newer', check: 'bundle', initial: `'[]'` },
  di: { sql: 'text', write: 'own' },
  uby: { sql: 'text', write: 'own' },
  seq: { sql: 'bigint', write: 'own' },
  cts: { sql: 'timestamptz', write: 'own' },
  uts: { sql: 'timestamptz', write: 'own' },
} as const satisfies { [Field in keyof ItemModel]: ItemColumn<Field> };

type Table = typeof ITEM_COLUMNS;

/** The columns with all that may be told of one. */
export const itemColumns = columnsOf<{ [Field in keyof Table]: ItemColumn<Field> }>(ITEM_COLUMNS);

/** What of an item goes into a copy: everything but its identity, order and times. */
export const copiedColumns = itemColumns.filter(({ write }) => write !== 'own');

/** Fields that a write statement fills by an expression of its own. */
export type CustomField = FieldsWith<Table, { write: 'custom' }>;

/** A part of a custom bundle. */
export type BundleItemRow = {
  title: string | null;
  price: number | null;
  empi: string | null;
  epi: string | null;
  iu: string | null;
  uri: string | null;
  vendor: string | null;
};

type RecordName<Field extends keyof ItemModel> = Table[Field] extends { as: infer Name extends string }
  ? Name
  : Field;

type SentField = FieldsWith<Table, { check: string }>;

/** The names by which callers send the fields of an item. */
export type SentName = {
  [Field in SentField]:
    | RecordName<Field>
    | (Table[Field] extends { also: infer Name extends string } ? Name : never);
}[SentField];

/** What callers may send of an item beside its variant id, each under the names by which they do. */
export const sentColumns = itemColumns.flatMap(({ field, as = field, also = as, check, max }) =>
  check ? [{ field, check, max, names: [...new Set([as, also])] as SentName[] }] : [],
);

/**
 * An item as it is read: product data is the catalogue's while it knows the variant, and so is the stock. `pid` is the store's; times are
 * milliseconds; JSON is text.
 */
export type ItemRow = {
  [Field in keyof ItemModel as RecordName<Field>]: ReadValue<ItemModel[Field]>;
} & Pick<ProductModel, 'stk'> & {
    /** The slice of the catalogue that the variant is in; see `CatalogRevision`. */
    slice: number;
  };

type Sendable = Omit<ItemModel, FieldsWith<Table, { write: 'own' }> | 'cprops' | 'bundle'>;

/** An item to write; a field left out keeps its value, or gets its first one in a new item. An empty clearable text removes it. */
export type ItemWrite = { [Field in keyof Sendable]?: NonNullable<Sendable[Field]> } & {
  epi: string;
  id: string;
  cprops?: Record<string, unknown>;
  bundle?: readonly BundleItemRow[];
};
