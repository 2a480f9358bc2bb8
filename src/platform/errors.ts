/** Every error that a caller can receive. REST, GraphQL and their references all use this table. */
export const FAILURES = {
  'invalid-uuid': [400, 'The uuid of the guest is missing or none of version 4.'],
  'invalid-useremail': [400, 'The e-mail address of the shopper is missing or not valid.'],
  'invalid-useragenttype': [400, 'The name of the client is missing or too long.'],
  'invalid-medium': [400, 'The medium is missing or unknown.'],
  'invalid-mediumvalue': [400, 'The contact is missing or does not fit its medium.'],
  'invalid-products': [
    400,
    'A product or its id is missing or wrong, or there are too many; the message names it.',
  ],
  'invalid-topics': [400, 'The names of topics are missing or wrong, or there are too many.'],
  'invalid-addtomailinglist': [400, 'The answer to the mailing list is neither 0 nor 1.'],
  'invalid-extras': [400, 'The extra information is no text, or too long.'],
  'invalid-lid': [400, 'The list id is missing, or there are too many.'],
  'invalid-lname': [400, 'The name of the list is missing, too short or too long.'],
  'duplicate-lname': [400, 'The shopper has a list of this name already.'],
  'invalid-lty': [400, 'The store has no lists of this type, or this call is not for them.'],
  'invalid-lnote': [400, 'The note of the list is too long, or has several lines.'],
  'invalid-lprops': [400, 'Properties of the list are no object, too large or too deep.'],
  'version-conflict': [400, 'Somebody else has changed the list meanwhile: read it again, then decide.'],
  'idempotency-key-reused': [400, 'Another request had the same Idempotency-Key: take a new one.'],
  'limit-reached': [
    400,
    'It would be more than may be stored, or more than can be answered at once; the message says which.',
  ],
  'invalid-items': [
    400,
    'An item or its id is missing or wrong, or there are too many; the message names it.',
  ],
  'invalid-limit': [400, 'The size of the page is no whole number from 0 on.'],
  'invalid-offset': [400, 'The place to begin at is no whole number from 0 on.'],
  'invalid-request': [
    400,
    'Something else is wrong with the request or its document; the message says what.',
  ],
  'unsupported-content-type': [400, 'The body has another content type than the call takes.'],
  'request-too-large': [400, 'The body is too large.'],
  unauthorised: [401, 'The store id or API key is missing or wrong, or the call needs an API key.'],
  'sw-badregid': [
    401,
    'The regid is missing or not known, or its guest has logged in: identify the shopper again.',
  ],
  'bad-sessionid': [401, 'The sessionid is missing, ended or not of this regid: identify the shopper again.'],
  'inventory-not-managed': [403, 'The store has no alerts: its platform does not manage its inventory.'],
  'custom-items-disabled': [403, 'The store does not take items that are not in its catalogue.'],
  'login-required': [403, 'Guests cannot do this: log the shopper in first.'],
  forbidden: [403, 'It is understood and not allowed; the message says why.'],
  'list-not-found': [404, 'There is no such list, or it is not for this caller.'],
  'item-not-found': [404, 'The list has no such item.'],
  'not-found': [404, 'There is nothing of this address or id.'],
  'too-many-requests': [429, 'Wait for as many seconds as `Retry-After` says.'],
  'internal-error': [
    500,
    'A fault of the service: the message has the request id, by which the log tells more.',
  ],
  maintenance: [503, 'Closed for maintenance: retry after `Retry-After` seconds.'],
  unavailable: [503, 'The database is away, or too much is under way: retry after `Retry-After` seconds.'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ErrorType = keyof typeof FAILURES;

/** An expected error: the caller sees its type and message unchanged. */
export class AppError extends Error {
  readonly type: ErrorType;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(type: ErrorType, msg: string, headers: Record<string, string> = {}) {
    super(msg);
    this.name = 'AppError';
    this.type = type;
    this.status = FAILURES[type][0];
    this.headers = headers;
  }
}

const DEFAULT_TEXT: Partial<Record<ErrorType, string>> = {
  unauthorised:
    'The store id or API key is missing: shopper calls send pid (over GraphQL the header x-pid), store calls Authorization: Basic with the store id and API key',
  'sw-badregid': 'sw-badregid: this regid is not known; generate a new one',
  'bad-sessionid': 'The sessionid does not belong to this regid',
  'login-required': 'This call needs a logged-in shopper',
  forbidden: 'This is not allowed',
  'list-not-found': 'There is no such list',
  'item-not-found': 'There is no such item in this list',
  'not-found': 'There is nothing at this address',
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

/** The only error body of REST; `message` repeats `msg` because clients read either. */
export type ErrorBody = { error: true; type: ErrorType; msg: string; message: string };

export function errorBody({ type, message }: AppError): ErrorBody {
  return { error: true, type, msg: message, message };
}

/** Describes an error in one sentence for an operator's terminal; connection errors contain theirs in a nested error. */
export function describeFailure(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return describeFailure(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
