/**
 * How measurements are stored: which ones, in which order and form. The bytes begin with that, so a reader finds each by its id.
 *
 *     table: groups { ids { id, and its storage and width if it is not one of FIRST_MEASUREMENTS } }
 *     field: mask of the groups that it has, then their numbers
 *
 * A group is left out for a field that has none of its numbers.
 */
import type { Group, Measurement, Storage } from '../statistics/measurement.ts';
import { MEASUREMENTS } from '../statistics/registry.ts';
import { type ByteReader, ByteWriter, DamagedBytes } from './bytes.ts';
import type { UnknownMeasurement, UnknownNumbers } from './unknown-measurements.ts';
import { FIRST_MEASUREMENTS } from './format-versions.ts';

/** Positions are stored: only append. */
const STORAGES: readonly Storage[] = ['count', 'f32', 'u32'];

/** A measurement in a table. */
interface Entry extends UnknownMeasurement {
  /** Whether this program knows it; then `place` is that of the registry. */
  isKnown: boolean;
}

/** Numbers of one storage that follow one another. */
interface Run {
  storage: Storage;
  isKnown: boolean;
  places: Uint16Array;
}

export interface Layout {
  /** For each group its runs. */
  groups: readonly (readonly Run[])[];
  unknown: readonly UnknownMeasurement[];
  /** Unknown numbers of a field. */
  unknownWidth: number;
  /** The layout as it is stored. */
  table: Uint8Array;
}

/** The measurements of each group. */
export const inGroups = (groups: readonly Group[]): Measurement[][] =>
  groups.map(group => MEASUREMENTS.filter(each => each.group === group));

/** `unknown`: measurements of a newer program, to be stored too. */
export function layoutOf(
  groups: readonly (readonly Measurement[])[],
  unknown: readonly UnknownMeasurement[] = [],
): Layout {
  const known = groups.map(measurements =>
    measurements
      .map(each => ({ ...each, isKnown: true }))
      // Those of one storage together: they are read and written in one go.
      .sort((a, b) => STORAGES.indexOf(a.storage) - STORAGES.indexOf(b.storage)),
  );
  const others = unknown.map(each => ({ ...each, isKnown: false }));
  return layoutFrom(others.length > 0 ? [...known, others] : known);
}

function layoutFrom(groups: readonly (readonly Entry[])[]): Layout {
  const unknown = groups.flat().filter(each => !each.isKnown);
  return {
    groups: groups.map(runsOf),
    unknown: unknown.map(({ id, storage, width, place }) => ({ id, storage, width, place })),
    unknownWidth: unknown.reduce((sum, { width }) => sum + width, 0),
    table: tableOf(groups),
  };
}

function runsOf(entries: readonly Entry[]): Run[] {
  const runs: { storage: Storage; isKnown: boolean; places: number[] }[] = [];
  for (const { storage, isKnown, place, width } of entries) {
    let run = runs.at(-1);
    if (run?.storage !== storage || run.isKnown !== isKnown) {
      run = { storage, isKnown, places: [] };
      runs.push(run);
    }
    for (let i = 0; i < width; i++) run.places.push(place + i);
  }
  return runs.map(run => ({ ...run, places: Uint16Array.from(run.places) }));
}

// ---- tables ----

const INDEX_OF_FIRST: ReadonlyMap<string, number> = new Map(FIRST_MEASUREMENTS.map(([id], i) => [id, i]));

function tableOf(groups: readonly (readonly Entry[])[]): Uint8Array {
  const writer = new ByteWriter();
  writer.count(groups.length);
  for (const entries of groups) {
    writer.count(entries.length);
    for (const { id, storage, width } of entries) {
      const index = INDEX_OF_FIRST.get(id);
      writer.count(index === undefined ? 0 : index + 1);
      if (index !== undefined) continue;
      writer.text(id);
      writer.u8(STORAGES.indexOf(storage));
      writer.count(width);
    }
  }
  return writer.written();
}

/** `own`: the layout that this program writes, which needs no decoding. */
export function readLayout(reader: ByteReader, own: Layout): Layout {
  if (reader.skip(own.table)) return own;
  const known = new Map(MEASUREMENTS.map(each => [each.id, each]));
  let unknownWidth = 0;
  const readEntry = (): Entry => {
    const { id, storage, width } = readMeasurement(reader);
    const mine = known.get(id);
    if (mine?.width === width) return { id, storage, width, place: mine.place, isKnown: true };
    const place = unknownWidth;
    unknownWidth += width;
    return { id, storage, width, place, isKnown: false };
  };
  const readGroup = (): Entry[] => Array.from({ length: reader.count() }, readEntry);
  return layoutFrom(Array.from({ length: reader.count() }, readGroup));
}

function readMeasurement(reader: ByteReader): { id: string; storage: Storage; width: number } {
  const index = reader.count() - 1;
  const first = FIRST_MEASUREMENTS[index];
  if (first) return { id: first[0], storage: first[1], width: first[2] };
  if (index >= 0) throw new DamagedBytes(`measurement ${index} is unknown`);
  const id = reader.text();
  const storage = STORAGES[reader.u8()];
  if (!storage) throw new DamagedBytes(`the storage of ${id} is unknown`);
  return { id, storage, width: reader.count() };
}

// ---- numbers ----

/** Where the numbers of one field lie. */
export interface Target {
  numbers: Float32Array;
  start: number;
  unknown: Float64Array;
  unknownStart: number;
}

const NO_NUMBERS = new Float64Array();

/** The numbers of the field with this index. */
export const targetAt = (
  numbers: Float32Array,
  start: number,
  unknown: UnknownNumbers | undefined,
  index: number,
): Target => ({
  numbers,
  start,
  unknown: unknown?.numbers ?? NO_NUMBERS,
  unknownStart: index * (unknown?.width ?? 0),
});

// Loops over indexes: iterators took a quarter of the time here.

export function writeNumbers(writer: ByteWriter, { groups }: Layout, from: Target): void {
  let mask = 0;
  for (let i = 0; i < groups.length; i++) if (hasAny(groups[i]!, from)) mask |= 1 << i;
  writer.count(mask);
  for (let i = 0; i < groups.length; i++) {
    if (((mask >> i) & 1) === 0) continue;
    const runs = groups[i]!;
    for (let run = 0; run < runs.length; run++) writeRun(writer, runs[run]!, from);
  }
}

function hasAny(runs: readonly Run[], { numbers, start, unknown, unknownStart }: Target): boolean {
  for (let run = 0; run < runs.length; run++) {
    const { isKnown, places } = runs[run]!;
    for (let i = 0; i < places.length; i++) {
      const value = isKnown ? numbers[start + places[i]!]! : unknown[unknownStart + places[i]!]!;
      if (!Number.isNaN(value)) return true;
    }
  }
  return false;
}

function writeRun(writer: ByteWriter, { storage, isKnown, places }: Run, from: Target): void {
  const numbers: Float32Array | Float64Array = isKnown ? from.numbers : from.unknown;
  const start = isKnown ? from.start : from.unknownStart;
  if (storage === 'count') writer.countsOrNaN(numbers, start, places);
  else if (storage === 'f32') writer.f32s(numbers, start, places);
  else for (const place of places) writeU32(writer, numbers[start + place]!);
}

const UNKNOWN_U32 = 2 ** 32 - 1;

const writeU32 = (writer: ByteWriter, value: number): void =>
  writer.u32(Number.isNaN(value) ? UNKNOWN_U32 : value);

/** Numbers of groups that the field does not have are left as they are. */
export function readNumbers(reader: ByteReader, { groups }: Layout, to: Target): void {
  const mask = reader.count();
  if (mask >= 2 ** groups.length) throw new DamagedBytes('a field has groups that the layout lacks');
  for (let i = 0; i < groups.length; i++) {
    if (((mask >> i) & 1) === 0) continue;
    const runs = groups[i]!;
    for (let run = 0; run < runs.length; run++) readRun(reader, runs[run]!, to);
  }
}

function readRun(reader: ByteReader, { storage, isKnown, places }: Run, to: Target): void {
  const numbers: Float32Array | Float64Array = isKnown ? to.numbers : to.unknown;
  const start = isKnown ? to.start : to.unknownStart;
  if (storage === 'count') reader.countsOrNaN(numbers, start, places);
  else if (storage === 'f32') reader.f32s(numbers, start, places);
  else for (const place of places) numbers[start + place] = readU32(reader);
}

function readU32(reader: ByteReader): number {
  const value = reader.u32();
  return value === UNKNOWN_U32 ? Number.NaN : value;
}

/** Room for the unknown numbers of so many fields; undefined if the layout has none. */
export function unknownNumbers(layout: Layout, fields: number): UnknownNumbers | undefined {
  if (layout.unknownWidth === 0) return undefined;
  const numbers = new Float64Array(fields * layout.unknownWidth).fill(Number.NaN);
  return { measurements: layout.unknown, width: layout.unknownWidth, numbers };
}
