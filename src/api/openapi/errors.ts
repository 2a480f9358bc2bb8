import { FAILURES } from '../../platform/errors.ts';
import { objectSchema } from '../../platform/json.ts';
import type { Schema } from '../../platform/json.ts';
import { FAILURE_HEADERS, WAITING_HEADERS } from './parts.ts';

type Status = (typeof FAILURES)[keyof typeof FAILURES][0];

const CREDENTIALS = 'The store key, the regid or the sessionid is missing or wrong.';

const STATUSES: Record<Status, [name: string, meaning: string]> = {
  400: ['BadRequest', 'The request is wrong: `type` says which field, `msg` why. Change it and retry.'],
  401: ['Unauthorised', `${CREDENTIALS} On \`sw-badregid\`, identify the shopper again.`],
  403: ['Forbidden', 'The call is understood and not allowed.'],
  404: ['NotFound', 'What the call names does not exist, or is not yours.'],
  429: ['TooManyRequests', 'Too many requests; `Retry-After` says how many seconds to wait.'],
  500: ['InternalServerError', 'Our fault; `msg` holds the request id to quote.'],
  503: [
    'ServiceUnavailable',
    'Closed for maintenance, or the database is away; retry after `Retry-After` seconds.',
  ],
};

const statuses = Object.entries(STATUSES);
const types = Object.entries(FAILURES);

export const FAILURE_SCHEMA: Schema = {
  description: 'The body of every failure.',
  ...objectSchema({
    error: { const: true, description: 'Always true.' },
    type: {
      type: 'string',
      enum: types.map(([type]) => type),
      description: 'What went wrong, for programs.',
    },
    msg: { type: 'string', description: 'What went wrong, for people.' },
    message: { type: 'string', description: 'The same as `msg`.' },
  }),
};

function response(status: number, meaning: string): Schema {
  const own = types.filter(([, [one]]) => one === status);
  const msg = meaning.split(/[.;:]/)[0]!;
  return {
    description: [meaning, ...own.map(([type, [, text]]) => `- \`${type}\`: ${text}`)].join('\n'),
    headers: meaning.includes('Retry-After') ? WAITING_HEADERS : FAILURE_HEADERS,
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Failure' },
            { properties: { type: { enum: own.map(([type]) => type) } } },
          ],
        },
        example: { error: true, type: own[0]![0], msg, message: msg },
      },
    },
  };
}

export const FAILURE_RESPONSES: Schema = Object.fromEntries(
  statuses.map(([status, [name, meaning]]) => [name, response(Number(status), meaning)]),
);

export const FAILURE_REFS: Schema = Object.fromEntries(
  statuses.map(([status, [name]]) => [status, { $ref: `#/components/responses/${name}` }]),
);
