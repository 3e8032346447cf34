/** POST /v1/screen: turns a request into a batch, and the report into a response. */
import { MAX_ROWS } from '../../../assembly/abi.ts';
import type { KeyUses } from '../../account/key-uses.ts';
import { requestHash } from '../../account/idempotency.ts';
import { periodOf } from '../../account/period.ts';
import { PLANS } from '../../account/plans.ts';
import { PlanLimitExceeded } from '../../account/reservation.ts';
import { type ContentType, parseContentType } from '../../intake/content-type.ts';
import { headerOptions, headerSource, idempotencyKey, withDialect } from '../../intake/headers.ts';
import { isNamedByHeaders, type SourceAndOptions } from '../../intake/source-and-options.ts';
import { bodyTooLarge } from '../../intake/refusals.ts';
import { Upload, type UploadLimits } from '../../intake/upload.ts';
import {
  type Batch,
  type Keyed,
  type ScreenDependencies,
  type Screened,
  screen,
} from '../../screen/screen.ts';
import { StageClock } from '../../screen/stages.ts';
import type { Account, Identity } from '../../stores/ports.ts';
import type { Authentication } from '../authentication.ts';
import { factsOf } from '../request-facts.ts';
import { type Quota, quotaHeaders, type RateLimitDependencies, takeRate } from '../rate-limit.ts';
import { type RefuseDependencies, refuse } from '../refuse.ts';
import { serverTiming } from '../server-timing.ts';
import type { UnsentBytes } from '../unsent-bytes.ts';
import { Report } from '../../report-schema/report.ts';
import { KINDS } from '../../findings/kinds.ts';
import { OWN_CHECK } from '../caller.ts';
import { BLOCKED, DRIFTED } from '../documents/examples.ts';
import { answer } from '../documents/operation.ts';
import { route } from '../route.ts';
import { CONTENT, HEADERS, PARAMETERS } from './schema.ts';

export interface ScreenRouteDependencies
  extends ScreenDependencies,
    UploadLimits,
    RateLimitDependencies,
    RefuseDependencies {
  authentication: Authentication;
  keyUses: KeyUses;
  unsent: UnsentBytes;
}

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
    'batches that are not BLOCK. JSON has the source in the body, all others in the header `X-Source`. ' +
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
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'PLAN_LIMIT_EXCEEDED',
  ],
  messages: {
    INVALID_PARAMETER: "X-CSV-Delimiter must be one of , ; | ^ ~ or the words tab and 0x01, not '::'",
    RATE_LIMITED: 'The developer plan allows requests: 10 per second, 20 at once',
    PLAN_LIMIT_EXCEEDED:
      'The request has more rows (400) than the developer plan has left: 120 of 500,000 until 2026-12-01T00:00:00.000Z; no row was counted. Choose a larger plan; on your own server set BOOTSTRAP_PLAN (the first account) or SIGNUP_PLAN (new accounts)',
  },
  handle: ({ request }, deps: ScreenRouteDependencies) =>
    respond(request, new Upload(request.body, deps), deps),
});

async function respond(request: Request, upload: Upload, deps: ScreenRouteDependencies): Promise<Response> {
  const facts = factsOf(request);
  facts.upload = upload;
  const clock = new StageClock();
  facts.clock = clock;
  try {
    const identity = await deps.authentication.identityOf(request.headers);
    facts.account = identity.account.id;
    const { batch, requests } = await batchOf(identity, request.headers, upload, deps);
    clock.lap('admit');
    const quotas = ({ remainingRows }: Pick<Screened, 'remainingRows'>) =>
      quotaHeaders(
        remainingRows === null ? [requests] : [requests, rowsQuota(batch.account, remainingRows, deps.now())],
      );
    const screened = await screen({ ...batch, clock }, deps).catch(error => {
      throw error instanceof PlanLimitExceeded ? error.with(quotas(error)) : error;
    });
    facts.screened = screened;
    if (screened.body.length > SMALL_ANSWER) deps.unsent.add(request, batch.account.id, screened.body.length);
    const timing = { 'Server-Timing': serverTiming(clock) };
    return new Response(screened.body, { headers: { ...screened.headers, ...quotas(screened), ...timing } });
  } catch (error) {
    return refuse(error, upload, facts, deps);
  }
}

/** Checks everything that can be rejected before the body is read, in the order of the rules. */
async function batchOf(
  { account, key }: Identity,
  headers: Headers,
  upload: Upload,
  deps: ScreenRouteDependencies,
): Promise<{ batch: Omit<Batch, 'clock'>; requests: Quota }> {
  deps.keyUses.note(key, deps.now());
  deps.unsent.check(account.id);
  const given = parseContentType(headers);
  const plan = PLANS[account.plan];
  const requests = await takeRate(account.id, plan, `The ${account.plan} plan allows requests:`, deps);
  const contentType = withDialect(headers, given);
  const named = sourceAndOptionsIn(headers, contentType);
  const keyed = keyedBy(headers, upload);
  // Reject before the client sends the body.
  if (Number(headers.get('content-length')) > deps.maxBodyBytes) throw bodyTooLarge(deps.maxBodyBytes);
  return { batch: { account, isPerson: key === null, contentType, named, upload, keyed }, requests };
}

/** Characters. Nobody can keep enough small answers unread to matter. */
const SMALL_ANSWER = 64 * 1024;

function sourceAndOptionsIn(headers: Headers, contentType: ContentType): SourceAndOptions | null {
  if (!isNamedByHeaders(contentType)) return null;
  return { source: headerSource(headers), options: headerOptions(headers) };
}

function rowsQuota(account: Account, remaining: number, now: number): Quota {
  const { start, end } = periodOf(account, now);
  return {
    name: 'rows',
    limit: PLANS[account.plan].rowsPerPeriod,
    windowSeconds: (end - start) / 1000,
    remaining,
    resetSeconds: Math.ceil((end - now) / 1000),
  };
}

/** Hashes the request only if it has a key. */
function keyedBy(headers: Headers, upload: Upload): Keyed | null {
  const key = idempotencyKey(headers);
  if (key === null) return null;
  const hash = requestHash(headers);
  upload.hashInto(hash);
  return { key, hash };
}

export const screenRoutes = [screenBatch];
