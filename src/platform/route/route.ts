import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { DocumentNode } from 'graphql';
import type { Field } from './form.ts';
import { whole } from './reply.ts';
import type { Shape } from './reply.ts';

/** The types in which a reply of any size is streamed. */
export type StreamType = 'application/json' | 'text/csv';

/** A reply that is written piece by piece; it fails before the first piece or not at all. */
export type ReplyStream = {
  type: StreamType;
  write: (ctx: never, variables: Record<string, unknown>) => Promise<AsyncIterable<string>>;
};

/** A REST call as data: who calls, the fields of its form, the document that it runs and what of the data is the answer. */
export type Route = {
  /** A shopper's browser, or the store's back end with its key. */
  caller: 'shopper' | 'store';
  /** One line for the API reference. */
  summary: string;
  /** Fields by the variable that they become; a variable that takes an input object has a table of its own. */
  form: Record<string, Field | Record<string, Field>>;
  document: DocumentNode;
  /** The field of the data that is the answer, and what the wire makes of it. */
  reply: { field: string; shape: Shape };
  /** Fields of which a call needs at least one. */
  needsOneOf?: readonly string[];
  /** Works without a shopper, too, for what is public. */
  isOpen?: true;
  /** Streams the reply; of JSON, the document says what it looks like. */
  stream?: ReplyStream;
  /** With a store key: the form's `regid`, or the header, names the shopper for whom the store calls. */
  namesShopper?: true;
  /** The row of which this one is an older name. */
  aliasOf?: string;
};

/** Rows keyed by `METHOD /path`. */
export type RouteTable = Record<`${'GET' | 'POST'} /${string}`, Route>;

type Fields<Input> = { [Name in keyof Input]-?: Field<Input[Name]> };

type Row<Data, Variables> = Pick<Route, 'caller' | 'summary' | 'isOpen' | 'stream' | 'namesShopper'> & {
  needsOneOf?: readonly (keyof Variables & string)[];
  form: {
    [Name in keyof Variables]-?:
      | Field<Variables[Name]>
      | (Variables[Name] extends Record<string, unknown> ? Fields<Variables[Name]> : never);
  };
  reply: (keyof Data & string) | { [Name in keyof Data]: Shape<NonNullable<Data[Name]>> };
};

/** Ties a row to its document, so that form and reply are checked against the schema. */
export function route<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  { form, reply, ...row }: Row<Data, Variables>,
): Route {
  const [field, shape] = typeof reply === 'string' ? [reply, whole] : Object.entries<Shape>(reply)[0]!;
  return { ...row, document, form, reply: { field, shape } };
}

/** The same call under an older path, which the reference marks as such. */
export function alias(name: string, row: Route): Route {
  return { ...row, summary: `The older name of ${name}`, aliasOf: name };
}
