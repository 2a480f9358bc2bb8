import { FAILURES } from '../../platform/errors.ts';
import { objectSchema } from '../../platform/json.ts';
import type { Schema } from '../../platform/json.ts';
import { ERROR_HEADERS, RETRY_HEADERS } from './parts.ts';

type Status = (typeof FAILURES)[keyof typeof FAILURES][0];

const CREDENTIALS = 'The API key, the `regid` or the `sessionid` is missing or wrong.';

const STATUSES: Record<Status, [name: string, meaning: string]> = {
  400: [
    'BadRequest',
    'The request is invalid: `type` names the field and `msg` the reason. Correct it and retry.',
  ],
  401: ['Unauthorised', `${CREDENTIALS} After \`sw-badregid\`, identify the shopper again.`],
  403: ['Forbidden', 'The caller is not allowed to do this.'],
  404: ['NotFound', 'The requested record does not exist, or belongs to someone else.'],
  409: ['Conflict', 'The email address or external id belongs to another account. Nothing has changed.'],
  429: ['TooManyRequests', 'Too many requests. Retry after `Retry-After` seconds.'],
  500: [
    'InternalServerError',
    'The service made an error. Quote the request id from `msg` when you report it.',
  ],
  503: [
    'ServiceUnavailable',
    'The service is closed for maintenance or overloaded. Retry after `Retry-After` seconds.',
  ],
};

const statuses = Object.entries(STATUSES);
const types = Object.entries(FAILURES);

export const ERROR_SCHEMA: Schema = {
  description: 'The body of every error.',
  ...objectSchema({
    error: { const: true, description: 'Always true.' },
    type: {
      type: 'string',
      enum: types.map(([type]) => type),
      description: 'The error type, for programs.',
    },
    msg: { type: 'string', description: 'The reason, for people.' },
    message: { type: 'string', description: 'Repeats `msg`, because some clients read this name.' },
  }),
};

function response(status: number, meaning: string): Schema {
  const own = types.filter(([, [one]]) => one === status);
  const msg = meaning.split(/[.;:]/)[0]!;
  return {
    description: [meaning, ...own.map(([type, [, text]]) => `- \`${type}\`: ${text}`)].join('\n'),
    headers: meaning.includes('Retry-After') ? RETRY_HEADERS : ERROR_HEADERS,
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { type: { enum: own.map(([type]) => type) } } },
          ],
        },
        example: { error: true, type: own[0]![0], msg, message: msg },
      },
    },
  };
}

export const ERROR_RESPONSES: Schema = Object.fromEntries(
  statuses.map(([status, [name, meaning]]) => [name, response(Number(status), meaning)]),
);

export const ERROR_REFS: Schema = Object.fromEntries(
  statuses.map(([status, [name]]) => [status, { $ref: `#/components/responses/${name}` }]),
);
