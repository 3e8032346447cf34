/** Our engine as the benches use it: one warmed-up instance that gets pieces like those of a socket. */
import { join } from 'node:path';
import { Format, MAX_ROWS, Status } from '../assembly/abi.ts';
import { compileEngine, Engine } from '../src/engine/engine.ts';
import type { PastOf } from '../src/engine/reading.ts';
import { warmUp } from '../src/engine/warm.ts';
import type { Profile } from '../src/profile/profile.ts';
import { readProfile } from '../src/profile/read.ts';

const WASM = join(import.meta.dir, '../build/engine.wasm');
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const COMMA = 0x2c;

export async function newEngine(): Promise<Engine> {
  const engine = new Engine(await compileEngine(await Bun.file(WASM).bytes()), MAX_BODY_BYTES);
  warmUp(engine);
  return engine;
}

/** A full screen of every cell: salt, begin, pieces of 64 KiB, end, the profile of all rows. `pastOf`: by which CSV columns are read. */
export function fullProfile(
  engine: Engine,
  format: Format,
  bytes: Uint8Array,
  pastOf: PastOf | null = null,
): Profile {
  engine.begin({ format, delimiter: COMMA, salt: SALT });
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    if (engine.write(bytes.subarray(at, at + PIECE_BYTES)) === Status.FAILED) throw refused(engine);
  if (engine.end() !== Status.DONE) throw refused(engine);
  return readProfile(engine.measure(MAX_ROWS, pastOf));
}

export const screenJson = (engine: Engine, bytes: Uint8Array): Profile =>
  fullProfile(engine, Format.JSON, bytes);

export const screenCsv = (engine: Engine, bytes: Uint8Array): Profile =>
  fullProfile(engine, Format.CSV, bytes);

const SALT = Uint8Array.from({ length: 32 }, (_, i) => 31 * i + 7);

const refused = (engine: Engine): Error =>
  new Error(`the engine refused a payload of the bench: ${JSON.stringify(engine.refusal())}`);
