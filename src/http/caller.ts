/** Who calls one of the endpoints beside `/v1/screen`, and whether it calls too often. */
import type { KeyUses } from '../account/key-uses.ts';
import type { RateLimiter } from '../account/rate.ts';
import { Rejection } from '../errors.ts';
import type { Identity } from '../stores/ports.ts';
import type { Authentication } from './authentication.ts';

/** Of all these endpoints together, an account; a page of the dashboard makes a handful at once. */
const RATE = { requestsPerSecond: 50, burst: 100 };

export interface CallerDependencies {
  authentication: Authentication;
  keyUses: KeyUses;
  rates: RateLimiter;
  now(): number;
}

/** Throws `Rejection` AUTH_INVALID, RATE_LIMITED, SERVICE_UNAVAILABLE. */
export async function callerOf(request: Request, deps: CallerDependencies): Promise<Identity> {
  const identity = await deps.authentication.identityOf(request.headers);
  deps.keyUses.note(identity.key, deps.now());
  const decision = deps.rates.take(`${identity.account.id}:calls`, RATE, deps.now());
  if (decision.allowed) return identity;
  throw new Rejection(
    'RATE_LIMITED',
    `An account may make ${RATE.requestsPerSecond} calls a second, ${RATE.burst} at once`,
    { 'Retry-After': String(decision.waitSeconds) },
  );
}
