/** Writes columns as an Arrow stream with one record batch: what a request of rows from a larger file holds. */
import { Binary } from 'apache-arrow/fb/binary';
import { Bool } from 'apache-arrow/fb/bool';
import { Buffer as BufferTable } from 'apache-arrow/fb/buffer';
import { Date as DateTable } from 'apache-arrow/fb/date';
import { DateUnit } from 'apache-arrow/fb/date-unit';
import { Decimal } from 'apache-arrow/fb/decimal';
import { Endianness } from 'apache-arrow/fb/endianness';
import { Field as FieldTable } from 'apache-arrow/fb/field';
import { FieldNode } from 'apache-arrow/fb/field-node';
import { FixedSizeBinary } from 'apache-arrow/fb/fixed-size-binary';
import { FloatingPoint } from 'apache-arrow/fb/floating-point';
import { Int } from 'apache-arrow/fb/int';
import { KeyValue } from 'apache-arrow/fb/key-value';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { MetadataVersion } from 'apache-arrow/fb/metadata-version';
import { Null } from 'apache-arrow/fb/null';
import type { Precision } from 'apache-arrow/fb/precision';
import { RecordBatch } from 'apache-arrow/fb/record-batch';
import { Schema } from 'apache-arrow/fb/schema';
import { Time } from 'apache-arrow/fb/time';
import type { TimeUnit } from 'apache-arrow/fb/time-unit';
import { Timestamp } from 'apache-arrow/fb/timestamp';
import { Type } from 'apache-arrow/fb/type';
import { Utf8 } from 'apache-arrow/fb/utf8';
import { Builder, type Offset } from 'flatbuffers';
import { Layout } from '../../../assembly/abi.ts';
import type { Field } from '../field.ts';
import { EXTENSION_KEY, PHYSICAL_TYPE_KEY } from './schema.ts';
import { decimalBytes, decimalScale } from './types.ts';

/** Null, and the buffers of a column in the order of Arrow's layout. */
export interface WrittenColumn {
  nulls: number;
  buffers: Uint8Array[];
}

/** Fields without children and dictionaries, of 32-bit offsets. */
export function schemaMessage(fields: Field[]): Uint8Array {
  const builder = new Builder(1024);
  const tables = fields.map(field => fieldTable(builder, field));
  const vector = Schema.createFieldsVector(builder, tables);
  Schema.startSchema(builder);
  Schema.addEndianness(builder, Endianness.Little);
  Schema.addFields(builder, vector);
  return message(builder, MessageHeader.Schema, Schema.endSchema(builder), 0);
}

/** `schema`: the message of `schemaMessage`. */
export function streamOf(
  schema: Uint8Array,
  rows: number,
  columns: WrittenColumn[],
): Uint8Array<ArrayBuffer> {
  const buffers = columns.flatMap(column => column.buffers);
  const ends = buffers.map(
    (
      (end: number) =>
      ({ length }) =>
        (end += padded(length))
    )(0),
  );
  const bodyLength = ends.at(-1) ?? 0;
  const builder = new Builder(1024 + buffers.length * 16);
  RecordBatch.startBuffersVector(builder, buffers.length);
  for (let i = buffers.length - 1; i >= 0; i--)
    BufferTable.createBuffer(builder, BigInt(ends[i - 1] ?? 0), BigInt(buffers[i]!.length));
  const buffersAt = builder.endVector();
  RecordBatch.startNodesVector(builder, columns.length);
  for (const { nulls } of columns.toReversed())
    FieldNode.createFieldNode(builder, BigInt(rows), BigInt(nulls));
  const nodesAt = builder.endVector();
  RecordBatch.startRecordBatch(builder);
  RecordBatch.addLength(builder, BigInt(rows));
  RecordBatch.addNodes(builder, nodesAt);
  RecordBatch.addBuffers(builder, buffersAt);
  const batch = message(builder, MessageHeader.RecordBatch, RecordBatch.endRecordBatch(builder), bodyLength);
  const out = new Uint8Array(schema.length + batch.length + bodyLength + END.length);
  out.set(schema);
  out.set(batch, schema.length);
  const bodyAt = schema.length + batch.length;
  for (const [i, buffer] of buffers.entries()) out.set(buffer, bodyAt + (ends[i - 1] ?? 0));
  out.set(END, bodyAt + bodyLength);
  return out;
}

const END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

const padded = (length: number): number => (length + 7) & ~7;

function message(builder: Builder, type: MessageHeader, header: Offset, bodyLength: number): Uint8Array {
  builder.finish(Message.createMessage(builder, MetadataVersion.V5, type, header, BigInt(bodyLength), 0));
  const metadata = builder.asUint8Array();
  const out = new Uint8Array(8 + padded(metadata.length));
  new DataView(out.buffer).setUint32(0, 0xffffffff, true);
  new DataView(out.buffer).setUint32(4, padded(metadata.length), true);
  out.set(metadata, 8);
  return out;
}

function fieldTable(builder: Builder, field: Field): Offset {
  const name = builder.createString(field.name);
  const [type, table] = typeTable(builder, field);
  const pairs = [
    [PHYSICAL_TYPE_KEY, field.physicalType],
    ...(field.isJson ? [[EXTENSION_KEY, 'arrow.json']] : []),
  ] as [string, string][];
  const metadata = FieldTable.createCustomMetadataVector(
    builder,
    pairs.map(([key, value]) =>
      KeyValue.createKeyValue(builder, builder.createString(key), builder.createString(value)),
    ),
  );
  const children = FieldTable.createChildrenVector(builder, []);
  FieldTable.startField(builder);
  FieldTable.addName(builder, name);
  FieldTable.addNullable(builder, true);
  FieldTable.addTypeType(builder, type);
  FieldTable.addType(builder, table);
  FieldTable.addChildren(builder, children);
  FieldTable.addCustomMetadata(builder, metadata);
  return FieldTable.endField(builder);
}

const INTEGER_BITS: Partial<Record<Layout, [bits: number, isSigned: boolean]>> = {
  [Layout.INT8]: [8, true],
  [Layout.UINT8]: [8, false],
  [Layout.INT16]: [16, true],
  [Layout.UINT16]: [16, false],
  [Layout.INT32]: [32, true],
  [Layout.UINT32]: [32, false],
  [Layout.INT64]: [64, true],
  [Layout.UINT64]: [64, false],
};

const PRECISIONS: Record<number, number> = { 4: 9, 8: 18, 16: 38, 32: 76 };

function typeTable(builder: Builder, { layout, parameter }: Field): [Type, Offset] {
  const integer = INTEGER_BITS[layout!];
  if (integer) return [Type.Int, Int.createInt(builder, ...integer)];
  const unit = (): TimeUnit => parameter / 3;
  switch (layout) {
    case Layout.BOOLEAN:
      return [Type.Bool, Bool.createBool(builder)];
    case Layout.FLOAT16:
    case Layout.FLOAT32:
    case Layout.FLOAT64: {
      const precision = (layout - Layout.FLOAT16) as Precision;
      return [Type.FloatingPoint, FloatingPoint.createFloatingPoint(builder, precision)];
    }
    case Layout.DECIMAL: {
      const bytes = decimalBytes(parameter);
      const scale = decimalScale(parameter);
      return [Type.Decimal, Decimal.createDecimal(builder, PRECISIONS[bytes]!, scale, bytes * 8)];
    }
    case Layout.DATE32:
    case Layout.DATE64: {
      const dateUnit = layout === Layout.DATE32 ? DateUnit.DAY : DateUnit.MILLISECOND;
      return [Type.Date, DateTable.createDate(builder, dateUnit)];
    }
    case Layout.TIME32:
    case Layout.TIME64:
      return [Type.Time, Time.createTime(builder, unit(), layout === Layout.TIME32 ? 32 : 64)];
    case Layout.TIMESTAMP:
      return [Type.Timestamp, Timestamp.createTimestamp(builder, unit(), 0)];
    case Layout.TEXT32:
      return [Type.Utf8, Utf8.createUtf8(builder)];
    case Layout.BYTES32:
      return [Type.Binary, Binary.createBinary(builder)];
    case Layout.BYTES_FIXED:
      return [Type.FixedSizeBinary, FixedSizeBinary.createFixedSizeBinary(builder, parameter)];
    default:
      return [Type.Null, Null.createNull(builder)];
  }
}
