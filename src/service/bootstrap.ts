/** Creates the first account with the key and address from the configuration. */
import { randomBytes } from 'node:crypto';
import { displayPrefix, keyFrom, SECRET_BYTES, secretSha256 } from '../account/keys.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { Stores } from '../stores/open.ts';
import type { InitialKey } from '../stores/sql/identities.ts';
import { FIRST_ACCOUNT } from '../stores/sql/ids.ts';

type BootstrapConfig = Pick<Config, 'bootstrapApiKey' | 'bootstrapEmail' | 'bootstrapPlan'>;
type BootstrapStores = Pick<Stores, 'identities'>;

/** Creates what the configuration names, unless it exists. Throws `ConfigError`. */
export async function bootstrap({ identities }: BootstrapStores, config: BootstrapConfig): Promise<void> {
  const { bootstrapApiKey, bootstrapEmail, bootstrapPlan } = config;
  if (bootstrapApiKey !== null) check(await identities.ensureKey(initialKeyOf(config, bootstrapApiKey)));
  else {
    if (bootstrapEmail !== null) check(await identities.ensureEmail(FIRST_ACCOUNT, bootstrapEmail));
    // The default is no wish: an operator may have set another plan before.
    if (bootstrapPlan !== 'developer') await identities.ensurePlan(FIRST_ACCOUNT, bootstrapPlan);
  }
}

/** A new key of the first account, if neither the configuration nor an earlier start gave it one; else null. */
export async function firstKey(
  { identities }: BootstrapStores,
  config: BootstrapConfig,
): Promise<string | null> {
  if (config.bootstrapApiKey !== null || (await identities.hasKey(FIRST_ACCOUNT))) return null;
  const key = keyFrom(randomBytes(SECRET_BYTES));
  const added = await identities.ensureFirstKey(initialKeyOf(config, key));
  // Another process has added and printed a key at the same time.
  if (added === null) return null;
  check(added);
  return key;
}

const initialKeyOf = ({ bootstrapEmail, bootstrapPlan }: BootstrapConfig, key: string): InitialKey => ({
  account: FIRST_ACCOUNT,
  email: bootstrapEmail,
  plan: bootstrapPlan,
  keySha256: secretSha256(key),
  keyPrefix: displayPrefix(key),
  name: 'bootstrap',
  at: Date.now(),
});

function check(given: boolean): void {
  if (given) return;
  throw new ConfigError('BOOTSTRAP_EMAIL must be an address that does not belong to another account');
}
