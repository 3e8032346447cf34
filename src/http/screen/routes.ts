/** POST /v1/screen. */
import { MAX_ROWS } from '../../../assembly/abi.ts';
import { Upload } from '../../intake/upload.ts';
import { Report } from '../../report-schema/report.ts';
import { KINDS } from '../../findings/kinds.ts';
import { OWN_CHECK } from '../caller.ts';
import { BLOCKED, DRIFTED } from '../documents/examples.ts';
import { answer } from '../documents/operation.ts';
import { route } from '../route.ts';
import { ONE_REQUEST, respond, type ScreenRouteDependencies } from './respond.ts';
import { CONTENT, HEADERS, PARAMETERS } from './schema.ts';

const KIND_TABLE = [
  '| Kind | Meaning |',
  '| --- | --- |',
  ...Object.values(KINDS).map(({ name, description }) => `| \`${name}\` | ${description} |`),
].join('\n');

const screenBatch = route('POST /v1/screen', {
  operationId: 'screen',
  tag: 'Screening',
  summary: 'Screen a batch',
  description:
    'Returns a verdict, its reasons, and the differences from the baseline of the source. The baseline learns from ' +
    'batches that are not BLOCK. Requests to a source with a `window` in its settings are judged alone, and together as one batch. JSON has the source in the body, all others in the header `X-Source`. ' +
    '`application/ndjson` and `application/jsonl` are treated as `application/x-ndjson`. CSV may state its `charset`.' +
    `\n\nWhat can be found:\n\n${KIND_TABLE}`,
  callers: OWN_CHECK,
  headers: PARAMETERS,
  content: { required: true, description: `1 to ${MAX_ROWS.toLocaleString('en-US')} rows`, content: CONTENT },
  answers: { 200: answer('The verdict', Report, { blocked: BLOCKED, drifted: DRIFTED }, HEADERS) },
  refusals: [
    'INVALID_JSON',
    'MISSING_SOURCE',
    'INVALID_ROWS',
    'INVALID_OPTIONS',
    'INVALID_RULES',
    'INVALID_PARAMETER',
    'INVALID_ENCODING',
    'REQUEST_TIMEOUT',
    'IDEMPOTENCY_CONFLICT',
    'BATCH_LIMIT',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'PLAN_LIMIT_EXCEEDED',
  ],
  messages: {
    INVALID_PARAMETER: "X-CSV-Delimiter must be one of , ; | ^ ~ or the words tab and 0x01, not '::'",
    BATCH_LIMIT:
      "What is kept of the account's open windows may have 1024 MiB: set shorter windows, or fewer",
    RATE_LIMITED: 'The developer plan allows requests: 10 per second, 20 at once',
    PLAN_LIMIT_EXCEEDED:
      'The request has more rows (400) than the developer plan has left: 120 of 500,000 until 2026-12-01T00:00:00.000Z; no row was counted. Choose a larger plan; on your own server set BOOTSTRAP_PLAN (the first account) or SIGNUP_PLAN (new accounts)',
  },
  handle: ({ request }, deps: ScreenRouteDependencies) =>
    respond(request, new Upload(request.body, deps), deps, ONE_REQUEST),
});

export const screenRoutes = [screenBatch];
