/**
 * How close does `sluice screen` come to the engine's speed on a very large file, and how much memory does it need?
 *
 * The real program screens one CSV file of a gigabyte in its own process, including its start. In turn, the warm engine in this
 * process reads as many bytes of the same batches and measures every value, and a process of Python reads and describes the file
 * with polars, on all cores (left out without a Python that has it: `BENCH_PYTHON`, default build/python). Medians.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../src/engine/engine.ts';
import { newEngine, screenCsv } from './in-process.ts';
import { peakRssMb } from './machine.ts';
import { payloadsOf, plainCsv } from './payloads.ts';
import { ratioOf, rounded, type Timing, timingOf } from './race.ts';
import { wideTable } from './tables.ts';

const MAIN = join(import.meta.dir, '../src/cli/main.ts');
const LF = 0x0a;
const LOOK_MS = 20;

export interface CliEffort {
  rows: number;
  payloads: number;
  fileBytes: number;
  rounds: number;
}

export const CLI_EFFORT: CliEffort = { rows: 10_000, payloads: 3, fileBytes: 1e9, rounds: 5 };

export interface CliResult {
  /** Time of the program / time of the engine, by the clock and by processor time; / time of polars, null without it. */
  ratios: { file_engine: number; file_engine_cpu: number; file_polars: number | null };
  file_mb: number;
  sluice: Timing;
  engine: Timing;
  polars: Timing | null;
  mb_per_s: { sluice: number; engine: number };
  /** The highest of all rounds. */
  peak_rss_mb: number;
}

export async function benchCli(seed: number, effort = CLI_EFFORT): Promise<CliResult> {
  const payloads = payloadsOf(seed, effort, wideTable, plainCsv).map(({ bytes }) => bytes);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    const file = join(folder, 'large.csv');
    const size = writeFile(file, payloads, effort.fileBytes);
    return await inTurns(file, size, payloads, effort.rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the first payload, then the rows of all in turn until the file is large enough. Returns its size in bytes. */
function writeFile(file: string, payloads: readonly Uint8Array[], least: number): number {
  let size = 0;
  for (let i = 0; size < least; i++) {
    const bytes = payloads[i % payloads.length]!;
    const part = i === 0 ? bytes : bytes.subarray(bytes.indexOf(LF) + 1);
    appendFileSync(file, part);
    size += part.length;
  }
  return size;
}

async function inTurns(
  file: string,
  size: number,
  payloads: readonly Uint8Array[],
  rounds: number,
): Promise<CliResult> {
  const engine = await newEngine();
  const ours: Screening[] = [];
  const engines: Took[] = [];
  const peers: number[] = [];
  const python = process.env.BENCH_PYTHON ?? join(import.meta.dir, '../build/python/bin/python');
  const hasPolars = Bun.spawnSync([python, '-c', 'import polars']).exitCode === 0;
  for (let round = 0; round < rounds; round++) {
    engines.push(engineTook(engine, payloads, size));
    ours.push(await screenFile(file));
    if (hasPolars) peers.push(await polarsTook(python, file));
  }
  const [sluice, alone] = [ours, engines].map(each => timingOf(each.map(({ ms }) => ms))) as [Timing, Timing];
  const [cpu, cpuAlone] = [ours, engines].map(each => timingOf(each.map(({ cpuMs }) => cpuMs))) as [
    Timing,
    Timing,
  ];
  const polars = hasPolars ? timingOf(peers) : null;
  const speed = ({ medianMs }: Timing) => rounded(size / 1000 / medianMs);
  return {
    ratios: {
      file_engine: ratioOf(sluice, alone),
      file_engine_cpu: ratioOf(cpu, cpuAlone),
      file_polars: polars && ratioOf(sluice, polars),
    },
    file_mb: rounded(size / 1e6),
    sluice,
    engine: alone,
    polars,
    mb_per_s: { sluice: speed(sluice), engine: speed(alone) },
    peak_rss_mb: rounded(Math.max(...ours.map(({ peakRssMb }) => peakRssMb))),
  };
}

/** Time by the clock, and processor time of all threads of the process. */
interface Took {
  ms: number;
  cpuMs: number;
}

interface Screening extends Took {
  peakRssMb: number;
}

/** Time of the engine for this many bytes: it reads at least so many, and the time is scaled. */
function engineTook(engine: Engine, payloads: readonly Uint8Array[], size: number): Took {
  let done = 0;
  const begun = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; done < size; i++) {
    const bytes = payloads[i % payloads.length]!;
    screenCsv(engine, bytes);
    done += bytes.length;
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: ((performance.now() - begun) * size) / done, cpuMs: (((user + system) / 1000) * size) / done };
}

/** Screens a file with the program. Returns the time from its start to its end, and the peak of its sampled resident memory. */
export async function screenFile(file: string): Promise<Screening> {
  const begun = performance.now();
  const child = Bun.spawn([process.execPath, MAIN, 'screen', '--quiet', file], {
    env: {},
    stderr: 'inherit',
  });
  let peakMb = 0;
  // `resourceUsage` includes the memory of this process, which the child shares until it starts its program.
  const look = () => {
    try {
      peakMb = Math.max(peakMb, peakRssMb(child.pid));
    } catch {
      // It has ended.
    }
  };
  const looks = setInterval(look, LOOK_MS);
  const code = await child.exited.finally(() => clearInterval(looks));
  const ms = performance.now() - begun;
  // 2 means BLOCK, 3 an error.
  if (code !== 0) throw new Error(`sluice screen has ended with ${code}`);
  const { cpuTime, maxRSS } = child.resourceUsage()!;
  // A process that is busy otherwise, as a test may be, may not have looked before the child had ended.
  return { ms, cpuMs: Number(cpuTime.total) / 1000, peakRssMb: peakMb || Number(maxRSS) / 1e6 };
}

/** Time of a whole process, in ms. */
async function polarsTook(python: string, file: string): Promise<number> {
  const begun = performance.now();
  const child = Bun.spawn([python, join(import.meta.dir, 'csv-peer.py'), file], { stdout: 'ignore' });
  if ((await child.exited) !== 0) throw new Error('polars has failed');
  return performance.now() - begun;
}
