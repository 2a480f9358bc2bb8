/** Every failure a caller can meet, with its HTTP status. Both doors read this table and no other. */
export const STATUS_BY_TYPE = {
  'invalid-uuid': 400,
  'invalid-useremail': 400,
  'invalid-useragenttype': 400,
  'invalid-medium': 400,
  'invalid-mediumvalue': 400,
  'invalid-products': 400,
  'invalid-topics': 400,
  'invalid-addtomailinglist': 400,
  'invalid-extras': 400,
  'invalid-lid': 400,
  'invalid-lname': 400,
  'duplicate-lname': 400,
  'invalid-lty': 400,
  'invalid-lnote': 400,
  'invalid-lprops': 400,
  'version-conflict': 400,
  'idempotency-key-reused': 400,
  'limit-reached': 400,
  'invalid-items': 400,
  'invalid-limit': 400,
  'invalid-offset': 400,
  'invalid-request': 400,
  'unsupported-content-type': 400,
  'request-too-large': 400,
  unauthorised: 401,
  'sw-badregid': 401,
  'bad-sessionid': 401,
  'inventory-not-managed': 403,
  'custom-items-disabled': 403,
  'login-required': 403,
  forbidden: 403,
  'list-not-found': 404,
  'item-not-found': 404,
  'not-found': 404,
  'too-many-requests': 429,
  'internal-error': 500,
  maintenance: 503,
  unavailable: 503,
} as const;

/** The closed set of failure names that callers can rely on. */
export type ErrorType = keyof typeof STATUS_BY_TYPE;

/** What each failure means, and where it helps what to do; the schema's enum shows it. */
export const MEANING_BY_TYPE: Record<ErrorType, string> = {
  'invalid-uuid': 'The uuid of the guest is missing or none of version 4.',
  'invalid-useremail': 'The e-mail address of the shopper is missing or not valid.',
  'invalid-useragenttype': 'The name of the client is missing or too long.',
  'invalid-medium': 'The medium is missing or unknown.',
  'invalid-mediumvalue': 'The contact is missing or does not fit its medium.',
  'invalid-products': 'A product or its id is missing or wrong, or there are too many; the message names it.',
  'invalid-topics': 'The names of topics are missing or wrong, or there are too many.',
  'invalid-addtomailinglist': 'The answer to the mailing list is neither 0 nor 1.',
  'invalid-extras': 'The extra information is no text, or too long.',
  'invalid-lid': 'The list id is missing, or there are too many.',
  'invalid-lname': 'The name of the list is missing, too short or too long.',
  'duplicate-lname': 'The shopper has a list of this name already.',
  'invalid-lty': 'The store has no lists of this type, or this call is not for them.',
  'invalid-lnote': 'The note of the list is too long, or has several lines.',
  'invalid-lprops': 'Properties of the list are no object, too large or too deep.',
  'version-conflict': 'Somebody else has changed the list meanwhile: read it again, then decide.',
  'idempotency-key-reused': 'Another request had the same Idempotency-Key: take a new one.',
  'limit-reached':
    'It would be more than may be stored, or more than can be answered at once; the message says which.',
  'invalid-items': 'An item or its id is missing or wrong, or there are too many; the message names it.',
  'invalid-limit': 'The size of the page is no whole number from 0 on.',
  'invalid-offset': 'The place to begin at is no whole number from 0 on.',
  'invalid-request': 'Something else is wrong with the request or its document; the message says what.',
  'unsupported-content-type': 'The body has another content type than the call takes.',
  'request-too-large': 'The body is too large.',
  unauthorised: 'The store id or API key is missing or wrong, or the call needs an API key.',
  'sw-badregid': 'The regid is missing or not known, or its guest has logged in: identify the shopper again.',
  'bad-sessionid': 'The sessionid is missing, ended or not of this regid: identify the shopper again.',
  'inventory-not-managed': 'The store has no alerts: its platform does not manage its inventory.',
  'custom-items-disabled': 'The store does not take items that are not in its catalogue.',
  'login-required': 'Guests cannot do this: log the shopper in first.',
  forbidden: 'It is understood and not allowed; the message says why.',
  'list-not-found': 'There is no such list, or it is not for this caller.',
  'item-not-found': 'The list has no such item.',
  'not-found': 'There is nothing of this address or id.',
  'too-many-requests': 'Wait for as many seconds as `Retry-After` says.',
  'internal-error': 'A fault of the service: the message has the request id, by which the log tells more.',
  maintenance: 'Closed for maintenance: retry after `Retry-After` seconds.',
  unavailable: 'The database is away: retry after `Retry-After` seconds.',
};

/** An expected failure: its type and text are shown to the caller as they are. */
export class AppError extends Error {
  readonly type: ErrorType;
  readonly status: number;
  /** Response headers that belong to this failure, for example Retry-After. */
  readonly headers: Record<string, string>;

  constructor(type: ErrorType, msg: string, headers: Record<string, string> = {}) {
    super(msg);
    this.name = 'AppError';
    this.type = type;
    this.status = STATUS_BY_TYPE[type];
    this.headers = headers;
  }
}

/** Texts of the failures that say the same wherever they happen. */
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

/** Throws the failure of this type; `msg` names the field and the rule where the default text cannot. */
export function fail(
  type: ErrorType,
  msg: string = DEFAULT_TEXT[type] ?? type,
  headers?: Record<string, string>,
): never {
  throw new AppError(type, msg, headers);
}

/** The one error body of every REST route; `message` repeats `msg` because clients read either. */
export type ErrorBody = { error: true; type: ErrorType; msg: string; message: string };

/** The wire form of a failure. */
export function errorBody({ type, message }: AppError): ErrorBody {
  return { error: true, type, msg: message, message };
}

/** A failure in one sentence for an operator's terminal; connection failures hide theirs inside. */
export function describeFailure(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return describeFailure(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
