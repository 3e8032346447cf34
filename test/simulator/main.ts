/**
 * Runs seeds of the simulator on all cores: `npm run simulate -- [--seeds N] [--seed S] [--minutes M]`. `--seed` alone runs one seed and prints
 * what happened in it. Ends with 1 if a seed finds more than the faults of `known-faults.ts`.
 */
import '../../scripts/built.ts';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { unknownIn } from './known-faults.ts';
import { Simulator } from './simulator.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    /** One of so many processes, and which: it runs every so-many-th seed. */
    share: { type: 'string' },
  },
});
const first = numberIn('seed', 1);
const isOne = values.seed !== undefined && values.seeds === undefined && values.minutes === undefined;
const seeds = isOne ? 1 : numberIn('seeds', values.minutes === undefined ? 1000 : Number.MAX_SAFE_INTEGER);
const ms = numberIn('minutes', Number.MAX_SAFE_INTEGER) * 60_000;

if (isOne) setImmediate(runOne);
else if (values.share === undefined) await runAll(availableParallelism());
else setImmediate(runShare);

function numberIn(name: 'seed' | 'seeds' | 'minutes', usual: number): number {
  const value = Number(values[name] ?? usual);
  if (Number.isFinite(value) && value >= 0) return value;
  console.error(`--${name} must be a number, not ${values[name]}`);
  process.exit(2);
}

function runOne(): void {
  const simulator = new Simulator();
  const result = simulator.run(first);
  console.log([...result.trace, result.line].join('\n'));
  simulator.close();
  process.exitCode = unknownIn(result).length > 0 ? 1 : 0;
}

interface Counts {
  seeds: number;
  known: number;
  failed: number;
}

async function runAll(processes: number): Promise<void> {
  const since = Bun.nanoseconds();
  const children = Array.from({ length: processes }, (_, i) =>
    Bun.spawn([process.execPath, import.meta.path, ...Bun.argv.slice(2), '--share', `${i}/${processes}`], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: message => counted.push(message as Counts),
    }),
  );
  const counted: Counts[] = [];
  const codes = await Promise.all(children.map(({ exited }) => exited));
  const sum = (name: keyof Counts) => counted.reduce((total, each) => total + each[name], 0);
  const perMinute = Math.round(sum('seeds') / ((Bun.nanoseconds() - since) / 60e9));
  console.log(
    `${sum('seeds')} seeds, ${sum('failed')} failed, ${sum('known')} show known faults, ${perMinute} seeds a minute on ${processes} cores`,
  );
  process.exitCode = codes.every(code => code === 0) ? 0 : 1;
}

/** Each seed has a turn of the event loop to itself: it settles its promises itself. */
function runShare(): void {
  const [index, processes] = values.share!.split('/').map(Number) as [number, number];
  const simulator = new Simulator();
  const counts: Counts = { seeds: 0, known: 0, failed: 0 };
  const until = Bun.nanoseconds() + ms * 1e6;
  const next = (seed: number): void => {
    if (seed >= first + seeds || Bun.nanoseconds() >= until) {
      simulator.close();
      process.send!(counts);
      process.exitCode = counts.failed > 0 ? 1 : 0;
      process.disconnect!();
      return;
    }
    const result = simulator.run(seed);
    counts.seeds++;
    if (unknownIn(result).length > 0) {
      counts.failed++;
      console.log(result.line);
    } else if (result.violations.length > 0) counts.known++;
    setImmediate(() => next(seed + processes));
  };
  next(first + index);
}
