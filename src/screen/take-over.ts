/** What a request does before anything else if an earlier one with its key was not answered. */
import { type Claim, ClaimLost } from '../account/idempotency.ts';
import type { ScreenDependencies } from './dependencies.ts';

/**
 * Calls off what the earlier request may have learned, and returns the id of this one. A batch that was folded since stays learned: then
 * the request goes on under the earlier id, under which it is learned once. Throws `ClaimLost`, `Rejection` SERVICE_UNAVAILABLE.
 */
export async function takeOver(
  { id, key, unfinished }: Claim,
  account: string,
  source: string,
  { baselines, idempotency }: Pick<ScreenDependencies, 'baselines' | 'idempotency'>,
): Promise<string> {
  if (unfinished === null) return id;
  if (!(await baselines.callOff(account, source, unfinished))) return unfinished;
  if (!(await idempotency.forgetUnfinished(account, key, id))) throw new ClaimLost();
  return id;
}
