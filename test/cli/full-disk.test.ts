/** A disk that is full in the middle of a run: an error that names what could not be written. */
import { afterAll, expect, test } from 'bun:test';
import { commandOf } from '../servers/program.ts';
import { Folder } from './sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

/** 350 KiB a file: a new database fits, and what 80,000 rows add does not. */
const LIMITED = ['sh', '-c', `trap '' XFSZ; ulimit -f 700; exec "$@"`, 'sh'];

test.each([
  ['baseline', /^sluice: \S+orders\.csv: The file of --baseline cannot be read or written: [^\n]+\n$/],
  ['good', /^sluice: \S+full\.good: Writing the file failed: EFBIG[^\n]+\n$/],
])('--%s', async (option, said) => {
  const rows = Array.from({ length: 80_000 }, (_, i) => `${i},${i / 2},u${i}@corp.com,name ${i % 1000}`);
  const file = await folder.write('orders.csv', `id,amount,email,name\n${rows.join('\n')}\n`);
  const args = ['screen', '--quiet', `--${option}`, folder.at(`full.${option}`), file];
  const child = Bun.spawn([...LIMITED, ...commandOf('sluice'), ...args], { env: {}, stderr: 'pipe' });
  expect(await new Response(child.stderr).text()).toMatch(said);
  expect(await child.exited).toBe(3);
});
