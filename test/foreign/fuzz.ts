/**
 * Plays damaged Arrow and Parquet files against the engine in a process of its own: each file as it is, then with bytes changed, cut and repeated.
 *
 *     bun test/foreign/fuzz.ts SECONDS FOLDER…
 *
 * FUZZ_SEED repeats a run; FUZZ_ROUND plays one of its rounds alone and leaves its bytes in the file `fuzzed`. Fails where the process crashes, throws anything but a refusal, takes more than 10 s for a body, or more than 1.5 GB of memory.
 */
import { join } from 'node:path';
import { Format, MAX_ROWS, Status } from '../../assembly/abi.ts';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import { rejectionOf } from '../../src/intake/refusals.ts';
import { readProfile } from '../../src/profile/read.ts';

const EXTREMES = [0, 1, 0x7f, 0x80, 0xff];
const MAX_MS = 10_000;
const MAX_BYTES = 1.5e9;
/** Longer files would take most of the time. */
const MAX_FILE_BYTES = 400_000;

const isChild = process.argv[2] === '--child';
const [seconds, ...folders] = process.argv.slice(isChild ? 3 : 2);
if (isChild) await play();
else await watch();

/** Starts the child, and ends it where one body takes too long. */
async function watch(): Promise<void> {
  const child = Bun.spawn([process.execPath, import.meta.path, '--child', ...process.argv.slice(2)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let [last, lastMs] = ['', performance.now()];
  const timer = setInterval(() => {
    if (performance.now() - lastMs > MAX_MS) {
      console.error(`more than ${MAX_MS} ms: ${last}`);
      child.kill(9);
    }
  }, 500);
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n').filter(Boolean);
    last = lines.at(-1) ?? last;
    lastMs = performance.now();
    for (const line of lines.filter(each => !each.startsWith('> '))) console.log(line);
  }
  clearInterval(timer);
  process.exitCode = await child.exited;
  if (process.exitCode !== 0) console.error(`exit code ${process.exitCode} after ${last}`);
}

async function play(): Promise<void> {
  const wasm = Bun.file(join(import.meta.dir, '../../build/engine.wasm'));
  const module = await compileEngine(await wasm.bytes());
  let engine = new Engine(module, 32 * 1024 * 1024);
  const files = folders.flatMap(folder =>
    [...new Bun.Glob('**/*').scanSync({ cwd: folder })].map(name => join(folder, name)),
  );
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1e9);
  console.log(`FUZZ_SEED=${seed}`);
  const bodies: { name: string; bytes: Uint8Array }[] = [];
  const counts = { read: 0, refused: 0, faults: 0 };
  let slowest = { ms: 0, name: '' };
  const one = (name: string, bytes: Uint8Array, format: Format) => {
    process.stdout.write(`> ${name}\n`);
    const since = performance.now();
    try {
      counts[screened(engine, bytes, format) ? 'read' : 'refused']++;
    } catch (error) {
      counts.faults++;
      console.log(`fault: ${name}: ${(error as Error).stack?.split('\n').slice(0, 4).join(' | ')}`);
      engine = new Engine(module, 32 * 1024 * 1024);
      Bun.gc(true);
    }
    const ms = performance.now() - since;
    if (ms > slowest.ms) slowest = { ms, name };
  };
  for (const name of files) {
    const raw = await Bun.file(name).bytes();
    const bytes = raw[0] === 0x1f && raw[1] === 0x8b ? Bun.gunzipSync(raw) : raw;
    for (const format of [Format.ARROW, Format.ARROW_FILE, Format.PARQUET])
      one(`${name} as ${Format[format]}`, bytes, format);
    if (bytes.length < MAX_FILE_BYTES) bodies.push({ name, bytes });
  }
  console.log(JSON.stringify({ files: files.length, ...counts, slowest }));
  const untilMs = performance.now() + Number(seconds) * 1000;
  const only = process.env.FUZZ_ROUND;
  let rounds = Number(only ?? 0);
  for (; performance.now() < untilMs; rounds++) {
    const random = generator(Math.imul(seed + rounds, 0x9e3779b1));
    const { name, bytes } = bodies[random() % bodies.length]!;
    const copy = damagedCopy(bytes, random);
    if (only !== undefined) await Bun.write('fuzzed', copy);
    one(`${name} round ${rounds}`, copy, formatOf(bytes));
    if (only !== undefined) return;
  }
  console.log(JSON.stringify({ rounds, ...counts, slowest, rss: process.memoryUsage().rss }));
  if (counts.faults > 0 || process.memoryUsage().rss > MAX_BYTES) process.exitCode = 1;
}

function screened(engine: Engine, bytes: Uint8Array, format: Format): boolean {
  engine.begin({ format, delimiter: 0x2c, salt: new Uint8Array(32) });
  if (engine.write(bytes) === Status.FAILED || engine.end() !== Status.DONE) {
    rejectionOf(engine.refusal(), format);
    return false;
  }
  readProfile(engine.measure(MAX_ROWS));
  return true;
}

function formatOf(bytes: Uint8Array): Format {
  const magic = String.fromCharCode(...bytes.subarray(0, 6));
  if (magic.startsWith('PAR1')) return Format.PARQUET;
  return magic === 'ARROW1' ? Format.ARROW_FILE : Format.ARROW;
}

/** Xorshift, so that a seed repeats a run. */
function generator(seed: number): () => number {
  let x = seed | 1;
  for (let i = 0; i < 8; i++) next();
  return next;

  function next(): number {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  }
}

function damagedCopy(bytes: Uint8Array, random: () => number): Uint8Array {
  let copy = bytes.slice();
  // Metadata is at the ends.
  const place = () => {
    const near = Math.min(copy.length, 2000);
    const where = random() % 3;
    if (where === 0) return random() % copy.length;
    return where === 1 ? random() % near : copy.length - 1 - (random() % near);
  };
  for (let left = 1 + (random() % 6); left > 0 && copy.length > 16; left--) {
    const at = place();
    switch (random() % 6) {
      case 0:
        copy[at]! ^= 1 << (random() % 8);
        break;
      case 1:
        copy[at] = EXTREMES[random() % EXTREMES.length]!;
        break;
      case 2:
        copy.fill(EXTREMES[random() % EXTREMES.length]!, at, at + 1 + (random() % 8));
        break;
      case 3:
        copy.copyWithin(at, random() % copy.length, (random() % copy.length) + 64);
        break;
      case 4:
        if (random() % 4 === 0) copy = copy.slice(0, at + 1);
        break;
      default:
        copy[at] = random() & 0xff;
    }
  }
  return copy;
}
