/**
 * Plays Arrow and Parquet files of other projects, such as github.com/apache/arrow-testing and apache/parquet-testing: reads each with our
 * engine and with pyarrow, and compares rows, nulls, minima and maxima.
 *
 *     bun test/foreign/play.ts PYTHON FOLDER…
 *
 * PYTHON is an interpreter with pyarrow. Prints each file that differs or that one of both refuses, then the counts.
 */
import { join } from 'node:path';
import { Format, MAX_ROWS, Status } from '../../assembly/abi.ts';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import { rejectionOf } from '../../src/intake/refusals.ts';
import { readProfile } from '../../src/profile/read.ts';

interface Told {
  file: string;
  rows?: number;
  columns?: { name: string; type: string; nulls: number; bounds: [number, number] | null }[];
  error?: string;
}

const [python, ...folders] = process.argv.slice(2);
if (python === undefined || folders.length === 0)
  throw new Error('usage: bun test/foreign/play.ts PYTHON FOLDER…');

const WASM = join(import.meta.dir, '../../build/engine.wasm');
const engine = new Engine(await compileEngine(await Bun.file(WASM).bytes()), 32 * 1024 * 1024);
const files = folders.flatMap(folder =>
  [...new Bun.Glob('**/*.{stream,arrow_file,arrow,feather,arrows,parquet}').scanSync(folder)].map(name =>
    join(folder, name),
  ),
);

function ours(bytes: Uint8Array): Omit<Told, 'file'> {
  const magic = String.fromCharCode(...bytes.subarray(0, 6));
  const format = magic.startsWith('PAR1')
    ? Format.PARQUET
    : magic === 'ARROW1'
      ? Format.ARROW_FILE
      : Format.ARROW;
  engine.begin({ format, delimiter: 0x2c, salt: new Uint8Array(32) });
  if (engine.write(bytes) === Status.FAILED || engine.end() !== Status.DONE)
    return { error: rejectionOf(engine.refusal(), format).message };
  const record = engine.measure(MAX_ROWS);
  const { rows, fields } = readProfile(record);
  const columns = fields.map(({ nulls, measured: { numeric } }, i) => ({
    name: record.columns[i]!.name,
    type: record.columns[i]!.physicalType!,
    nulls,
    bounds: numeric && ([numeric.quantiles[0]!, numeric.quantiles.at(-1)!] as [number, number]),
  }));
  return { rows, columns };
}

/** What differs, as a sentence; null where nothing does. */
function difference(mine: Omit<Told, 'file'>, theirs: Told): string | null {
  if (mine.rows !== theirs.rows) return `${mine.rows} rows, pyarrow ${theirs.rows}`;
  for (const [i, column] of theirs.columns!.entries()) {
    const own = mine.columns![i];
    if (own === undefined || own.name !== column.name)
      return `column ${i} is ${own?.name}, pyarrow ${column.name}`;
    if (own.nulls !== column.nulls)
      return `${column.name} ${column.type}: ${own.nulls} nulls, pyarrow ${column.nulls}`;
    if (column.bounds && JSON.stringify(own.bounds) !== JSON.stringify(column.bounds.map(x => x + 0)))
      return `${column.name} ${column.type}: ${JSON.stringify(own.bounds)}, pyarrow ${JSON.stringify(column.bounds)}`;
  }
  return null;
}

const oracle = Bun.spawn([python, join(import.meta.dir, 'oracle.py')], { stdin: 'pipe', stdout: 'pipe' });
oracle.stdin.write(files.map(file => `${file}\n`).join(''));
oracle.stdin.end();
const told = (await new Response(oracle.stdout).text())
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as Told);

const counts = { same: 0, 'both refuse': 0, 'only we refuse': 0, 'only pyarrow refuses': 0, differ: 0 };
const NO_ROWS = /has no rows|no columns|at most 10,000 rows/;
for (const theirs of told) {
  const raw = await Bun.file(theirs.file).bytes();
  const mine = ours(raw[0] === 0x1f && raw[1] === 0x8b ? Bun.gunzipSync(raw) : raw);
  const differing = mine.error === undefined && theirs.error === undefined ? difference(mine, theirs) : null;
  const kind: keyof typeof counts =
    mine.error !== undefined
      ? theirs.error !== undefined
        ? 'both refuse'
        : 'only we refuse'
      : theirs.error !== undefined
        ? 'only pyarrow refuses'
        : differing
          ? 'differ'
          : 'same';
  counts[kind]++;
  if (kind !== 'same' && !(kind === 'only we refuse' && NO_ROWS.test(mine.error!)))
    console.log(
      `${kind}: ${theirs.file}\n  ${[mine.error, theirs.error, differing].filter(Boolean).join('\n  ')}`,
    );
}
console.log(counts);
