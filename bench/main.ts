/** `npm run bench -- NAME [--json] [--seed N]`: one bench, as lines to read or as one JSON object. `readme` runs all of them. */
import { parseArgs } from 'node:util';
import { BENCHES, isBenchName, runBench } from './benches.ts';
import { lines } from './lines.ts';
import { regenerate } from './results.ts';

const DEFAULT_SEED = 20261121;
const README = 'readme';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, seed: { type: 'string' } },
});
const [name = ''] = positionals;
const seed = Number(values.seed ?? DEFAULT_SEED);

if (!Number.isSafeInteger(seed)) exit('--seed must be a whole number');
if (name === README) await regenerate(seed);
else if (!isBenchName(name)) exit(`Name one of ${[...Object.keys(BENCHES), README].join(', ')}`);
else {
  const run = await runBench(name, seed);
  console.log(values.json ? JSON.stringify(run) : lines(run).join('\n'));
}

function exit(message: string): never {
  console.error(message);
  process.exit(1);
}
