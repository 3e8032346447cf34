/** Run by `baselines.test.ts`: appends states and prints each id once it is acknowledged, until it is killed. */
import { writeSync } from 'node:fs';
import { SqliteBaselines } from '../../../src/stores/sqlite/baselines.ts';

const store = new SqliteBaselines(process.argv[2]!);
for (let i = 0; ; i++) {
  const id = `r${String(i).padStart(8, '0')}`;
  await store.append('acc', 'orders', { id, state: new Uint8Array(1000) });
  writeSync(1, `${id}\n`);
}
