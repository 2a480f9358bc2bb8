import { columnsOf } from '../platform/database/columns.ts';
import type { FieldsWith, ReadValue, SqlType } from '../platform/database/columns.ts';
import type { ListModel } from '../generated/prisma/models.ts';

/** How a list's column is filled: by each statement itself (`own`) or by what a shopper sends. */
type ListColumn<Field extends keyof ListModel> = {
  sql: SqlType<ListModel[Field]>;
  /** What the record calls it, where that is something else. */
  as?: string;
  /** Whether it is no part of a list as it is read. */
  isHidden?: true;
} & (
  | { write: 'own'; merge?: 'sum' }
  | {
      /**
       * `once`: given to a new list. `kept`: the same, and changed by what is sent. `clearable`: the same, and an empty text removes it.
       * `switch`: changed only.
       */
      write: 'once' | 'kept' | 'switch' | (null extends ListModel[Field] ? 'clearable' : never);
      /** What the account's list takes of one that joins it: nothing, what it has not, or the properties that it has not. */
      merge: 'stays' | 'fill' | (SqlType<ListModel[Field]> extends 'jsonb' ? 'map' : never);
    }
);

/** Everything that is known of a list's columns; statements and types derive from it. */
export const LIST_COLUMNS = {
  pid: { sql: 'text', write: 'own' },
  lid: { sql: 'text', write: 'own' },
  regid: { sql: 'text', write: 'own' },
  lname: { sql: 'text', write: 'kept', merge: 'stays' },
  lty: { sql: 'text', write: 'once', merge: 'stays' },
  sflOwner: { sql: 'text', write: 'own', isHidden: true },
  lnote: { sql: 'text', write: 'clearable', merge: 'fill' },
  lprops: { sql: 'jsonb', write: 'kept', merge: 'map' },
  cprops: { sql: 'jsonb', write: 'kept', merge: 'map' },
  ldesc: { sql: 'jsonb', write: 'kept', merge: 'map' },
  anonRead: { sql: 'boolean', write: 'switch', merge: 'stays' },
  cnt: { sql: 'int', write: 'own' },
  itemcmnts: { sql: 'int', write: 'own' },
  bytes: { sql: 'bigint', write: 'own', isHidden: true },
  copying: { sql: 'boolean', write: 'own', as: '_cp' },
  cby: { sql: 'text', write: 'own' },
  uby: { sql: 'text', write: 'own' },
  cfor: { sql: 'text', write: 'once', merge: 'stays' },
  st: { sql: 'int', write: 'switch', merge: 'stays' },
  di: { sql: 'text', write: 'own' },
  uid: { sql: 'text', write: 'own' },
  version: { sql: 'int', write: 'own' },
  shares: { sql: 'int', write: 'own', merge: 'sum' },
  seq: { sql: 'bigint', write: 'own' },
  cts: { sql: 'timestamptz', write: 'own' },
  uts: { sql: 'timestamptz', write: 'own' },
} as const satisfies { [Field in keyof ListModel]: ListColumn<Field> };

type Table = typeof LIST_COLUMNS;

/** The columns with all that may be told of one. */
export const listColumns = columnsOf<{ [Field in keyof Table]: ListColumn<Field> }>(LIST_COLUMNS);

type RecordName<Field extends keyof ListModel> = Table[Field] extends { as: infer Name extends string }
  ? Name
  : Field;

/** A list as it is read; the columns carry the record's own names, times are milliseconds, property maps are JSON text. */
export type ListRow = {
  [Field in Exclude<keyof ListModel, FieldsWith<Table, { isHidden: true }>> as RecordName<Field>]: ReadValue<
    ListModel[Field]
  >;
};

type Sent<Field extends keyof Table> =
  SqlType<ListModel[Field]> extends 'jsonb' ? Record<string, unknown> : ListModel[Field];

/** A list to insert. */
export type NewList = Pick<ListModel, 'lid'> & {
  [Field in FieldsWith<Table, { write: 'once' | 'kept' | 'clearable' }>]: Sent<Field>;
};

/** What a write changes of a list; a field left out stays. An empty clearable text removes it. */
export type ListChanges = {
  [Field in FieldsWith<Table, { write: 'kept' | 'clearable' | 'switch' }>]?: NonNullable<Sent<Field>>;
};
