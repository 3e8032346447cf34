/** `npm run bench -- NAME [--json] [--seed N]`: runs one bench and prints lines or one JSON object. `readme` and `capacity` write their pages, `charts` draws docs/images/ from them. */
import '../scripts/built.ts';
import { parseArgs } from 'node:util';
import { BENCHES, isBenchName, runBench } from './benches.ts';
import { writeCapacity } from './capacity.ts';
import { writeCharts } from './charts.ts';
import { lines } from './lines.ts';
import { regenerate } from './results.ts';

const DEFAULT_SEED = 20261121;
const PAGES: Record<string, (seed: number) => Promise<void>> = Object.assign(Object.create(null), {
  readme: regenerate,
  capacity: writeCapacity,
  charts: writeCharts,
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, seed: { type: 'string' } },
});
const [name = ''] = positionals;
const seed = Number(values.seed ?? DEFAULT_SEED);

if (!Number.isSafeInteger(seed)) exit('--seed must be a whole number');
if (name in PAGES) await PAGES[name]!(seed);
else if (!isBenchName(name))
  exit(`Name one of ${[...Object.keys(BENCHES), ...Object.keys(PAGES)].join(', ')}`);
else {
  const run = await runBench(name, seed);
  console.log(values.json ? JSON.stringify(run) : lines(run).join('\n'));
}

function exit(message: string): never {
  console.error(message);
  process.exit(1);
}
