import type { ItemModel, ProductModel } from '../generated/prisma/models.ts';
import type { BundleItem } from '../generated/resolvers.ts';
import { columnsOf } from '../platform/database/columns.ts';
import type { FieldsWith, ReadValue, RecordName, SqlType } from '../platform/database/columns.ts';

/** The checks in item.rules.ts that fit each column type. */
type Checks = {
  text: 'id' | 'url' | 'line' | 'text';
  int: 'quantity';
  float8: 'price';
  boolean: 'flag';
  'text[]': 'labels';
  jsonb: 'properties' | 'bundle';
};

type ItemColumn<Field extends keyof ItemModel, Sql = SqlType<ItemModel[Field]>> = {
  sql: Sql;
  /** The name in the API, where it differs. */
  as?: string;
  /** SQL for the value of a new item; null by default. */
  initial?: string;
  /** A column without a check is no input. */
  check?: Checks[Sql & keyof Checks];
  /** In characters. */
  max?: number;
  /** A second input name. */
  also?: string;
} & (
  | { write: 'own' | 'once' }
  // The value of another column when the item is added or copied; a moved or restored item keeps it.
  | { write: 'once'; from: 'pr' }
  | {
      // `kept`: keeps its value unless sent. `clearable`: an empty text removes it. `custom`: contents.repo.ts has the expression.
      // `snapshot`: comes from the catalogue, or from the last add once the variant has left the catalogue.
      write:
        | 'kept'
        | 'custom'
        | (null extends ItemModel[Field] ? 'clearable' : never)
        | (Field extends keyof ProductModel ? 'snapshot' : never);
      /** The value when a guest's and an account's items are merged; `newerOrOlder` falls back to the older if the newer is empty. */
      merge: 'newer' | 'newerOrOlder';
    }
);

/**
 * The single source of truth for item columns: statements, checks and types derive from it. Statements set `own` columns themselves;
 * all others are copied with an item. `empi` never changes, because reports count by it.
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
  savedPrice: { sql: 'float8', write: 'once', from: 'pr' },
  platformitemid: { sql: 'text', write: 'kept', merge: 'newer', check: 'id' },
  bundle: { sql: 'jsonb', write: 'custom', merge: 'newer', check: 'bundle', initial: `'[]'` },
  di: { sql: 'text', write: 'own' },
  uby: { sql: 'text', write: 'own' },
  seq: { sql: 'bigint', write: 'own' },
  cts: { sql: 'timestamptz', write: 'own' },
  uts: { sql: 'timestamptz', write: 'own' },
} as const satisfies { [Field in keyof ItemModel]: ItemColumn<Field> };

type Table = typeof ITEM_COLUMNS;

export const itemColumns = columnsOf<{ [Field in keyof Table]: ItemColumn<Field> }>(ITEM_COLUMNS);

export const copiedColumns = itemColumns.filter(({ write }) => write !== 'own');

export type CustomField = FieldsWith<Table, { write: 'custom' }>;

export type BundleItemRow = Omit<BundleItem, '__typename'>;

type SentField = FieldsWith<Table, { check: string }>;

/** Input names. */
export type SentName = {
  [Field in SentField]:
    | RecordName<Table, Field>
    | (Table[Field] extends { also: infer Name extends string } ? Name : never);
}[SentField];

/** An item joined with its product. Times are milliseconds, JSON is text. */
export type ItemRow = {
  [Field in keyof ItemModel as RecordName<Table, Field>]: ReadValue<ItemModel[Field]>;
} & Pick<ProductModel, 'stk'> & {
    /** Null for a variant that is not in the catalogue. */
    isUntracked: boolean | null;
    /** The price before a discount: the catalogue's, or the item's own if the variant is not in the catalogue. */
    fullPrice: number | null;
    /** The catalogue shard of the variant; see `CatalogRevision`. */
    shard: number;
  };

type Sendable = Omit<ItemModel, FieldsWith<Table, { write: 'own' } | { from: string }> | 'cprops' | 'bundle'>;

/** An omitted field keeps its value, or gets the initial one in a new item. An empty clearable text removes it. */
export type ItemWrite = { [Field in keyof Sendable]?: NonNullable<Sendable[Field]> } & {
  epi: string;
  id: string;
  cprops?: Record<string, unknown>;
  bundle?: readonly BundleItemRow[];
};

/** The item in a webhook event. */
export type ItemEventData = Pick<ItemRow, 'lid' | 'id' | 'epi' | 'empi' | 'du' | 'qty'>;
