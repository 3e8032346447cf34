/** Run by `sql.test.ts` several times at once: reserves row by row until nothing is left, and prints how many it got. */
import { SqlIdentities } from '../../../src/stores/sql/identities.ts';
import { openSql } from '../../../src/stores/sql/sqlite.ts';
import { SqlAllowance } from '../../../src/stores/sql/allowance.ts';

const PATIENT_MS = 20_000;
const database = openSql(process.argv[2]!, PATIENT_MS);
await new SqlIdentities(database).ensureKey({
  account: 'owner',
  email: null,
  plan: 'developer',
  keySha256: 'ab'.repeat(32),
  keyPrefix: 'sluice_live_abcd',
  name: 'bootstrap',
  at: 1,
});
const allowance = new SqlAllowance(database);
let granted = 0;
while ((await allowance.reserve('a', 0, 1, 300)) !== null) granted++;
process.stdout.write(String(granted));
