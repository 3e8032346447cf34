/** A signed-in person takes over the account of an API key, if nobody signs in to it yet. */
import { Rejection } from '../terms/errors.ts';
import type { BaselineStore, Claim, SignInStore } from '../stores/ports.ts';
import { isWellFormedKey, secretSha256 } from './keys.ts';

export interface ClaimDependencies {
  store: Pick<SignInStore, 'claim' | 'moveAddress'>;
  baselines: Pick<BaselineStore, 'kept'>;
}

const OTHER_ADDRESS = 'to claim this key, sign in with another address';
const IN_THE_WAY: Record<NonNullable<Claim['holds']> | 'sources', string> = {
  jobs: `Your own account has jobs, which you would lose: ${OTHER_ADDRESS}`,
  sources: `Your own account has sources, which you would lose: ${OTHER_ADDRESS}`,
  keys: 'Your own account has API keys, which you would lose: delete them first',
  channels: 'Your own account has alert channels, which you would lose: delete them first',
  batches: `Your own account has batches in parts, which you would lose: ${OTHER_ADDRESS}`,
  payments: `Your own account has payments, which you would lose: ${OTHER_ADDRESS}`,
};

/**
 * Moves address and sessions of the account `asking` to the account of the key. Does nothing if both are the same. Sources are
 * in another store: one that is added at this moment stays in the account that is left.
 * Throws `Rejection` INVALID_PARAMETER, NOT_FOUND, CLAIM_CONFLICT, SERVICE_UNAVAILABLE.
 */
export async function claimAccount(asking: string, key: unknown, deps: ClaimDependencies): Promise<void> {
  if (typeof key !== 'string' || !isWellFormedKey(key.trim()))
    throw new Rejection('INVALID_PARAMETER', 'key must be an API key, such as sluice_live_4fJ2…');
  const sha256 = secretSha256(key.trim());
  const claim = await deps.store.claim(asking, sha256);
  if (claim === null) throw new Rejection('NOT_FOUND', 'No account has this API key');
  const { account, email } = claim;
  if (account === asking) return;
  if (claim.hasAddress)
    throw conflict('Somebody signs in to the account of this key already: ask them, or the operator');
  const holds = claim.holds ?? ((await deps.baselines.kept(asking)).bytes > 0 ? 'sources' : null);
  if (holds !== null) throw conflict(IN_THE_WAY[holds]);
  if (email === null || !(await deps.store.moveAddress(asking, email, account, sha256)))
    throw conflict('Another request has changed one of the accounts: load the page again');
}

const conflict = (message: string) => new Rejection('CLAIM_CONFLICT', message);
