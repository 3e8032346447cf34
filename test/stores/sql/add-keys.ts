/** Adds 60 keys to an account of the database at argv[2] under the limit of 100, and prints how many got in. */
import { SqlKeys } from '../../../src/stores/sql/keys.ts';
import { openSql } from '../../../src/stores/sql/sqlite.ts';

const [path, account] = process.argv.slice(2);
const database = openSql(path!, 10_000);
const keys = new SqlKeys(database);
let added = 0;
for (let number = 0; number < 60; number++) {
  const id = `key_${process.pid}_${number}`;
  if (await keys.add(account!, { id, name: id, prefix: id, sha256: id, createdAt: number }, 100)) added++;
}
database.close();
process.stdout.write(String(added));
