/** Run by `shared-commit.test.ts`: writes one entry, then several in a shared commit, and is killed while the last of them is written. */
import { SharedCommit } from '../../../src/stores/sqlite/shared-commit.ts';
import { openSqlite } from '../../../src/stores/sqlite/file.ts';

const database = openSqlite(process.argv[2]!);
const insert = database.prepare('INSERT INTO entry VALUES (?)');
const write = (entry: string) => {
  insert.run(entry);
  if (entry === 'last') process.kill(process.pid, 'SIGKILL');
};
const commits = new SharedCommit(database, { write, committed: () => {} });
await Promise.all(['answered', 'answered too'].map(entry => commits.add(entry)));
await Promise.all(['first', 'second', 'last'].map(entry => commits.add(entry)));
