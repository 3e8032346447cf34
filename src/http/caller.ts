/** Who may call a route. */
import type { KeyUses } from '../account/key-uses.ts';
import { type ErrorCode, Rejection } from '../terms/errors.ts';
import type { Identity } from '../stores/ports.ts';
import { type Authentication, bearerToken } from './authentication.ts';
import type { Security } from './documents/operation.ts';
import { factsOf } from './request-facts.ts';
import { type RateLimitDependencies, takeRate } from './rate-limit.ts';

/** For one account and all these endpoints together. A page of the dashboard makes a handful of calls at once. */
const RATE = { requestsPerSecond: 50, burst: 100 };

export interface CallerDependencies extends RateLimitDependencies {
  authentication: Authentication;
  keyUses: KeyUses;
}

export interface Callers<Caller, Deps = CallerDependencies> {
  /** For the document; absent: an API key or a session. */
  security?: Security;
  /** What may be answered before the handler runs. */
  refusals: readonly ErrorCode[];
  /** Throws `Rejection` with these codes. */
  identify(request: Request, deps: Deps): Promise<Caller>;
}

const KNOWN = ['AUTH_INVALID', 'RATE_LIMITED', 'INTERNAL', 'SERVICE_UNAVAILABLE'] as const;

/** An account, by API key or session. */
export const ACCOUNT: Callers<Identity> = { refusals: KNOWN, identify: callerOf };

export const NOT_A_KEY =
  'An API key cannot do this: send a session token as Authorization: Bearer, without X-API-Key';

/** A person who is signed in, with the token of the session. */
export const SESSION: Callers<Identity & { token: string }> = {
  security: [{ session: [] }],
  refusals: ['INVALID_PARAMETER', ...KNOWN],
  async identify(request, deps) {
    const identity = await callerOf(request, deps);
    const token = bearerToken(request.headers);
    if (identity.key === null && token !== undefined) return { ...identity, token };
    throw new Rejection('INVALID_PARAMETER', NOT_A_KEY);
  },
};

/** Anybody. */
export const ANYBODY: Callers<null, unknown> = { security: [], refusals: [], identify: async () => null };

/** Those whom the handler identifies, by API key or session. */
export const OWN_CHECK: Callers<null, unknown> = { refusals: KNOWN, identify: async () => null };

async function callerOf(request: Request, deps: CallerDependencies): Promise<Identity> {
  const identity = await deps.authentication.identityOf(request.headers);
  factsOf(request).account = identity.account.id;
  deps.keyUses.note(identity.key, deps.now());
  await takeRate(`${identity.account.id}:calls`, RATE, 'An account may make these calls:', deps);
  return identity;
}
