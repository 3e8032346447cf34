/** Generates ids and salts of new rows. */
import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { given } from './database.ts';

const SALT_BYTES = 32;
const ID_BYTES = 12;

export const newId = (kind: 'acc' | 'key' | 'code' | 'chg'): string =>
  `${kind}_${randomBytes(ID_BYTES).toString('hex')}`;

/** Sorts after all ids. */
export const AFTER_ALL = '~';

/** Name of the account of the first key. */
export const FIRST_ACCOUNT = 'owner';

/** What an account is called once its people have moved to another one: nothing can refer to its id any more. */
export const leftId = (account: string): string => `left_${account}`;

/** Lock names: see `SqlDatabase.alone`. */
export const keysOf = (account: string): string => `keys of ${account}`;
export const addressOf = (email: string): string => `address ${email}`;
export const channelsOf = (account: string): string => `channels of ${account}`;
export const clientOf = (client: string): string => `client ${client}`;
/** Two deletions of the same jobs in different orders would wait for each other. */
export const DELETED_JOBS = 'deleted jobs';

/** Placeholders of a new account for an `insert`. `freshAccount` returns the random values. */
export const newAccount = () => ({
  ...given('id', 'name', 'email', 'plan', 'salt'),
  createdAt: sql`${sql.placeholder('at')}`,
});

export const freshAccount = (): { id: string; salt: Buffer } => ({
  id: newId('acc'),
  salt: randomBytes(SALT_BYTES),
});
