/** POST /v1/screen: turns a request into a batch, and the report into a response. */
import { Elysia } from 'elysia';
import type { KeyUses } from '../account/key-uses.ts';
import { requestHash } from '../account/idempotency.ts';
import { periodOf } from '../account/period.ts';
import { PLANS } from '../account/plans.ts';
import { PlanLimitExceeded } from '../account/reservation.ts';
import { type ContentType, parseContentType } from '../intake/content-type.ts';
import { headerOptions, headerSource, idempotencyKey, withDelimiter } from '../intake/headers.ts';
import { isNamedByHeaders, type SourceAndOptions } from '../intake/source-and-options.ts';
import { bodyTooLarge } from '../intake/refusals.ts';
import { Upload, type UploadLimits } from '../intake/upload.ts';
import { type Batch, type Keyed, type ScreenDependencies, type Screened, screen } from '../screen.ts';
import { StageClock } from '../stages.ts';
import type { Account, Identity } from '../stores/ports.ts';
import type { Authentication } from './authentication.ts';
import { SCREEN } from './documents/screen.ts';
import { factsOf } from './request-facts.ts';
import { otherMethods } from './methods.ts';
import { type Quota, quotaHeaders, type RateLimitDependencies, takeRate } from './rate-limit.ts';
import { type RefuseDependencies, refuse } from './refuse.ts';
import { serverTiming } from './server-timing.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

export interface ScreenRouteDependencies
  extends ScreenDependencies,
    UploadLimits,
    RateLimitDependencies,
    RefuseDependencies {
  authentication: Authentication;
  keyUses: KeyUses;
  unsent: UnsentBytes;
}

export const screenRoutes = (deps: ScreenRouteDependencies) =>
  new Elysia()
    // Elysia infers from the handler's source text whether it reads the body. `parse: 'none'` keeps it from reading the body itself.
    .post(
      '/v1/screen',
      ({ request }) => {
        const upload = new Upload(request.body, deps);
        return respond(request, upload, deps);
      },
      { parse: 'none', detail: SCREEN },
    )
    .all('/v1/screen', otherMethods('POST'));

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
  const contentType = withDelimiter(headers, given);
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
