import type { Schema } from './types.ts';

const header = (description: string, type: string): Schema => ({ description, schema: { type } });

/** Headers of answers, to refer to by name. */
export const HEADERS: Record<string, Schema> = {
  'X-Request-Id': header('Names this request in the log; quote it when something is wrong.', 'string'),
  'RateLimit-Limit': header('Requests a minute that the caller may make.', 'integer'),
  'RateLimit-Remaining': header('How many of them are left.', 'integer'),
  'RateLimit-Reset': header('Seconds until all of them are there again.', 'integer'),
  'Retry-After': header('Seconds to wait before the next try.', 'integer'),
};

const refer = (names: readonly string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** What every answer of a call carries. */
export const ANSWER_HEADERS: Schema = refer(Object.keys(HEADERS).filter((name) => name !== 'Retry-After'));

/** What every failure carries; some say when to come back. */
export const failureHeaders = (isTemporary: boolean): Schema =>
  refer(isTemporary ? ['X-Request-Id', 'Retry-After'] : ['X-Request-Id']);

/** Parameters that calls share, to refer to by name. */
export const PARAMETERS: Schema = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'At most 255 printable ASCII characters. A retry with the same key and body within 24 hours gets the first answer and has no second effect; another body is refused.',
    schema: { type: 'string', maxLength: 255 },
  },
};
