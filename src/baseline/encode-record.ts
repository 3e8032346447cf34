/** Records as bytes. */
import { type FieldType, VALUE_TYPES, type ValueType } from '../profile/profile.ts';
import { WIDTH } from '../statistics/registry.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import { type ByteReader, ByteWriter, DamagedBytes } from './bytes.ts';
import { Sketches } from './distinct.ts';
import { CHECKSUM_BYTES, contentOf, seal, unseal } from './envelope.ts';
import { type Layout, readLayout, readNumbers, targetAt, unknownNumbers, writeNumbers } from './layout.ts';
import { fieldCost, MAX_RECORD_BYTES, RECORD_COST } from './limits.ts';
import { readHashes, readHead, readList, readMap, readPoints, writeHashes, writeHead } from './parts.ts';
import type { Component } from './quantiles.ts';
import { readOldMeasurements } from './read-old.ts';
import type { BaselineRecord, FieldRecord, Moments } from './record.ts';
import { CHARGED, OPTIONAL, optionalWith, unknownOfAll } from './record-layout.ts';
import { VERSION } from './format-versions.ts';

// Positions are stored: only append.
const TYPES: readonly FieldType[] = [...VALUE_TYPES, 'null', 'mixed'];

/** The record must be folded. */
export function encodeRecord(record: BaselineRecord): Uint8Array {
  const { batches, rows, rowCounts, fields, recent } = record;
  return seal('record', writer => {
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
    writeCharged(writer, record);
    writeOptional(writer, record);
  });
}

export function decodeRecord(bytes: Uint8Array): BaselineRecord {
  return unseal('record', bytes, (reader, version) => {
    const batches = reader.count();
    const rows = reader.count();
    const rowCounts = readList(reader, () => reader.count());
    const fields = readMap(reader, readFieldRecord);
    const places = new Map([...fields.keys()].map((name, place) => [name, place]));
    const recent =
      version < VERSION ? readOldMeasurements(reader, version, places) : readRecent(reader, places);
    let cost = RECORD_COST;
    for (const name of fields.keys()) cost += fieldCost(name);
    return { batches, rows, rowCounts, recent, fields, cost };
  });
}

/** Batches and rows behind a record, without reading its fields. */
export function decodeRecordSize(bytes: Uint8Array): { batches: number; rows: number } {
  const { reader } = contentOf('record', bytes);
  return { batches: reader.count(), rows: reader.count() };
}

// ---- the last batches ----

/** Field by field, in the record's order, each batch's charged measurements. */
function writeCharged(writer: ByteWriter, { recent, fields }: BaselineRecord): void {
  writer.raw(CHARGED.table);
  for (const name of fields.keys()) writeField(writer, CHARGED, recent, name);
}

/** The optional ones with their length; nothing of a field for which there is no room. */
function writeOptional(writer: ByteWriter, { recent, fields }: BaselineRecord): void {
  const roomBeside = (layout: Layout): number =>
    MAX_RECORD_BYTES - writer.view().length - CHECKSUM_BYTES - layout.table.length - fields.size;
  const unknown = unknownOfAll(recent);
  const all = optionalWith(unknown);
  const layout = roomBeside(all) >= 0 ? all : OPTIONAL;
  let room = roomBeside(layout);
  writer.raw(layout.table);
  const each = new ByteWriter();
  const batches = layout.unknownWidth > 0 ? unknown.batches : recent;
  for (const name of fields.keys()) {
    each.clear();
    writeField(each, layout, batches, name);
    const { length } = each.view();
    const bytes = length + (length < 0x80 ? 0 : length < 0x4000 ? 1 : 2);
    const fits = bytes <= room;
    writer.blob(fits ? each.view() : NOTHING);
    if (fits) room -= bytes;
  }
}

const NOTHING = new Uint8Array();
const LACKS_FIELD = 0;

function writeField(
  writer: ByteWriter,
  layout: Layout,
  batches: readonly BatchStatistics[],
  name: string,
): void {
  for (let i = 0; i < batches.length; i++) {
    const { places, numbers, unknown } = batches[i]!;
    const index = places.get(name);
    if (index === undefined) writer.count(LACKS_FIELD);
    else writeNumbers(writer, layout, targetAt(numbers, index * WIDTH, unknown, index));
  }
}

function readRecent(reader: ByteReader, places: ReadonlyMap<string, number>): BatchStatistics[] {
  const heads = readList(reader, () => readHead(reader));
  const charged = readLayout(reader, CHARGED);
  const recent: BatchStatistics[] = heads.map(({ provisional: _, ...head }) => ({
    ...head,
    places,
    numbers: new Float32Array(places.size * WIDTH).fill(Number.NaN),
  }));
  for (let index = 0; index < places.size; index++) readField(reader, charged, recent, index);
  const optional = readLayout(reader, OPTIONAL);
  if (optional.unknownWidth > 0) {
    for (const batch of recent) batch.unknown = unknownNumbers(optional, places.size)!;
  }
  for (let index = 0; index < places.size; index++) {
    const length = reader.count();
    if (length === 0) continue;
    const end = reader.position + length;
    readField(reader, optional, recent, index);
    if (reader.position !== end) throw new DamagedBytes('the measurements have another length');
  }
  return recent;
}

function readField(
  reader: ByteReader,
  layout: Layout,
  recent: readonly BatchStatistics[],
  index: number,
): void {
  for (let i = 0; i < recent.length; i++) {
    const { numbers, unknown } = recent[i]!;
    readNumbers(reader, layout, targetAt(numbers, index * WIDTH, unknown, index));
  }
}

// ---- fields ----

function writeFieldRecord(writer: ByteWriter, field: FieldRecord): void {
  writer.u8(TYPES.indexOf(field.type));
  writer.count(field.batches);
  for (const sum of weightedSums(field)) writer.f64(sum);
  for (const type of VALUE_TYPES) writer.count(field.counts[type]);
  writer.count(field.texts);
  writeHashes(writer, field.known);
  writer.blob(field.sketches.packed[0]!);
  writeMoments(writer, field.moments);
  writeComponent(writer, field.components[0]);
}

const weightedSums = (field: FieldRecord): number[] => [
  field.rows,
  field.present,
  field.nulls,
  field.strings,
  field.empties,
  field.values,
  field.distinct,
];

function readFieldRecord(reader: ByteReader): FieldRecord {
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
  const texts = reader.count();
  const known = readHashes(reader);
  const sketches = new Sketches([reader.blob()]);
  const moments = readMoments(reader);
  const components = readComponent(reader);
  const sums = { rows, present, nulls, strings, empties, values, distinct };
  return { type, batches, ...sums, counts, texts, known, sketches, moments, components };
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
