/** Run by `sql.test.ts` several times at once: reserves row by row until nothing is left, and prints how many it got. */
import { SqlAccounts } from '../../../src/stores/sql/accounts.ts';
import { openSql } from '../../../src/stores/sql/database.ts';
import { SqlUsage } from '../../../src/stores/sql/usage.ts';

const PATIENT_MS = 20_000;
const database = openSql(process.argv[2]!, PATIENT_MS);
await new SqlAccounts(database).ensureKey({
  account: 'owner',
  plan: 'developer',
  keySha256: 'ab'.repeat(32),
  keyPrefix: 'sluice_live_abcd',
  name: 'bootstrap',
  at: 1,
});
const usage = new SqlUsage(database);
let granted = 0;
while ((await usage.reserve('a', 0, 1, 300)) !== null) granted++;
process.stdout.write(String(granted));
