/** Takes over an Idempotency-Key from an earlier request that was never answered. */
import { type Claim, ClaimLost } from '../account/idempotency.ts';
import type { ScreenDependencies } from './dependencies.ts';

/**
 * Calls off the batch that the earlier request may have learned, and returns the id of this claim. If that batch is already folded, it stays
 * learned: then returns the earlier id, under which the batch cannot be learned twice. Throws `ClaimLost`, `Rejection` SERVICE_UNAVAILABLE.
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
