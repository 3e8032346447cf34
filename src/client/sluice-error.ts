import type { ErrorCode } from './contract.ts';

/** What the service says, or what no service said: no answer came, or one that is not of Sluice, or the client refused it. */
export type SluiceErrorCode = ErrorCode | 'UNREACHABLE' | 'UNEXPECTED_ANSWER';

/** Rows of the input, from 1, both included. */
export interface Place {
  firstRow: number;
  lastRow: number;
}

export interface Facts {
  code: string;
  message: string;
  /** Of HTTP; 0 where no answer came. */
  status: number;
  requestId: string | null;
  retryAfterSeconds: number | null;
  details: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** A request that has no success, after whatever retries there were. The message is for people and says what to do. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  /** For programs. A newer service may have codes that this client does not know. */
  readonly code: SluiceErrorCode | (string & {});
  readonly status: number;
  /** By which the service's log knows the request; null where none is known. */
  readonly requestId: string | null;
  /** When the service wants to be asked again; null where it does not say. */
  readonly retryAfterSeconds: number | null;
  /** What else the answer's body says, such as `url` of SUBSCRIPTION_EXISTS. */
  readonly details: Readonly<Record<string, unknown>>;
  /** `screenAll`: the rows of the batch that failed; all before them were screened. */
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

const WITHOUT_ANSWER = { status: 0, requestId: null, retryAfterSeconds: null, details: {} };

/** What the client itself refuses: it would be refused by every service. */
export const tooLarge = (message: string): SluiceError =>
  new SluiceError({ ...WITHOUT_ANSWER, code: 'PAYLOAD_TOO_LARGE', message });

export const unreachable = (message: string, cause: unknown): SluiceError =>
  new SluiceError({ ...WITHOUT_ANSWER, code: 'UNREACHABLE', message, cause });

/** An answer of somebody else. */
export const unexpected = (
  { status, headers }: { status: number; headers: Headers },
  message: string,
): SluiceError =>
  new SluiceError({
    ...WITHOUT_ANSWER,
    code: 'UNEXPECTED_ANSWER',
    message,
    status,
    requestId: headers.get('x-request-id'),
  });

/** An answer that is no success. One of a proxy has neither message nor code. */
export function errorIn(
  answer: { status: number; headers: Headers; text: string },
  now: number,
): SluiceError {
  const { status, headers, text } = answer;
  const { message, code, ...details } = objectIn(text) ?? {};
  const isOurs = typeof message === 'string' && typeof code === 'string';
  return new SluiceError({
    ...(isOurs ? { message, code, details } : { ...strange(status, headers), details: {} }),
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: retryAfterIn(headers, now),
  });
}

/** The members of a JSON object; null where there is none. */
export function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function strange(status: number, headers: Headers): Pick<Facts, 'message' | 'code'> {
  const to = headers.get('location');
  const message =
    status === 0 || (status >= 300 && status < 400)
      ? `The address leads elsewhere${to === null ? '' : `, to ${to}`}: a key is not sent on; name that address instead`
      : `The answer has the status ${status} and no reason; is this the address of a Sluice server?`;
  return { message, code: 'UNEXPECTED_ANSWER' };
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfterIn(headers: Headers, now: number): number | null {
  const given = headers.get('retry-after');
  if (given === null) return null;
  const seconds = /^\s*\d+\s*$/.test(given) ? Number(given) : (Date.parse(given) - now) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
