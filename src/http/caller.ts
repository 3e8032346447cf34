/** Authenticates and rate-limits callers of all endpoints except `/v1/screen`. */
import type { KeyUses } from '../account/key-uses.ts';
import type { Identity } from '../stores/ports.ts';
import type { Authentication } from './authentication.ts';
import { factsOf } from './request-facts.ts';
import { type RateLimitDependencies, takeRate } from './rate-limit.ts';

/** For one account and all these endpoints together. A page of the dashboard makes a handful of calls at once. */
const RATE = { requestsPerSecond: 50, burst: 100 };

export interface CallerDependencies extends RateLimitDependencies {
  authentication: Authentication;
  keyUses: KeyUses;
}

/** Throws `Rejection` AUTH_INVALID, RATE_LIMITED, SERVICE_UNAVAILABLE. */
export async function callerOf(request: Request, deps: CallerDependencies): Promise<Identity> {
  const identity = await deps.authentication.identityOf(request.headers);
  factsOf(request).account = identity.account.id;
  deps.keyUses.note(identity.key, deps.now());
  await takeRate(`${identity.account.id}:calls`, RATE, 'An account may make these calls:', deps);
  return identity;
}
