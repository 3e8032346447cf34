/** Error responses: every code with its status, its meaning and an example. */
import { Type } from '@sinclair/typebox';
import { PLANS } from '../../account/plans.ts';
import { count, word } from '../../report-schema/values.ts';
import { ERRORS, type ErrorCode } from '../../terms/errors.ts';
import { answer, type Header, type Response, type Responses } from './operation.ts';

interface Refusal {
  meaning: string;
  /** An example message. */
  message: string;
}

const REFUSALS: Record<ErrorCode, Refusal> = {
  INVALID_JSON: {
    meaning: 'the body is not one JSON text in UTF-8',
    message: 'The body is not JSON: unexpected byte at offset 30',
  },
  MISSING_SOURCE: {
    meaning: 'the source is missing or cannot be a name',
    message: 'source is missing; it names the pipeline or table',
  },
  INVALID_ROWS: {
    meaning:
      'the rows are missing or empty, are not objects, or are not CSV; or the CSV is plainly something else',
    message: 'Every item of rows must be an object; the one at index 2 is not',
  },
  INVALID_OPTIONS: {
    meaning: 'an option has a wrong type or value',
    message: 'options.thresholds.null_rate_warn must be a number from 0 to 1, not 30',
  },
  INVALID_RULES: {
    meaning: 'a declared rule is wrong; the message begins with its path',
    message: "fields.quantity.minimum: must be a number, not '1'",
  },
  INVALID_PARAMETER: {
    meaning: 'a part of the address, a header or a member of the body is wrong',
    message: "limit must be a whole number from 1 to 200, not '1000'",
  },
  INVALID_ENCODING: {
    meaning: 'the body does not match its Content-Encoding',
    message: 'The body does not match its Content-Encoding: its gzip stream is damaged',
  },
  AUTH_INVALID: {
    meaning: 'the API key or session token is missing or invalid',
    message: 'No account has this API key',
  },
  NOT_FOUND: { meaning: 'the account has no such resource', message: 'The account has no job with this id' },
  METHOD_NOT_ALLOWED: {
    meaning: 'the address does not support this method',
    message: 'This address supports only POST, OPTIONS',
  },
  REQUEST_TIMEOUT: {
    meaning: 'the body stalled or took too long',
    message: 'No byte of the body arrived for 10 seconds',
  },
  KEY_IN_USE: {
    meaning: 'the request uses the key that it deletes',
    message: 'This request uses the key that it deletes: use another key, or sign in',
  },
  KEY_LIMIT: {
    meaning: 'the account has the maximum number of keys',
    message: 'An account may have at most 100 keys: delete one that you no longer need',
  },
  CHANNEL_LIMIT: {
    meaning: 'the account has the maximum number of alert channels',
    message: 'An account may have at most 20 alert channels: delete one that you no longer need',
  },
  BATCH_LIMIT: {
    meaning:
      'the account has the maximum number of open batches, or of what their parts, or posts to windows, leave behind',
    message:
      'The account has 100 batches open, which is as many as it may have: finish one, or delete one (DELETE /v1/batches/{id})',
  },
  BATCH_FINISHED: {
    meaning: 'the batch is finished',
    message:
      "The batch 'bat_01M8F1838TJ38YN0ZJSMPKEAFY' is finished, or is being finished: open another one for more rows",
  },
  BATCH_OF_WINDOW: {
    meaning: 'the batch is a window of a source, which no client sends or ends',
    message:
      "The batch 'bat_01M8F1838TJ38YN0ZJSMPKEAFY' is a window of the source 'clicks': it gets its rows from POST /v1/screen, and ends by itself. To end it now, change the window in the settings of the source",
  },
  PARTS_MISSING: {
    meaning: 'parts of the batch were not sent',
    message: 'Not all parts are there; missing: 3, 7 to 9',
  },
  PART_CONFLICT: {
    meaning: 'the part was sent with other bytes, or there are more parts than are said',
    message:
      'Part 3 was sent with other bytes (SHA-256 6efec1b69eb49edbaa220729728fe594b35ad9f0a3f4f0c62e3d4c1d0e9a8b7c): give each part a number of its own',
  },
  CLAIM_CONFLICT: {
    meaning: 'the account of the key has an address, or the own account has something that would be lost',
    message: 'Your own account has API keys, which you would lose: delete them first',
  },
  SUBSCRIPTION_EXISTS: {
    meaning: 'the account already has a subscription',
    message: 'The account already has a subscription: change it or fix its payment at url',
  },
  TOO_LATE: {
    meaning: 'the batch is no longer stored separately; the message says what to do instead',
    message:
      'The batch is part of the averages and cannot be taken out alone. Roll back to version 7, which is without it',
  },
  VERSION_CONFLICT: {
    meaning: 'somebody else was first: the version is no longer that of `if_version`',
    message: "The rules of 'orders' have version 3, not 2: read them again and repeat the change",
  },
  INVALID_SIGNATURE: {
    meaning: 'the event is not signed by Stripe or is too old',
    message:
      'The header Stripe-Signature must be a signature of this body with the configured secret, at most five minutes old',
  },
  BILLING_NOT_CONFIGURED: {
    meaning: 'billing is not configured',
    message: 'Billing is not set up here: the operator has not set a key of the payment provider',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning:
      'the Idempotency-Key was used for another request, or (with Retry-After) the first request is still running',
    message:
      "The first request with the Idempotency-Key 'orders-7' is still running; send this request again for its answer",
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'the request exceeds a limit, which the message names',
    message: 'Too large: a request may have at most 10,000 rows; send the rest in more batches',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'the Content-Type or Content-Encoding is not supported',
    message:
      'Content-Type must be application/json, application/x-ndjson, text/csv or text/tab-separated-values',
  },
  UPGRADE_REQUIRED: {
    meaning: 'the address speaks another protocol, which the header Upgrade names',
    message: 'This address speaks WebSocket: connect with ws:// or wss://',
  },
  PLAN_LIMIT_EXCEEDED: {
    meaning:
      "the rows exceed the plan's allowance of the period, or what is to be kept exceeds its sources or bytes, as the message says; nothing was stored or counted",
    message:
      'The account keeps 127.9 MiB of baselines, of the 128.0 MiB that it may keep; nothing was stored or counted. Reset a source that is no longer needed (DELETE /v1/schema/{source}), or choose a larger plan; on your own server raise MAX_BASELINE_BYTES',
  },
  RATE_LIMITED: {
    meaning: 'too many requests',
    message: 'An account may make these calls: 50 per second, 100 at once',
  },
  INTERNAL: {
    meaning: 'a bug in the service',
    message: 'Something went wrong on our side; the request may be repeated',
  },
  SERVICE_UNAVAILABLE: {
    meaning: 'a store is unavailable or this process is stopping: send the request again after Retry-After',
    message: 'A store is unavailable at the moment: send the request again',
  },
};

export const RETRY_AFTER: Header = {
  description: 'Seconds to wait',
  required: true,
  schema: Type.Integer({ minimum: 1 }),
  example: 1,
};

/** As in draft-ietf-httpapi-ratelimit-headers. */
export const QUOTA_HEADERS: Record<string, Header> = {
  'RateLimit-Policy': {
    description: 'For each quota its size (`q`) and its window in seconds (`w`)',
    required: true,
    schema: Type.String(),
    example: '"requests";q=20;w=2',
  },
  RateLimit: {
    description: 'For each quota what remains (`r`) and the seconds until it is full again (`t`)',
    required: true,
    schema: Type.String(),
    example: '"requests";r=0;t=2',
  },
};

/** Remaining rows of the plan. */
export const ROWS_HEADERS: Record<string, Header> = {
  'X-RateLimit-Plan': {
    description: 'The plan',
    required: true,
    schema: word(Object.keys(PLANS), 'Its name'),
    example: 'developer',
  },
  'X-RateLimit-Remaining': {
    description: 'Remaining rows of the allowance',
    required: true,
    schema: count('After this request'),
    example: 499_998,
  },
};

/** Of PLAN_LIMIT_EXCEEDED. */
const RESET_HEADER: Record<string, Header> = {
  'X-RateLimit-Reset': {
    description: 'Seconds until the next period starts, if rows are missing',
    required: true,
    schema: Type.Integer({ minimum: 1 }),
    example: 691_200,
  },
};

const maybe = (headers: Record<string, Header>): Record<string, Header> =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]));

/** Headers of error responses, by status. */
const HEADERS: Record<number, Record<string, Header>> = {
  401: {
    'WWW-Authenticate': {
      description: 'Scheme of a session token; send an API key in `X-API-Key`',
      required: true,
      schema: Type.String(),
      example: 'Bearer',
    },
  },
  409: maybe({ 'Retry-After': RETRY_AFTER }),
  415: maybe({
    'Accept-Encoding': {
      description: 'The supported codings, if that of the body is not supported',
      required: false,
      schema: Type.String(),
      example: 'gzip, deflate, br, zstd',
    },
  }),
  429: { 'Retry-After': RETRY_AFTER, ...maybe(QUOTA_HEADERS) },
  503: { 'Retry-After': RETRY_AFTER },
};

type Messages = Partial<Record<ErrorCode, string>>;

/** Responses with these codes, by status. `messages`: examples that fit the route better than the default ones. */
export function refusals(codes: readonly ErrorCode[], messages: Messages = {}): Responses {
  const statuses = [...new Set(codes.map(code => ERRORS[code]))];
  return Object.fromEntries(statuses.map(status => [status, refusal(status, codes, messages)] as const));
}

function refusal(status: number, all: readonly ErrorCode[], messages: Messages): Response {
  const codes = all.filter(code => ERRORS[code] === status);
  const description = codes.map(code => `\`${code}\`: ${REFUSALS[code].meaning}`).join('; ');
  const examples = codes.map(code => [code, { message: messages[code] ?? REFUSALS[code].message, code }]);
  const headers = {
    ...HEADERS[status],
    // The plan's limit has no Retry-After.
    ...(codes.includes('PLAN_LIMIT_EXCEEDED') &&
      maybe({ 'Retry-After': RETRY_AFTER, ...ROWS_HEADERS, ...RESET_HEADER })),
  };
  return answer(description, errorWith(codes), Object.fromEntries(examples), headers);
}

const errorWith = (codes: readonly ErrorCode[]) =>
  Type.Object({
    message: Type.String({ description: 'What is wrong, where, and what to do, for people' }),
    code: Type.Unsafe<ErrorCode>({ type: 'string', enum: [...codes], description: 'For programs' }),
  });
