/** The statistics of the engine without its parsers, compiled once for each test run with the options of the engine. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Addresses are bytes of `buffer`. `assembly/statistics/<module>.ts` describes each function. */
interface Statistics {
  memory: WebAssembly.Memory;

  moments(values: number, n: number): void;
  minimum: WebAssembly.Global;
  maximum: WebAssembly.Global;
  mean: WebAssembly.Global;
  m2: WebAssembly.Global;

  quantiles(values: number, n: number, min: number, max: number, scratch: number, out: number): void;
  integerDistinct: WebAssembly.Global;
  SELECT_SCRATCH_BYTES: WebAssembly.Global;

  outside(values: number, n: number, low: number, high: number): void;
  outsideCount: WebAssembly.Global;
  outsideMin: WebAssembly.Global;
  outsideMax: WebAssembly.Global;

  histogram(values: number, n: number, low: number, high: number): void;
  histogramAddress(): number;

  countDistinct(hashes: number, n: number, scratch: number, registers: number): number;
  hashNumbers(values: number, n: number, seed: bigint, out: number): void;
  registersOfIntegers(counts: number, min: number, max: number, seed: bigint, registers: number): void;
  DISTINCT_SCRATCH_BYTES: WebAssembly.Global;

  listTexts(hashes: number, texts: number, n: number, limit: number, scratch: number, out: number): number;
  unseenTexts(
    hashes: number,
    texts: number,
    n: number,
    known: number,
    knownCount: number,
    limit: number,
    scratch: number,
    out: number,
  ): number;
  unseenListed: WebAssembly.Global;
  MAX_TEXTS: WebAssembly.Global;
  TEXTS_SCRATCH_BYTES: WebAssembly.Global;
}

/** `ENGINE_BUILD=debug` tests the code with its assertions. */
const BUILD = process.env.ENGINE_BUILD === 'debug' ? 'debug' : 'release';
const MODULES = ['moments', 'select', 'outside', 'histogram', 'distinct', 'listed'];
const MEMORY_BYTES = 1 << 20;
const root = join(import.meta.dir, '../..');

function compile(): Uint8Array<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-statistics-'));
  try {
    return compileIn(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compileIn(folder: string): Uint8Array<ArrayBuffer> {
  const { options, targets } = JSON.parse(readFileSync(join(root, 'asconfig.json'), 'utf8'));
  const config = join(folder, 'asconfig.json');
  const outFile = join(folder, 'statistics.wasm');
  writeFileSync(
    config,
    JSON.stringify({ options: { ...options, ...targets[BUILD], outFile, sourceMap: false } }),
  );
  const entries = MODULES.map(module => `assembly/statistics/${module}.ts`);
  const asc = join(root, 'node_modules/assemblyscript/bin/asc.js');
  const compiler = Bun.spawnSync([process.execPath, asc, ...entries, '--config', config], { cwd: root });
  if (compiler.exitCode !== 0) throw new Error(compiler.stderr.toString());
  return new Uint8Array(readFileSync(outFile));
}

const { instance } = await WebAssembly.instantiate(compile());
export const exports = instance.exports as unknown as Statistics;
/** Start of MEMORY_BYTES that nothing else uses. */
export const start = exports.memory.buffer.byteLength;
exports.memory.grow(MEMORY_BYTES / 65536);
export const buffer = exports.memory.buffer;
