import type { ListModel } from '../generated/prisma/models.ts';
import { columnsOf } from '../platform/database/columns.ts';
import type { FieldsWith, ReadValue, RecordName, SqlType } from '../platform/database/columns.ts';

type ListColumn<Field extends keyof ListModel> = {
  sql: SqlType<ListModel[Field]>;
  /** The name in the API, where it differs. */
  as?: string;
  isHidden?: true;
} & (
  | { write: 'own'; merge?: 'sum' }
  | {
      // `once`: set at creation. `kept`: also updated. `clearable`: an empty text removes it, too. `switch`: updated only.
      write: 'once' | 'kept' | 'switch' | (null extends ListModel[Field] ? 'clearable' : never);
      /** What the account's list takes over from a merged one: nothing, a missing value, or missing properties. */
      merge: 'stays' | 'fill' | (SqlType<ListModel[Field]> extends 'jsonb' ? 'map' : never);
    }
);

/** The single source of truth for list columns: statements and types derive from it. Statements set `own` columns themselves. */
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

export const listColumns = columnsOf<{ [Field in keyof Table]: ListColumn<Field> }>(LIST_COLUMNS);

/** A list under its names in the API. Times are milliseconds, property maps are JSON text. */
export type ListRow = {
  [
    Field in Exclude<keyof ListModel, FieldsWith<Table, { isHidden: true }>> as RecordName<Table, Field>
  ]: ReadValue<ListModel[Field]>;
};

type Sent<Field extends keyof Table> =
  SqlType<ListModel[Field]> extends 'jsonb' ? Record<string, unknown> : ListModel[Field];

export type NewList = Pick<ListModel, 'lid'> & {
  [Field in FieldsWith<Table, { write: 'once' | 'kept' | 'clearable' }>]: Sent<Field>;
};

/** An omitted field keeps its value; an empty clearable text removes it. */
export type ListChanges = {
  [Field in FieldsWith<Table, { write: 'kept' | 'clearable' | 'switch' }>]?: NonNullable<Sent<Field>>;
};
