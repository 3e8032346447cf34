/** Turns a request with rows into a batch, and what is said of it into a response. */
import type { KeyUses } from '../../account/key-uses.ts';
import { requestHash } from '../../account/idempotency.ts';
import { periodOf } from '../../account/period.ts';
import { PLANS } from '../../account/plans.ts';
import { PlanLimitExceeded } from '../../account/reservation.ts';
import { type ContentType, parseContentType } from '../../intake/content-type.ts';
import { headerOptions, headerSource, idempotencyKey, withDialect } from '../../intake/headers.ts';
import { isNamedByHeaders, type SourceAndOptions } from '../../intake/source-and-options.ts';
import { bodyTooLarge } from '../../intake/refusals.ts';
import type { Upload, UploadLimits } from '../../intake/upload.ts';
import {
  type Batch,
  type Keyed,
  type ScreenDependencies,
  type Screened,
  screen,
  type Windows,
} from '../../screen/screen.ts';
import { StageClock } from '../../screen/stages.ts';
import type { Account, Identity } from '../../stores/ports.ts';
import { Rejection } from '../../terms/errors.ts';
import type { Authentication } from '../authentication.ts';
import { factsOf } from '../request-facts.ts';
import { type Quota, quotaHeaders, type RateLimitDependencies, takeRate } from '../rate-limit.ts';
import { type RefuseDependencies, refuse } from '../refuse.ts';
import { serverTiming } from '../server-timing.ts';
import type { UnsentBytes } from '../unsent-bytes.ts';

export interface ScreenRouteDependencies
  extends ScreenDependencies,
    UploadLimits,
    RateLimitDependencies,
    RefuseDependencies {
  authentication: Authentication;
  keyUses: KeyUses;
  unsent: UnsentBytes;
  /** Where posts of sources with a window go. */
  openWindows: Windows;
}

/** How rows come and what is done with them. */
export interface Way<Deps> {
  /** Of the body; null for any length. */
  maxBodyBytes(deps: Deps): number | null;
  /** Whether headers name source and options, also for JSON. */
  isNamed: boolean;
  screen(batch: Batch, deps: Deps): Promise<Screened>;
}

/** As the contract has it. */
export const ONE_REQUEST: Way<ScreenRouteDependencies> = {
  maxBodyBytes: ({ maxBodyBytes }) => maxBodyBytes,
  isNamed: false,
  screen: (batch, deps) => screen({ ...batch, windows: deps.openWindows }, deps),
};

export async function respond<Deps extends ScreenRouteDependencies>(
  request: Request,
  upload: Upload,
  deps: Deps,
  way: Way<Deps>,
): Promise<Response> {
  const facts = factsOf(request);
  facts.upload = upload;
  const clock = new StageClock();
  facts.clock = clock;
  try {
    const identity = await deps.authentication.identityOf(request.headers);
    facts.account = identity.account.id;
    const { batch, requests } = await batchOf(identity, request.headers, upload, deps, way);
    clock.lap('admit');
    const quotas = (said: Pick<Screened, 'remainingRows'>) =>
      quotasOf(said, requests, batch.account, deps.now());
    const screened = await way.screen({ ...batch, clock }, deps).catch(error => {
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
async function batchOf<Deps extends ScreenRouteDependencies>(
  { account, key }: Identity,
  headers: Headers,
  upload: Upload,
  deps: Deps,
  { isNamed, ...way }: Way<Deps>,
): Promise<{ batch: Omit<Batch, 'clock'>; requests: Quota }> {
  deps.keyUses.note(key, deps.now());
  deps.unsent.check(account.id);
  const given = parseContentType(headers);
  const plan = PLANS[account.plan];
  const requests = await takeRate(account.id, plan, `The ${account.plan} plan allows requests:`, deps);
  const contentType = withDialect(headers, given);
  const named = sourceAndOptionsIn(headers, contentType, isNamed);
  const keyed = keyedBy(headers, upload);
  // Reject before the client sends the body.
  const maxBytes = way.maxBodyBytes(deps);
  if (maxBytes !== null && Number(headers.get('content-length')) > maxBytes) throw bodyTooLarge(maxBytes);
  return { batch: { account, isPerson: key === null, contentType, named, upload, keyed }, requests };
}

/** Characters. Nobody can keep enough small answers unread to matter. */
const SMALL_ANSWER = 64 * 1024;

function sourceAndOptionsIn(
  headers: Headers,
  contentType: ContentType,
  isNamed: boolean,
): SourceAndOptions | null {
  if (!isNamed && !isNamedByHeaders(contentType)) return null;
  if (isNamed && !headers.has('x-source'))
    throw new Rejection('MISSING_SOURCE', 'The header X-Source is missing: it names the source of the batch');
  return { source: headerSource(headers), options: headerOptions(headers) };
}

/** What is left of the plan. */
export const quotasOf = (
  { remainingRows }: Pick<Screened, 'remainingRows'>,
  requests: Quota,
  account: Account,
  now: number,
): Record<string, string> =>
  quotaHeaders(remainingRows === null ? [requests] : [requests, rowsQuota(account, remainingRows, now)]);

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
