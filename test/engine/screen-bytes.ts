/** Screens a body in one piece or many. */
import { join } from 'node:path';
import { Fault, Format, Status } from '../../assembly/abi.ts';
import { compileEngine, Engine, type Envelope, type Refusal } from '../../src/engine/engine.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { readProfile } from '../../src/profile/read.ts';

/** `ENGINE_BUILD=debug` tests the engine with its assertions: `bun scripts/build-engine.ts --debug` makes it. */
const FILE = process.env.ENGINE_BUILD === 'debug' ? 'engine.debug.wasm' : 'engine.wasm';
const wasm = Bun.file(join(import.meta.dir, '../../build', FILE));
/** Compiled once for all files that a process runs. */
export const compiled = await compileEngine(new Uint8Array(await wasm.arrayBuffer()));

const MIB = 1024 * 1024;

export const newEngine = (maxBodyBytes = 8 * MIB): Engine => new Engine(compiled, maxBodyBytes);

/** For all files that need no engine of their own: JavaScriptCore makes the memories after the eighth slow. */
export const ENGINE = newEngine(32 * MIB);

/** Engines for a series of bodies: a new one for each body, or one whose memory has grown before. */
export const ENGINES = {
  fresh: () => () => newEngine(),
  grown: () => {
    const engine = newEngine();
    const members = Array.from({ length: 300 }, (_, field) => `"field${field}":${field}`);
    screenBytes(engine, new TextEncoder().encode(`{"rows":[{${members.join()}}]}`));
    return () => engine;
  },
} as const satisfies Record<string, () => () => Engine>;

/** How many bodies a property gives to new engines: where eight memories are in use, each one costs a full collection. */
export const FRESH_RUNS = 20;

export const ENGINE_STATES = Object.keys(ENGINES) as (keyof typeof ENGINES)[];

export interface Way {
  format?: Format;
  /** CSV: the delimiter, one character. */
  delimiter?: string;
  /** CSV: the line of the header. */
  headerLine?: number;
  /** Rows to measure; all by default. */
  sampleRows?: number;
  /** Lengths of the pieces, used in turn until the end of the body; one piece by default. */
  pieces?: readonly number[];
  /** Parses what has arrived after each piece, as when a client pauses. */
  pauses?: boolean;
  salt?: Uint8Array;
}

export type Screened =
  | { refused: Refusal; profile?: undefined }
  | { refused?: undefined; profile: Profile; envelope: Envelope | undefined };

const ROW_FAULTS = new Set([Fault.ROWS, Fault.ROW_NOT_OBJECT, Fault.NAME]);

const SALT = new Uint8Array(32).map((_, i) => i * 37 + 11);

export function screenBytes(engine: Engine, bytes: Uint8Array, way: Way = {}): Screened {
  const format = way.format ?? Format.JSON;
  engine.begin({
    format,
    delimiter: (way.delimiter ?? ',').charCodeAt(0),
    salt: way.salt ?? SALT,
    headerLine: way.headerLine ?? 1,
  });
  if (feed(engine, bytes, way) === Status.FAILED) return { refused: engine.refusal() };
  const envelope = format === Format.JSON ? engine.envelope() : undefined;
  return { profile: readProfile(engine.measure(way.sampleRows ?? Number.MAX_SAFE_INTEGER)), envelope };
}

function feed(engine: Engine, bytes: Uint8Array, way: Way): Status {
  for (const piece of cut(bytes, way.pieces ?? [bytes.length])) {
    if (engine.write(piece) === Status.FAILED) return Status.FAILED;
    if (way.pauses && engine.behind && engine.flush() === Status.FAILED) return Status.FAILED;
  }
  return engine.end();
}

/** A length of 0 counts as 1. */
function* cut(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = Math.max(1, lengths[i % lengths.length]!);
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** The place of a refusal, as far as its fault defines one. */
export function placeOf({ fault, offset, row, line, column }: Refusal, format: Format): Partial<Refusal> {
  return format === Format.CSV
    ? { fault, line, ...(fault === Fault.NAME && { column }) }
    : { fault, offset, ...(isOfRow(fault) && { row }) };
}

const isOfRow = (fault: Fault): boolean => ROW_FAULTS.has(fault);
