/**
 * Looks for inputs that make the program hold its thread, take too much memory, or answer what is not documented.
 *
 *     npm run fuzz -- [TARGET…] [--minutes 2] [--seed 1] [--folder FOLDER] [--root CHECKOUT]
 *
 * All targets share the time. Ends with 1 if a fault was found.
 */
import '../../scripts/built.ts';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { explore } from './explore.ts';
import { TARGETS } from './targets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    folder: { type: 'string', default: join(import.meta.dir, '../.artifacts/fuzz') },
    root: { type: 'string', default: join(import.meta.dir, '../..') },
  },
});

const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
const unknown = names.find(name => TARGETS[name] === undefined);
if (unknown !== undefined)
  throw new Error(`no target ${unknown}: there are ${Object.keys(TARGETS).join(', ')}`);
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0 && Number.isSafeInteger(seed))) throw new Error('--minutes and --seed are numbers');

console.log(`fuzz: seed ${seed}, ${minutes} minutes for ${names.join(', ')}`);
for (const name of names) {
  const { findings, inputs, reached, corpus, longestMs, mostBytes } = await explore(name, {
    root: resolve(values.root),
    seconds: (minutes * 60) / names.length,
    seed,
    folder: values.folder,
    log: console.log,
  });
  console.log(
    `fuzz ${name}: ${findings.length} faults in ${inputs} inputs; ${reached} counters, corpus of ${corpus}; otherwise at most ${longestMs.toFixed(0)} ms and ${Math.round(mostBytes / 1024 / 1024)} MiB`,
  );
  if (findings.length > 0) process.exitCode = 1;
}
// Workers and pipes of processes that have ended may keep this one.
process.exit();
