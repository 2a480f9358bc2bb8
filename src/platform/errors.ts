/** Every error that a caller can receive. REST, GraphQL and their references all use this table. */
export const FAILURES = {
  'invalid-uuid': [400, 'The `uuid` is missing or is not a version 4 UUID.'],
  'invalid-useremail': [400, 'The email address is missing or invalid.'],
  'invalid-externalid': [400, 'The `externalid` is not a line of 1 to 255 characters.'],
  'invalid-useragenttype': [400, 'The `useragenttype` is missing or too long.'],
  'invalid-medium': [400, 'The `medium` is missing or unknown.'],
  'invalid-mediumvalue': [400, 'The contact is missing or is not valid for its medium.'],
  'invalid-products': [
    400,
    'A product or product id is missing or invalid, or there are too many; the message says which.',
  ],
  'invalid-topics': [400, 'The topic names are missing or invalid, or there are too many.'],
  'invalid-addtomailinglist': [400, 'The value of `addtomailinglist` is neither 0 nor 1.'],
  'invalid-extras': [400, 'The `extras` are not a string, or are too long.'],
  'invalid-lid': [400, 'The list id is missing, or there are too many list ids.'],
  'invalid-lname': [400, 'The list name is missing, too short or too long.'],
  'duplicate-lname': [400, 'The shopper already has a list with this name.'],
  'invalid-lty': [400, 'The store has no lists of this type, or the call does not support the type.'],
  'invalid-lnote': [400, 'The list note is too long or has more than one line.'],
  'invalid-lprops': [400, 'The list properties are not a JSON object, too large or too deeply nested.'],
  'version-conflict': [400, 'The list has changed since it was read. Read it again, then retry.'],
  'idempotency-key-reused': [400, 'A different request used this Idempotency-Key. Use a new key.'],
  'limit-reached': [400, 'The call would exceed a storage or response limit; the message says which.'],
  'invalid-items': [
    400,
    'An item or its id is missing or invalid, or there are too many; the message says which.',
  ],
  'invalid-limit': [400, 'The page size is not a whole number of at least 0.'],
  'invalid-offset': [400, 'The offset is not a whole number of at least 0.'],
  'invalid-request': [400, 'The request is invalid in another way; the message says how.'],
  'unsupported-content-type': [400, 'The call does not support the content type of the body.'],
  'request-too-large': [400, 'The request body is too large.'],
  unauthorised: [401, 'The store id or API key is missing or wrong, or the call requires an API key.'],
  'sw-badregid': [
    401,
    'The regid is missing or unknown, or its guest has logged in. Identify the shopper again.',
  ],
  'bad-sessionid': [
    401,
    'The sessionid is missing, expired or belongs to another regid. Identify the shopper again.',
  ],
  'inventory-not-managed': [
    403,
    "The store's commerce platform does not manage its inventory, which alerts need.",
  ],
  'custom-items-disabled': [403, 'The store does not allow items that are not in its catalogue.'],
  'login-required': [403, 'The call is not available to guests. Log the shopper in first.'],
  forbidden: [403, 'The call is not allowed; the message says why.'],
  'list-not-found': [404, 'The list does not exist, or the caller may not read it.'],
  'item-not-found': [404, 'The list does not contain the item.'],
  'not-found': [404, 'The URL or id does not exist.'],
  'address-taken': [409, 'The email address belongs to another account. Nothing has changed.'],
  'externalid-taken': [409, 'The external id belongs to another account. Nothing has changed.'],
  'too-many-requests': [429, 'The caller has sent too many requests. Retry after `Retry-After` seconds.'],
  'internal-error': [
    500,
    'The service has failed. The message contains the request id, which leads to the log entry.',
  ],
  maintenance: [503, 'The service or store is closed for maintenance. Retry after `Retry-After` seconds.'],
  unavailable: [
    503,
    'The database is unavailable or the service is overloaded. Retry after `Retry-After` seconds.',
  ],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ErrorType = keyof typeof FAILURES;

const RETRY: Record<string, string> = { 'Retry-After': '5' };

/** An expected error: the caller sees its type and message unchanged. `unavailable` always asks for a retry. */
export class AppError extends Error {
  readonly type: ErrorType;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(type: ErrorType, msg: string, headers?: Record<string, string>) {
    super(msg);
    this.name = 'AppError';
    this.type = type;
    this.status = FAILURES[type][0];
    this.headers = headers ?? (type === 'unavailable' ? RETRY : {});
  }
}

const DEFAULT_TEXT: Partial<Record<ErrorType, string>> = {
  unauthorised: 'The API key is missing: send the pid and the API key with HTTP Basic authentication',
  'sw-badregid': 'sw-badregid: this regid is unknown; generate a new one',
  'bad-sessionid': 'The sessionid is not valid for this regid; identify the shopper again',
  'login-required': 'This call requires a logged-in shopper',
  forbidden: 'This call is not allowed',
  'list-not-found': 'List not found',
  'item-not-found': 'The list does not contain this item',
  'not-found': 'Not found',
  'too-many-requests': 'Too many requests; retry later',
  maintenance: 'The service is down for maintenance; retry later',
  unavailable: 'The service is temporarily unavailable; retry later',
};

/** `msg` names the field and the rule where the default message cannot. */
export function fail(
  type: ErrorType,
  msg: string = DEFAULT_TEXT[type] ?? type,
  headers?: Record<string, string>,
): never {
  throw new AppError(type, msg, headers);
}

/** For a store that is on its way to another server, where it works in a moment. */
export function movingError(): AppError {
  const text = 'The store is moving to another server; retry in a moment';
  return new AppError('maintenance', text, { 'Retry-After': '2' });
}

/** Refuses a caller until a time; `limit` is the number of calls in the period, where callers may know it. */
export function failUntil(until: Date, now: Date, msg: string, limit?: number): never {
  const seconds = String(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)));
  const standing = {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': seconds,
  };
  return fail('too-many-requests', msg, { 'Retry-After': seconds, ...(limit !== undefined && standing) });
}

/** `rule` follows the name of the field, such as "must have 3 to 50 characters". */
export function failField(type: ErrorType, field: string, rule: string, sent?: string | null): never {
  return fail(type, sent?.trim() ? `${field} ${rule}` : `${field} is missing: it ${rule}`);
}

/** The only error body of REST; `message` repeats `msg` because clients read either. */
export type ErrorBody = { error: true; type: ErrorType; msg: string; message: string };

export function errorBody({ type, message }: AppError): ErrorBody {
  return { error: true, type, msg: message, message };
}

/** An error with a code, as those of the system and of PostgreSQL have one. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Describes an error in one sentence for an operator's terminal; connection errors contain theirs in a nested error. */
export function describeFailure(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return describeFailure(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
