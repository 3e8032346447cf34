/**
 * States and records as bytes: kind, version, content, CRC-32. A byte that was damaged, or a version this
 * program does not know (a newer one wrote it), throws DamagedBytes and is never read as something else.
 */
import { crc32 } from 'node:zlib';
import { QUANTILES } from '../../assembly/abi.ts';
import type { Verdict } from '../verdict.ts';
import { type FieldType, VALUE_TYPES, type ValueType } from '../profile/profile.ts';
import { ByteReader, ByteWriter, DamagedBytes } from './bytes.ts';
import { fieldCost, MAX_RECORD_BYTES, RECORD_COST } from './limits.ts';
import type { Component } from './quantiles.ts';
import type { BaselineRecord, FieldRecord, Moments } from './record.ts';
import type { BatchState, FieldState, NumericState } from './state.ts';
import { type BatchStatistics, COUNTS, FIRST_TRAIT, Statistic, TRAITS } from './statistics.ts';

/** The newest, and the only other that is read: 1 had no traits. */
const VERSION = 2;
const WITHOUT_TRAITS = 1;
const STATE = 0x53;
const RECORD = 0x52;
const CHECKSUM_BYTES = 4;

// Positions are what is stored: append only.
const VERDICTS: readonly Verdict[] = ['PASS', 'WARN', 'BLOCK'];
const TYPES: readonly FieldType[] = [...VALUE_TYPES, 'null', 'mixed'];

const CHUNK = 1;
const PROVISIONAL = 2;
const ACCEPTED = 4;

export function encodeState(state: BatchState): Uint8Array {
  return seal(STATE, writer => {
    writeHead(writer, state, state.provisional);
    writer.count(state.fields.size);
    for (const [name, field] of state.fields) {
      writer.text(name);
      writeFieldState(writer, field);
    }
  });
}

export function decodeState(bytes: Uint8Array): BatchState {
  return unseal(STATE, bytes, (reader, version) => ({
    ...readHead(reader),
    fields: readMap(reader, () => readFieldState(reader, version)),
  }));
}

/** What a state says of its batch, its fields left unread. */
export const decodeStateHead = (bytes: Uint8Array): Head => readHead(contentOf(STATE, bytes).reader);

/** The record must be folded. */
export function encodeRecord(record: BaselineRecord): Uint8Array {
  return seal(RECORD, writer => {
    writer.count(record.batches);
    writer.count(record.rows);
    writer.count(record.rowCounts.length);
    for (const rows of record.rowCounts) writer.count(rows);
    writer.count(record.fields.size);
    for (const [name, field] of record.fields) {
      writer.text(name);
      writeFieldRecord(writer, field);
    }
    writer.count(record.recent.length);
    for (const batch of record.recent) writeStatistics(writer, batch, record.fields);
    writeTraits(writer, record);
  });
}

export function decodeRecord(bytes: Uint8Array): BaselineRecord {
  return unseal(RECORD, bytes, (reader, version) => {
    const batches = reader.count();
    const rows = reader.count();
    const rowCounts = readList(reader, () => reader.count());
    const fields = readMap(reader, readFieldRecord);
    const places = new Map([...fields.keys()].map((name, place) => [name, place]));
    const recent = readList(reader, () => readStatistics(reader, places));
    if (version !== WITHOUT_TRAITS) readTraits(reader, recent, places.size);
    let cost = RECORD_COST;
    for (const name of fields.keys()) cost += fieldCost(name);
    return { batches, rows, rowCounts, recent, fields, cost };
  });
}

/** Batches and rows behind a record, its fields left unread. */
export function decodeRecordSize(bytes: Uint8Array): { batches: number; rows: number } {
  const { reader } = contentOf(RECORD, bytes);
  return { batches: reader.count(), rows: reader.count() };
}

function seal(kind: number, write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter();
  writer.u8(kind);
  writer.u8(VERSION);
  write(writer);
  writer.u32(crc32(writer.view()));
  return writer.written();
}

function unseal<T>(kind: number, bytes: Uint8Array, read: (reader: ByteReader, version: number) => T): T {
  const { reader, version } = contentOf(kind, bytes);
  const value = read(reader, version);
  if (!reader.atEnd) throw new DamagedBytes('bytes follow the end');
  return value;
}

/** A reader at the begin of what was sealed, and the version that it was written in. */
function contentOf(kind: number, bytes: Uint8Array): { reader: ByteReader; version: number } {
  if (bytes.length < 2 + CHECKSUM_BYTES) throw new DamagedBytes('the bytes end too early');
  const content = bytes.subarray(0, bytes.length - CHECKSUM_BYTES);
  const checksum = new ByteReader(bytes.subarray(content.length)).u32();
  const reader = new ByteReader(content);
  if (reader.u8() !== kind) throw new DamagedBytes('the bytes are not of this kind');
  const version = reader.u8();
  if (version !== VERSION && version !== WITHOUT_TRAITS)
    throw new DamagedBytes(`version ${version} is unknown: ${VERSION} is the newest here`);
  if (checksum !== crc32(content)) throw new DamagedBytes('the checksum does not fit the bytes');
  return { reader, version };
}

function readList<T>(reader: ByteReader, read: () => T): T[] {
  return Array.from({ length: reader.count() }, read);
}

function readMap<T>(reader: ByteReader, read: (reader: ByteReader) => T): Map<string, T> {
  return new Map(readList(reader, () => [reader.text(), read(reader)]));
}

type Head = Omit<BatchState, 'fields'>;

function writeHead(writer: ByteWriter, head: Omit<Head, 'provisional'>, provisional = false): void {
  writer.text(head.id);
  writer.f64(head.at);
  writer.count(head.rows);
  writer.u8(VERDICTS.indexOf(head.verdict));
  writer.f64(head.health);
  writer.u8((head.chunk ? CHUNK : 0) | (provisional ? PROVISIONAL : 0) | (head.accepted ? ACCEPTED : 0));
}

function readHead(reader: ByteReader): Head {
  const id = reader.text();
  const at = reader.f64();
  const rows = reader.count();
  const verdict = VERDICTS[reader.u8()]!;
  const health = reader.f64();
  const flags = reader.u8();
  const chunk = (flags & CHUNK) > 0;
  const provisional = (flags & PROVISIONAL) > 0;
  const accepted = (flags & ACCEPTED) > 0;
  return { id, at, rows, verdict, health, chunk, provisional, ...(accepted && { accepted }) };
}

function writeFieldState(writer: ByteWriter, field: FieldState): void {
  writer.count(field.present);
  writer.count(field.nulls);
  writeTypeCounts(writer, field.counts);
  writer.count(field.empties);
  writer.count(field.values);
  writer.count(field.distinct);
  writer.count(field.texts);
  writer.count(field.distinctTexts);
  writer.blob(field.sketch);
  writeHashes(writer, field.listed);
  writeNumeric(writer, field.numeric);
  writeFieldTraits(writer, field.traits ?? NO_TRAITS, 0);
}

function readFieldState(reader: ByteReader, version: number): FieldState {
  const present = reader.count();
  const nulls = reader.count();
  const counts = readTypeCounts(reader);
  const empties = reader.count();
  const values = reader.count();
  const distinct = reader.count();
  const texts = reader.count();
  const distinctTexts = reader.count();
  const sketch = reader.blob();
  const listed = readHashes(reader);
  const numeric = readNumeric(reader);
  const traits = version === WITHOUT_TRAITS ? null : readStateTraits(reader);
  const numbers = { present, nulls, counts, empties, values, distinct, texts, distinctTexts };
  return { ...numbers, sketch, listed, numeric, traits };
}

function writeNumeric(writer: ByteWriter, numeric: NumericState | null): void {
  writer.u8(numeric ? 1 : 0);
  if (!numeric) return;
  writer.count(numeric.count);
  writer.f64(numeric.mean);
  writer.f64(numeric.m2);
  writer.count(numeric.outliers);
  writePoints(writer, numeric.points);
}

function readNumeric(reader: ByteReader): NumericState | null {
  if (reader.u8() === 0) return null;
  const count = reader.count();
  const mean = reader.f64();
  const m2 = reader.f64();
  const outliers = reader.count();
  return { count, mean, m2, outliers, points: readPoints(reader) };
}

function writeFieldRecord(writer: ByteWriter, field: FieldRecord): void {
  writer.u8(TYPES.indexOf(field.type));
  writer.count(field.batches);
  for (const sum of weightedSums(field)) writer.f64(sum);
  writeTypeCounts(writer, field.counts);
  writer.count(field.texts);
  writeHashes(writer, field.known);
  writer.blob(field.sketches[0]!);
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
  const sketches = [reader.blob()];
  const moments = readMoments(reader);
  const components = readComponent(reader);
  const sums = { rows, present, nulls, strings, empties, values, distinct };
  return { type, batches, ...sums, counts, texts, known, sketches, moments, components };
}

function writeTypeCounts(writer: ByteWriter, counts: Readonly<Record<ValueType, number>>): void {
  for (const type of VALUE_TYPES) writer.count(counts[type]);
}

function readTypeCounts(reader: ByteReader): Record<ValueType, number> {
  const counts = VALUE_TYPES.map(type => [type, reader.count()]);
  return Object.fromEntries(counts) as Record<ValueType, number>;
}

/** Their number plus one; 0 for null. */
function writeHashes(writer: ByteWriter, hashes: BigUint64Array | null): void {
  writer.count(hashes ? hashes.length + 1 : 0);
  for (const hash of hashes ?? []) writer.u64(hash);
}

function readHashes(reader: ByteReader): BigUint64Array | null {
  const head = reader.count();
  return head === 0 ? null : BigUint64Array.from({ length: head - 1 }, () => reader.u64());
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
  writePoints(writer, component.points);
}

function readComponent(reader: ByteReader): Component[] {
  if (reader.u8() === 0) return [];
  const weight = reader.f64();
  const batch = reader.count();
  return [{ weight, batch, points: readPoints(reader) }];
}

function writePoints(writer: ByteWriter, points: Float64Array): void {
  writer.f64s(points);
}

const readPoints = (reader: ByteReader): Float64Array =>
  Float64Array.from({ length: QUANTILES }, () => reader.f64());

/** How much of a field a batch had. */
const ABSENT = 0;
const COUNTED = 1;
const MEASURED = 2;

/** Fields in the record's order; one that is not tracked is left out. */
function writeStatistics(
  writer: ByteWriter,
  batch: BatchStatistics,
  fields: ReadonlyMap<string, FieldRecord>,
): void {
  writeHead(writer, batch);
  for (const name of fields.keys()) {
    const place = batch.places.get(name);
    if (place === undefined) writer.u8(ABSENT);
    else writeFieldStatistics(writer, batch.numbers, place * Statistic.LENGTH);
  }
}

function writeFieldStatistics(writer: ByteWriter, numbers: Float32Array, start: number): void {
  const had = hadOf(numbers, start);
  writer.u8(had);
  if (had === ABSENT) return;
  for (let i = 0; i < COUNTS; i++) writer.count(numbers[start + i]!);
  if (had === COUNTED) return;
  for (let i = COUNTS; i < FIRST_TRAIT; i++) writer.f32(numbers[start + i]!);
}

function hadOf(numbers: Float32Array, start: number): number {
  if (Number.isNaN(numbers[start]!)) return ABSENT;
  return numbers[start + Statistic.FINITE]! > 0 ? MEASURED : COUNTED;
}

function readStatistics(reader: ByteReader, places: ReadonlyMap<string, number>): BatchStatistics {
  const { provisional: _, ...head } = readHead(reader);
  const numbers = new Float32Array(places.size * Statistic.LENGTH).fill(Number.NaN);
  for (let place = 0; place < places.size; place++) {
    readFieldStatistics(reader, numbers, place * Statistic.LENGTH);
  }
  return { ...head, places, numbers };
}

function readFieldStatistics(reader: ByteReader, numbers: Float32Array, start: number): void {
  const had = reader.u8();
  if (had === ABSENT) return;
  for (let i = 0; i < COUNTS; i++) numbers[start + i] = reader.count();
  if (had === COUNTED) return;
  for (let i = COUNTS; i < FIRST_TRAIT; i++) numbers[start + i] = reader.f32();
}

// ---- traits ----

function between(first: Statistic, last: Statistic): Statistic[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

const NO_TRAITS: readonly number[] = Array(TRAITS).fill(Number.NaN);

/** What of a field's traits there is. */
const KNOWN = 1;
const TEXTS = 2;
const FRESH = 4;

/** Counts, but for CONTENT; TOP and the lengths are written as they are. */
const COUNTED_TRAITS = [
  Statistic.LOOKED,
  ...between(Statistic.NEIGHBOURS, Statistic.HUNDREDTHS),
  Statistic.TRUES,
].map(which => which - FIRST_TRAIT);
const FIRST_TEXT_TRAIT = Statistic.LOOKED_TEXTS - FIRST_TRAIT;
const LENGTH_MEAN = Statistic.LENGTH_MEAN - FIRST_TRAIT;
const LENGTH_DEVIATION = Statistic.LENGTH_DEVIATION - FIRST_TRAIT;
const TOP = Statistic.TOP - FIRST_TRAIT;
const FRESH_TRAIT = Statistic.FRESH - FIRST_TRAIT;

/** Field by field, those of all last batches together; of a field that finds no room nothing. */
function writeTraits(writer: ByteWriter, { recent, fields }: BaselineRecord): void {
  let room = MAX_RECORD_BYTES - writer.view().length - CHECKSUM_BYTES - fields.size;
  for (const name of fields.keys()) {
    const traits = traitsOf(recent, name);
    const bytes = traits.length + (traits.length < 0x80 ? 0 : traits.length < 0x4000 ? 1 : 2);
    const fits = bytes <= room;
    writer.blob(fits ? traits : NOTHING);
    if (fits) room -= bytes;
  }
}

const NOTHING = new Uint8Array();

function traitsOf(recent: readonly BatchStatistics[], name: string): Uint8Array {
  const writer = new ByteWriter();
  for (const { places, numbers } of recent) {
    const place = places.get(name);
    if (place === undefined) writeFieldTraits(writer, NO_TRAITS, 0);
    else writeFieldTraits(writer, numbers, place * Statistic.LENGTH + FIRST_TRAIT);
  }
  return writer.view();
}

function readTraits(reader: ByteReader, recent: readonly BatchStatistics[], fields: number): void {
  for (let place = 0; place < fields; place++) {
    const traits = reader.blob();
    if (traits.length === 0) continue;
    const each = new ByteReader(traits);
    for (const { numbers } of recent) readFieldTraits(each, numbers, place * Statistic.LENGTH + FIRST_TRAIT);
    if (!each.atEnd) throw new DamagedBytes('bytes follow the traits');
  }
}

function readStateTraits(reader: ByteReader): Float32Array | null {
  const traits = new Float32Array(TRAITS).fill(Number.NaN);
  readFieldTraits(reader, traits, 0);
  return Number.isNaN(traits[0]!) ? null : traits;
}

function writeFieldTraits(writer: ByteWriter, numbers: ArrayLike<number>, start: number): void {
  const at = (trait: number): number => numbers[start + trait]!;
  if (Number.isNaN(at(0))) {
    writer.u8(0);
    return;
  }
  const hasTexts = !Number.isNaN(at(FIRST_TEXT_TRAIT));
  const hasFresh = !Number.isNaN(at(FRESH_TRAIT));
  writer.u8(KNOWN | (hasTexts ? TEXTS : 0) | (hasFresh ? FRESH : 0));
  writer.u32(at(0));
  writer.f32(at(TOP));
  for (const trait of COUNTED_TRAITS) writer.count(at(trait));
  if (hasFresh) writer.count(at(FRESH_TRAIT));
  if (!hasTexts) return;
  for (let trait = FIRST_TEXT_TRAIT; trait < LENGTH_MEAN; trait++) writer.count(at(trait));
  writer.f32(at(LENGTH_MEAN));
  writer.f32(at(LENGTH_DEVIATION));
}

function readFieldTraits(reader: ByteReader, numbers: { [place: number]: number }, start: number): void {
  const has = reader.u8();
  if (has === 0) return;
  numbers[start] = reader.u32();
  numbers[start + TOP] = reader.f32();
  for (const trait of COUNTED_TRAITS) numbers[start + trait] = reader.count();
  if (has & FRESH) numbers[start + FRESH_TRAIT] = reader.count();
  if (!(has & TEXTS)) return;
  for (let trait = FIRST_TEXT_TRAIT; trait < LENGTH_MEAN; trait++) numbers[start + trait] = reader.count();
  numbers[start + LENGTH_MEAN] = reader.f32();
  numbers[start + LENGTH_DEVIATION] = reader.f32();
}
