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
    'The store id or API key is missing: shopper calls send pid, store calls Authorization: Basic with the store id and API key',
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
