import type { ErrorCode } from './contract.ts';

/** A code of the service, or of the client: no answer came (UNREACHABLE), or the answer is not from Sluice. */
export type SluiceErrorCode = ErrorCode | 'UNREACHABLE' | 'UNEXPECTED_ANSWER';

/** Rows of the input, from 1, both included. */
export interface Place {
  firstRow: number;
  lastRow: number;
}

export interface Facts {
  code: string;
  message: string;
  /** HTTP status; 0 without an answer. */
  status: number;
  requestId: string | null;
  retryAfterSeconds: number | null;
  details: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** A request that failed, after all retries. The message is for people and says what to do. */
export class SluiceError extends Error {
  override readonly name: string = 'SluiceError';
  /** For programs. A newer service may have codes that this client does not list. */
  readonly code: SluiceErrorCode | (string & {});
  readonly status: number;
  /** Find the request in the service's log by this id; null if unknown. */
  readonly requestId: string | null;
  /** When to retry; null if the service does not say. */
  readonly retryAfterSeconds: number | null;
  /** Other members of the answer's body, such as `url` of SUBSCRIPTION_EXISTS. */
  readonly details: Readonly<Record<string, unknown>>;
  /** `screenAll`: the rows of the batch that failed. All rows before it were screened. */
  place: Place | null = null;

  constructor({ code, message, status, requestId, retryAfterSeconds, details, cause }: Facts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }
}

/** The key is missing or not valid. */
export class AuthError extends SluiceError {
  override readonly name = 'AuthError';
}

/** The batch, an option or a parameter is refused: sending it again does not help. */
export class InvalidInput extends SluiceError {
  override readonly name = 'InvalidInput';
}

/** Too many requests; `retryAfterSeconds` says when to go on. */
export class RateLimited extends SluiceError {
  override readonly name = 'RateLimited';
}

/** A bound of the plan is reached; the message says which. */
export class PlanLimitExceeded extends SluiceError {
  override readonly name = 'PlanLimitExceeded';
}

/** No answer, or the service cannot serve the request now. */
export class Unavailable extends SluiceError {
  override readonly name = 'Unavailable';
}

const BY_CODE: ReadonlyMap<string, typeof SluiceError> = new Map<string, typeof SluiceError>([
  ['AUTH_INVALID', AuthError],
  ['RATE_LIMITED', RateLimited],
  ['PLAN_LIMIT_EXCEEDED', PlanLimitExceeded],
  ['UNREACHABLE', Unavailable],
  ['SERVICE_UNAVAILABLE', Unavailable],
  ['BILLING_NOT_CONFIGURED', Unavailable],
  ['REQUEST_TIMEOUT', Unavailable],
  ['INTERNAL', Unavailable],
  ['MISSING_SOURCE', InvalidInput],
  ['PAYLOAD_TOO_LARGE', InvalidInput],
  ['UNSUPPORTED_MEDIA_TYPE', InvalidInput],
]);

/** The class of a code. One that is not known, of a newer service or a proxy, goes by its status. */
function classOf(code: string, status: number): typeof SluiceError {
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('INVALID_') || status === 400 || status === 413 || status === 415) return InvalidInput;
  if (status === 401 || status === 403) return AuthError;
  return status >= 500 || status === 408 ? Unavailable : SluiceError;
}

const errorOf = (facts: Facts): SluiceError => new (classOf(facts.code, facts.status))(facts);

const WITHOUT_ANSWER = { status: 0, requestId: null, retryAfterSeconds: null, details: {} };

/** Thrown by the client itself: every service would reject the request. */
export const tooLarge = (message: string): SluiceError =>
  errorOf({ ...WITHOUT_ANSWER, code: 'PAYLOAD_TOO_LARGE', message });

export const unreachable = (message: string, cause: unknown): SluiceError =>
  errorOf({ ...WITHOUT_ANSWER, code: 'UNREACHABLE', message, cause });

/** The error frame of a stream. */
export const refused = (code: string, message: string): SluiceError =>
  errorOf({ ...WITHOUT_ANSWER, code, message });

/** The answer is not from a Sluice server. */
export const unexpected = (
  { status, headers }: { status: number; headers: Headers },
  message: string,
): SluiceError =>
  errorOf({
    ...WITHOUT_ANSWER,
    code: 'UNEXPECTED_ANSWER',
    message,
    status,
    requestId: headers.get('x-request-id'),
  });

/** The error in an unsuccessful answer. The answer of a proxy has neither message nor code. */
export function errorIn(
  answer: { status: number; headers: Headers; text: string },
  now: number,
): SluiceError {
  const { status, headers, text } = answer;
  const { message, code, ...details } = objectIn(text) ?? {};
  const isOurs = typeof message === 'string' && typeof code === 'string';
  return errorOf({
    ...(isOurs ? { message, code, details } : { ...foreignError(status, headers), details: {} }),
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: retryAfterIn(headers, now),
  });
}

/** The members of a JSON object; null if the text is not a JSON object. */
export function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function foreignError(status: number, headers: Headers): Pick<Facts, 'message' | 'code'> {
  const to = headers.get('location');
  const message =
    status === 0 || (status >= 300 && status < 400)
      ? `The address redirects${to === null ? '' : ` to ${to}`}, and the client does not send a key there; use that address instead`
      : `The answer has status ${status} and gives no reason; is this the address of a Sluice server?`;
  return { message, code: 'UNEXPECTED_ANSWER' };
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfterIn(headers: Headers, now: number): number | null {
  const given = headers.get('retry-after');
  if (given === null) return null;
  const seconds = /^\s*\d+\s*$/.test(given) ? Number(given) : (Date.parse(given) - now) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
