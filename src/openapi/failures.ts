import { STATUS_BY_TYPE } from '../shared/errors.ts';
import type { ErrorType } from '../shared/errors.ts';
import { failureHeaders } from './headers.ts';
import type { Schema } from './types.ts';

const MEANINGS: Record<number, string> = {
  400: 'The request is wrong: `type` says which field, `msg` why. Change it and retry.',
  401: 'The store key, the regid or the sessionid is missing or wrong. On `sw-badregid`, identify the shopper again.',
  403: 'The call is understood and not allowed.',
  404: 'What the call names does not exist, or is not yours.',
  429: 'Too many requests; `Retry-After` says how many seconds to wait.',
  500: 'Our fault; `msg` holds the request id to quote.',
  503: 'Closed for maintenance, or the database is away; retry after `Retry-After` seconds.',
};

const NAMES: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorised',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

/** Failures that carry Retry-After. */
const WAITING = new Set([429, 503]);

function typesOf(status: number): ErrorType[] {
  return (Object.keys(STATUS_BY_TYPE) as ErrorType[]).filter((type) => STATUS_BY_TYPE[type] === status);
}

/** Every status that a failure can have, in order. */
export const FAILURE_STATUSES: number[] = [...new Set<number>(Object.values(STATUS_BY_TYPE))].sort(
  (a, b) => a - b,
);

/** The one body of every failure. */
export const FAILURE_SCHEMA: Schema = {
  type: 'object',
  description: 'The body of every failure.',
  properties: {
    error: { const: true, description: 'Always true.' },
    type: {
      type: 'string',
      enum: Object.keys(STATUS_BY_TYPE),
      description: 'What went wrong, for programs.',
    },
    msg: { type: 'string', description: 'What went wrong, for people.' },
    message: { type: 'string', description: 'The same as `msg`.' },
  },
  required: ['error', 'type', 'msg', 'message'],
};

function response(status: number): Schema {
  const types = typesOf(status);
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Failure' }, { properties: { type: { enum: types } } }],
  };
  const msg = MEANINGS[status]!.split(/[.;:]/)[0]!;
  return {
    description: MEANINGS[status],
    headers: failureHeaders(WAITING.has(status)),
    content: { 'application/json': { schema, example: { error: true, type: types[0], msg, message: msg } } },
  };
}

/** Responses to refer to, by name. */
export function failureResponses(): Schema {
  return Object.fromEntries(FAILURE_STATUSES.map((status) => [NAMES[status]!, response(status)]));
}

/** The part of an operation's `responses` that is about failures. */
export function failuresOfOperation(): Schema {
  return Object.fromEntries(
    FAILURE_STATUSES.map((status) => [String(status), { $ref: `#/components/responses/${NAMES[status]}` }]),
  );
}
