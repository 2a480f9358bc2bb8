import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { DocumentNode } from 'graphql';
import type { ErrorType } from '../../shared/errors.ts';
import type { Form } from './form.ts';
import type { Shapes } from './fit.ts';

/** A REST call as data: the document it runs, how the form becomes variables, and which part of the data is the answer. */
export type Route = {
  document: DocumentNode;
  /** One line for the API reference. */
  summary: string;
  variables: (form: Form) => Record<string, unknown>;
  /** Variables that are fitted to the document's types, or the failure named here: clients are loose with types. */
  shapes?: Shapes;
  reply: (data: never) => unknown;
  /** Fields that a call needs although its document takes them as optional; the API reference says so. */
  required?: readonly string[];
  /** Fields that the example of the API reference leaves out: with them the call does something less common. */
  unusual?: readonly string[];
  /** Fields that the API reference shows in the query; every field is taken from either. */
  query?: readonly string[];
  /** The answer is written piece by piece, by the function in `streams`; the document says what it looks like. */
  isStreamed?: true;
};

/** Rows keyed by `METHOD /path`. */
export type RouteTable = Record<`${'GET' | 'POST'} /${string}`, Route>;

/** Ties a row to its document, so that variables and answer are checked against the schema. */
export function route<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  row: {
    summary: string;
    variables: (form: Form) => Variables;
    shapes?: { [Name in keyof Variables]?: ErrorType };
    reply: (data: Data) => unknown;
    required?: readonly string[];
    unusual?: readonly string[];
    query?: readonly string[];
    isStreamed?: true;
  },
): Route {
  return { document, ...row, shapes: row.shapes as Shapes | undefined };
}
