import { MAX_NAME_BYTES } from '../../assembly/abi.ts';
import { firstCharacters, grouped } from './wording.ts';

/** All error codes of the API with their HTTP status. */
export const ERRORS = {
  INVALID_JSON: 400,
  MISSING_SOURCE: 400,
  INVALID_ROWS: 400,
  INVALID_OPTIONS: 400,
  INVALID_RULES: 400,
  INVALID_PARAMETER: 400,
  INVALID_ENCODING: 400,
  INVALID_SIGNATURE: 400,
  AUTH_INVALID: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  KEY_IN_USE: 409,
  KEY_LIMIT: 409,
  CHANNEL_LIMIT: 409,
  BATCH_LIMIT: 409,
  BATCH_FINISHED: 409,
  BATCH_OF_WINDOW: 409,
  PARTS_MISSING: 409,
  PART_CONFLICT: 409,
  CLAIM_CONFLICT: 409,
  IDEMPOTENCY_CONFLICT: 409,
  SUBSCRIPTION_EXISTS: 409,
  TOO_LATE: 409,
  VERSION_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UPGRADE_REQUIRED: 426,
  PLAN_LIMIT_EXCEEDED: 429,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  BILLING_NOT_CONFIGURED: 503,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** A rejected request. `message` says what is wrong, where, and what to do. */
export class Rejection extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** Extra response headers, such as `Retry-After` or `Allow`. */
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
    this.status = ERRORS[code];
  }

  /** A copy with more headers. */
  with(headers: Record<string, string>): Rejection {
    return new Rejection(this.code, this.message, { ...this.headers, ...headers });
  }
}

/** A store did not confirm a change in time. The change may have happened; `outcome` resolves to whether it did. */
export class OutcomeUnknown extends Rejection {
  constructor(
    message: string,
    /** Whether the change happened. May take long to resolve. */
    readonly outcome: Promise<boolean>,
  ) {
    super('SERVICE_UNAVAILABLE', message, { 'Retry-After': '1' });
  }
}

/** The message names the header: who makes keys of their own has to say it in other words. */
export class IdempotencyConflict extends Rejection {
  constructor(
    readonly why: 'other request' | 'deleted' | 'running',
    message: string,
    headers?: Record<string, string>,
  ) {
    super('IDEMPOTENCY_CONFLICT', message, headers);
  }
}

/** What a write belongs to, such as its account, is no longer there. Nothing was written, and a repeat finds what there is now. */
export class Moved extends Rejection {
  constructor() {
    super(
      'SERVICE_UNAVAILABLE',
      'What this request writes to was deleted, or moved to another account, at this moment: send the request again',
      { 'Retry-After': '1' },
    );
  }
}

/**
 * Undoes a step of a request that failed with `error`. If the outcome is unknown, waits in the background until it is
 * known that the job was not written. Ignores errors of `undo`: the caller reports `error`.
 */
export async function compensate(error: unknown, undo: () => Promise<unknown>): Promise<void> {
  if (error instanceof OutcomeUnknown)
    void error.outcome.then(happened => (happened ? undefined : undo())).catch(() => {});
  else await undo().catch(() => {});
}

/** A field name has more than MAX_NAME_BYTES; `which` says which. */
export const nameTooLong = (which: string): Rejection =>
  new Rejection(
    'PAYLOAD_TOO_LARGE',
    `Too large: a field name may have at most ${grouped(MAX_NAME_BYTES)} bytes of UTF-8; ${which} is longer`,
  );

/** Version 1.0 stored reports without bound. */
export const jobTooLarge = (): Rejection =>
  new Rejection(
    'PAYLOAD_TOO_LARGE',
    'Too large: version 1.0 stored this job with a report and profile of more than 8 MiB, which are no longer read; the list of jobs has its verdict',
  );

export { escaped, quoted } from './wording.ts';

/** The first 64 characters of a text of the payload. */
export const shortened = (text: string): string => firstCharacters(text, 64);
