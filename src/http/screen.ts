/** POST /v1/screen: request → batch, report → response. */
import { Elysia } from 'elysia';
import type { KeyUses } from '../account/key-uses.ts';
import { requestHash } from '../account/idempotency.ts';
import { periodOf } from '../account/period.ts';
import { PLANS } from '../account/plans.ts';
import { Rejection } from '../errors.ts';
import { type ContentType, parseContentType } from '../intake/content-type.ts';
import { csvDelimiter, headerOptions, headerSource, idempotencyKey } from '../intake/headers.ts';
import { bodyTooLarge } from '../intake/refusals.ts';
import { Upload, type UploadLimits } from '../intake/upload.ts';
import { parseOptions } from '../options/options.ts';
import {
  type Batch,
  isNamedByHeaders,
  type Keyed,
  type Named,
  type ScreenDependencies,
  type Screened,
  screen,
} from '../screen.ts';
import { StageClock } from '../stages.ts';
import type { Account, Identity } from '../stores/ports.ts';
import type { Authentication } from './authentication.ts';
import { SCREEN } from './documents/screen.ts';
import { factsOf } from './facts.ts';
import { otherMethods } from './methods.ts';
import { type Quota, quotaHeaders, type RateLimitDependencies, takeRate } from './rate-limit.ts';
import { type RefuseDependencies, refuse } from './refuse.ts';
import { serverTiming } from './server-timing.ts';
import { renewal } from './timeout.ts';

export interface ScreenRouteDependencies
  extends ScreenDependencies,
    UploadLimits,
    RateLimitDependencies,
    RefuseDependencies {
  authentication: Authentication;
  keyUses: KeyUses;
}

export const screenRoutes = (deps: ScreenRouteDependencies) =>
  new Elysia()
    // Elysia infers from a handler's text whether it reads the body, and would read it for us: see `parse`.
    .post(
      '/v1/screen',
      ({ request, server }) => {
        const upload = new Upload(request.body, deps, renewal(request, server, deps.bodyStallSeconds));
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
    const quotas = ({ headers }: Pick<Screened, 'headers'>) =>
      quotaHeaders([requests, rowsQuota(batch.account, headers, deps.now())]);
    const screened = await screen({ ...batch, clock }, deps).catch(error => {
      throw isForWantOfRows(error) ? error.with(quotas(error)) : error;
    });
    facts.screened = screened;
    const timing = { 'Server-Timing': serverTiming(clock) };
    return new Response(screened.body, { headers: { ...screened.headers, ...quotas(screened), ...timing } });
  } catch (error) {
    return refuse(error, upload, facts, deps);
  }
}

/** All that can be refused of a caller before the body, in the order of the rules. */
async function batchOf(
  { account, key }: Identity,
  headers: Headers,
  upload: Upload,
  deps: ScreenRouteDependencies,
): Promise<{ batch: Omit<Batch, 'clock'>; requests: Quota }> {
  deps.keyUses.note(key, deps.now());
  const given = parseContentType(headers);
  const plan = PLANS[account.plan];
  const requests = await takeRate(account.id, plan, `The ${account.plan} plan allows requests:`, deps);
  const contentType = { ...given, delimiter: csvDelimiter(headers, given) };
  const named = namedIn(headers, contentType);
  const keyed = keyedBy(headers, upload);
  // Said before the client has sent it all.
  if (Number(headers.get('content-length')) > deps.maxBodyBytes) throw bodyTooLarge(deps.maxBodyBytes);
  return { batch: { account, contentType, named, upload, keyed }, requests };
}

function namedIn(headers: Headers, contentType: ContentType): Named | null {
  if (!isNamedByHeaders(contentType)) return null;
  return { source: headerSource(headers), options: parseOptions(headerOptions(headers)) };
}

/** Such a refusal says of what is left as much as a 200. */
const isForWantOfRows = (error: unknown): error is Rejection =>
  error instanceof Rejection && error.code === 'PLAN_LIMIT_EXCEEDED';

/** The period's rows, as the answer has them. */
function rowsQuota(account: Account, headers: Record<string, string>, now: number): Quota {
  const { start, end } = periodOf(account, now);
  return {
    name: 'rows',
    limit: PLANS[account.plan].rowsPerPeriod,
    windowSeconds: (end - start) / 1000,
    remaining: Number(headers['X-RateLimit-Remaining']),
    resetSeconds: Math.ceil((end - now) / 1000),
  };
}

/** Only what comes with a key is hashed. */
function keyedBy(headers: Headers, upload: Upload): Keyed | null {
  const key = idempotencyKey(headers);
  if (key === null) return null;
  const hash = requestHash(headers);
  upload.hashInto(hash);
  return { key, hash };
}
