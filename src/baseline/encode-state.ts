/** States as bytes. */
import type { NumberSummary } from '../statistics/measurement.ts';
import { nothingMeasured, summarise } from '../statistics/measure.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { checkEnd, contentOf, opened, sealed } from './envelope.ts';
import {
  inGroups,
  type Layout,
  layoutOf,
  readLayout,
  readNumbers,
  targetAt,
  unknownNumbers,
  writeNumbers,
} from './layout.ts';
import { type Head, readHashes, readHead, readPoints, writeHashes, writeHead } from './parts.ts';
import { readOldFields } from './read-old.ts';
import type { BatchState, FieldState } from './state.ts';
import type { UnknownNumbers } from './unknown-measurements.ts';
import { VERSION_3 } from './format-versions.ts';

/** The group `numbers` follows from the summary. */
const GROUPS = inGroups(['rows', 'cells', 'history', 'texts']);
const LAYOUT = layoutOf(GROUPS);

export function encodeState(state: BatchState): Uint8Array {
  const { unknown } = state;
  const layout = unknown ? layoutOf(GROUPS, unknown.measurements) : LAYOUT;
  const writer = opened('state');
  writeHead(writer, state, state.provisional);
  writer.raw(layout.table);
  writer.count(state.fields.size);
  let index = 0;
  for (const [name, field] of state.fields) {
    writer.text(name);
    writeFieldState(writer, field, layout, unknown, index++);
  }
  return sealed(writer);
}

export function decodeState(bytes: Uint8Array): BatchState {
  const { reader, version } = contentOf('state', bytes);
  const head = readHead(reader, version);
  if (version < VERSION_3) return { ...head, fields: readOldFields(reader, version) };
  const layout = readLayout(reader, LAYOUT);
  const size = reader.count();
  const unknown = unknownNumbers(layout, size);
  const fields = new Map<string, FieldState>();
  for (let index = 0; index < size; index++) {
    fields.set(reader.text(), readFieldState(reader, layout, unknown, index));
  }
  checkEnd(reader);
  return { ...head, fields, ...(unknown && { unknown }) };
}

/** What a state says of its batch, without reading its fields. */
export function decodeStateHead(bytes: Uint8Array): Head {
  const { reader, version } = contentOf('state', bytes);
  return readHead(reader, version);
}

function writeFieldState(
  writer: ByteWriter,
  { numbers, sketch, listed, summary }: FieldState,
  layout: Layout,
  unknown: UnknownNumbers | undefined,
  index: number,
): void {
  writer.blob(sketch);
  writeHashes(writer, listed);
  writeSummary(writer, summary);
  writeNumbers(writer, layout, targetAt(numbers, 0, unknown, index));
}

function readFieldState(
  reader: ByteReader,
  layout: Layout,
  unknown: UnknownNumbers | undefined,
  index: number,
): FieldState {
  const sketch = reader.blob();
  const listed = readHashes(reader);
  const summary = readSummary(reader);
  const numbers = nothingMeasured();
  readNumbers(reader, layout, targetAt(numbers, 0, unknown, index));
  summarise(numbers, summary);
  return { numbers, sketch, listed, summary };
}

function writeSummary(writer: ByteWriter, summary: NumberSummary | null): void {
  writer.u8(summary ? 1 : 0);
  if (!summary) return;
  writer.f64(summary.mean);
  writer.f64(summary.m2);
  writer.f64s(summary.points);
}

function readSummary(reader: ByteReader): NumberSummary | null {
  if (reader.u8() === 0) return null;
  const mean = reader.f64();
  const m2 = reader.f64();
  return { mean, m2, points: readPoints(reader) };
}
