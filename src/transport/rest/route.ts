import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { DocumentNode } from 'graphql';
import type { Form } from './form.ts';

/** A REST call as data: the document it runs, how the form becomes variables, and which part of the data is the answer. */
export type Route = {
  document: DocumentNode;
  /** One line for the API reference. */
  summary: string;
  variables: (form: Form) => Record<string, unknown>;
  reply: (data: never) => unknown;
};

/** Rows keyed by `METHOD /path`. */
export type RouteTable = Record<`${'GET' | 'POST'} /${string}`, Route>;

/** Ties a row to its document, so that variables and answer are checked against the schema. */
export function route<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  row: { summary: string; variables: (form: Form) => Variables; reply: (data: Data) => unknown },
): Route {
  return { document, ...row };
}
