/** Records as bytes. */
import { type FieldType, VALUE_TYPES, type ValueType } from '../profile/profile.ts';
import { nothingMeasured } from '../statistics/measure.ts';
import { WIDTH } from '../statistics/registry.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import { type ByteReader, type ByteWriter, DamagedBytes } from './bytes.ts';
import { BRIEF, BRIEF_PLACES, BRIEF_WIDTH, type Detail, FULL } from './detail.ts';
import { Sketches } from './distinct.ts';
import { checkEnd, contentOf, opened, sealed } from './envelope.ts';
import { type Layout, readLayout, readNumbers, targetAt, unknownNumbers, writeNumbers } from './layout.ts';
import { costWith, MAX_RECORD_BYTES } from './limits.ts';
import { withinLimits } from './merge.ts';
import { readHashes, readHead, readList, readPoints, writeHashes, writeHead } from './parts.ts';
import type { Component } from './quantiles.ts';
import { readOldRecent } from './read-old.ts';
import { type BaselineRecord, EMPTY_FIELD, type FieldRecord, type Moments } from './record.ts';
import { layoutWith, RECORD_LAYOUT, unknownOfAll } from './record-layout.ts';
import { VERSION_4 } from './format-versions.ts';

// Positions are stored: only append.
const TYPES: readonly FieldType[] = [...VALUE_TYPES, 'null', 'mixed'];

/** The record must be folded. */
export function encodeRecord(record: BaselineRecord): Uint8Array {
  const unknown = unknownOfAll(record.recent);
  const bytes = encodeWith(record, unknown.batches, layoutWith(unknown));
  // What this program does not know is charged to no field.
  return bytes.length <= MAX_RECORD_BYTES ? bytes : encodeWith(record, record.recent, RECORD_LAYOUT);
}

function encodeWith(
  { batches, rows, rowCounts, fields }: BaselineRecord,
  recent: readonly BatchStatistics[],
  layout: Layout,
): Uint8Array {
  const writer = opened('record');
  writer.count(batches);
  writer.count(rows);
  writer.count(rowCounts.length);
  for (const each of rowCounts) writer.count(each);
  writer.count(fields.size);
  for (const [name, field] of fields) {
    writer.text(name);
    writeFieldRecord(writer, field);
  }
  writer.count(recent.length);
  for (const batch of recent) writeHead(writer, batch);
  writer.raw(layout.table);
  for (const name of fields.keys()) {
    writeRecent(writer, layout, recent, name);
  }
  return sealed(writer);
}

export function decodeRecord(bytes: Uint8Array): BaselineRecord {
  const { reader, version } = contentOf('record', bytes);
  const batches = reader.count();
  const rows = reader.count();
  const rowCounts = readList(reader, () => reader.count());
  const fields = new Map<string, FieldRecord>();
  for (let left = reader.count(); left > 0; left--) {
    fields.set(reader.text(), readFieldRecord(reader, version));
  }
  const cost = costWith(fields.keys());
  const isOld = version < VERSION_4;
  const recent = isOld
    ? readOldRecent(reader, version, [...fields.keys()])
    : readRecent(reader, version, fields);
  checkEnd(reader);
  const record = { batches, rows, rowCounts, recent, fields, cost };
  return isOld ? withinLimits(record) : record;
}

/** Batches and rows behind a record, without reading its fields. */
export function decodeRecordSize(bytes: Uint8Array): { batches: number; rows: number } {
  const { reader } = contentOf('record', bytes);
  return { batches: reader.count(), rows: reader.count() };
}

// ---- the last batches ----

const LACKS_FIELD = 0;

/** Field by field, in the record's order, each batch's measurements. A brief field has only the first group. */
function writeRecent(
  writer: ByteWriter,
  layout: Layout,
  batches: readonly BatchStatistics[],
  name: string,
): void {
  const own = nothingMeasured();
  for (let i = 0; i < batches.length; i++) {
    const { places, numbers, brief, unknown } = batches[i]!;
    const index = places.get(name);
    if (index === undefined) writer.count(LACKS_FIELD);
    else if (index >= 0) writeNumbers(writer, layout, targetAt(numbers, index * WIDTH, unknown, index));
    else {
      const start = (-1 - index) * BRIEF_WIDTH;
      for (let k = 0; k < BRIEF_WIDTH; k++) own[BRIEF_PLACES[k]!] = brief[start + k]!;
      writeNumbers(writer, layout, targetAt(own, 0, undefined, 0));
    }
  }
}

function readRecent(
  reader: ByteReader,
  version: number,
  fields: BaselineRecord['fields'],
): BatchStatistics[] {
  const heads = readList(reader, () => readHead(reader, version));
  const layout = readLayout(reader, RECORD_LAYOUT);
  const places = placesIn(fields);
  const detailed = [...places.values()].filter(index => index >= 0).length;
  const recent: BatchStatistics[] = heads.map(({ provisional: _, ...head }) => {
    const unknown = unknownNumbers(layout, detailed);
    return {
      ...head,
      places,
      numbers: new Float32Array(detailed * WIDTH).fill(Number.NaN),
      brief: new Float32Array((places.size - detailed) * BRIEF_WIDTH).fill(Number.NaN),
      ...(unknown && { unknown }),
    };
  });
  const own = nothingMeasured();
  for (const index of places.values()) {
    for (let i = 0; i < recent.length; i++) {
      const { numbers, brief, unknown } = recent[i]!;
      if (index >= 0) readNumbers(reader, layout, targetAt(numbers, index * WIDTH, unknown, index));
      else {
        for (let k = 0; k < BRIEF_WIDTH; k++) own[BRIEF_PLACES[k]!] = Number.NaN;
        readNumbers(reader, layout, targetAt(own, 0, undefined, 0));
        const start = (-1 - index) * BRIEF_WIDTH;
        for (let k = 0; k < BRIEF_WIDTH; k++) brief[start + k] = own[BRIEF_PLACES[k]!]!;
      }
    }
  }
  return recent;
}

function placesIn(fields: BaselineRecord['fields']): Map<string, number> {
  const places = new Map<string, number>();
  let detailed = 0;
  let brief = 0;
  for (const [name, { detail }] of fields) places.set(name, detail === BRIEF ? -1 - brief++ : detailed++);
  return places;
}

// ---- fields ----

function writeFieldRecord(writer: ByteWriter, field: FieldRecord): void {
  writer.u8(field.detail);
  writer.u8(TYPES.indexOf(field.type));
  writer.count(field.batches);
  for (const sum of [field.rows, field.present, field.nulls, field.strings, field.empties]) writer.f64(sum);
  for (const type of VALUE_TYPES) writer.count(field.counts[type]);
  if (field.detail === BRIEF) return;
  writer.f64(field.values);
  writer.f64(field.distinct);
  writer.count(field.texts);
  writeHashes(writer, field.known);
  writer.blob(field.sketches.packed[0]!);
  writeMoments(writer, field.moments);
  writeComponent(writer, field.components[0]);
}

function readFieldRecord(reader: ByteReader, version: number): FieldRecord {
  if (version < VERSION_4) return readOldFieldRecord(reader);
  const detail = reader.u8() as Detail;
  if (detail > FULL) throw new DamagedBytes(`the detail ${detail} is unknown`);
  const type = TYPES[reader.u8()]!;
  const batches = reader.count();
  const [rows, present, nulls, strings, empties] = [
    reader.f64(),
    reader.f64(),
    reader.f64(),
    reader.f64(),
    reader.f64(),
  ];
  const counts = readTypeCounts(reader);
  const common = { detail, type, batches, rows, present, nulls, strings, empties, counts };
  if (detail === BRIEF) return { ...EMPTY_FIELD, known: null, ...common };
  const values = reader.f64();
  const distinct = reader.f64();
  return { ...common, values, distinct, ...readValues(reader) };
}

/** Of versions 1 to 3. */
function readOldFieldRecord(reader: ByteReader): FieldRecord {
  const type = TYPES[reader.u8()]!;
  const batches = reader.count();
  const rows = reader.f64();
  const present = reader.f64();
  const nulls = reader.f64();
  const strings = reader.f64();
  const empties = reader.f64();
  const values = reader.f64();
  const distinct = reader.f64();
  const counts = readTypeCounts(reader);
  const sums = { rows, present, nulls, strings, empties, values, distinct };
  return { detail: FULL, type, batches, ...sums, counts, ...readValues(reader) };
}

function readValues(
  reader: ByteReader,
): Pick<FieldRecord, 'texts' | 'known' | 'sketches' | 'moments' | 'components'> {
  const texts = reader.count();
  const known = readHashes(reader);
  const sketches = new Sketches([reader.blob()]);
  const moments = readMoments(reader);
  return { texts, known, sketches, moments, components: readComponent(reader) };
}

function readTypeCounts(reader: ByteReader): Record<ValueType, number> {
  const counts = VALUE_TYPES.map(type => [type, reader.count()]);
  return Object.fromEntries(counts) as Record<ValueType, number>;
}

function writeMoments(writer: ByteWriter, moments: Moments | null): void {
  writer.u8(moments ? 1 : 0);
  if (!moments) return;
  writer.f64(moments.weight);
  writer.f64(moments.mean);
  writer.f64(moments.m2);
}

function readMoments(reader: ByteReader): Moments | null {
  if (reader.u8() === 0) return null;
  const weight = reader.f64();
  const mean = reader.f64();
  return { weight, mean, m2: reader.f64() };
}

function writeComponent(writer: ByteWriter, component: Component | undefined): void {
  writer.u8(component ? 1 : 0);
  if (!component) return;
  writer.f64(component.weight);
  writer.count(component.batch);
  writer.f64s(component.points);
}

function readComponent(reader: ByteReader): Component[] {
  if (reader.u8() === 0) return [];
  const weight = reader.f64();
  const batch = reader.count();
  return [{ weight, batch, points: readPoints(reader) }];
}
