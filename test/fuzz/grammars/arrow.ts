/** Arrow IPC, streams and files: every layout, nested ones too, dictionaries and their deltas, compressed buffers, and lengths that do not fit. */
import { Block } from 'apache-arrow/fb/block';
import { BodyCompression } from 'apache-arrow/fb/body-compression';
import { Buffer as BufferTable } from 'apache-arrow/fb/buffer';
import { CompressionType } from 'apache-arrow/fb/compression-type';
import { Decimal } from 'apache-arrow/fb/decimal';
import { DictionaryBatch } from 'apache-arrow/fb/dictionary-batch';
import { DictionaryEncoding } from 'apache-arrow/fb/dictionary-encoding';
import { Field as FieldTable } from 'apache-arrow/fb/field';
import { FieldNode } from 'apache-arrow/fb/field-node';
import { FixedSizeBinary } from 'apache-arrow/fb/fixed-size-binary';
import { FixedSizeList } from 'apache-arrow/fb/fixed-size-list';
import { FloatingPoint } from 'apache-arrow/fb/floating-point';
import { Footer } from 'apache-arrow/fb/footer';
import { Int } from 'apache-arrow/fb/int';
import { KeyValue } from 'apache-arrow/fb/key-value';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { MetadataVersion } from 'apache-arrow/fb/metadata-version';
import { RecordBatch } from 'apache-arrow/fb/record-batch';
import { Schema } from 'apache-arrow/fb/schema';
import { Timestamp } from 'apache-arrow/fb/timestamp';
import { Type } from 'apache-arrow/fb/type';
import { Builder, type Offset } from 'flatbuffers';
import type { Choices } from '../choices.ts';
import { type Input, inputOf } from '../input.ts';
import { big, Bytes, compressed, damaged, joined, little, lz4Of } from './bytes.ts';

const MAX_ROWS = 10_000;
/** Of a whole body. */
const MAX_BYTES = [30_000, 30_000, 300_000, 300_000, 2_000_000, 33_000_000];
const MAGIC = 'ARROW1';
const END = [255, 255, 255, 255, 0, 0, 0, 0];

/** How the buffers of a type follow each other behind its validity: bytes for each value, or bits. */
interface Kind {
  type: Type;
  table: (builder: Builder) => Offset;
  /** Widths of the buffers in bytes; 0: texts of any length. */
  buffers: readonly number[];
  hasValidity: boolean;
  children: number;
}

/** A type whose table has no members. */
function nothing(builder: Builder): Offset {
  builder.startObject(0);
  return builder.endObject();
}
const plain = (type: Type, buffers: readonly number[], children = 0, hasValidity = true): Kind => ({
  type,
  table: nothing,
  buffers,
  hasValidity,
  children,
});
const withTable = (kind: Kind, table: Kind['table']): Kind => ({ ...kind, table });
const int = (bits: number, isSigned: boolean): Kind =>
  withTable(plain(Type.Int, [bits / 8]), builder => Int.createInt(builder, bits, isSigned));

const FLAT: Kind[] = [
  int(32, true),
  int(8, false),
  int(64, true),
  plain(Type.Utf8, [4, 0]),
  plain(Type.LargeUtf8, [8, 0]),
  plain(Type.Utf8View, [16]),
  plain(Type.Binary, [4, 0]),
  plain(Type.Bool, [0.125]),
  plain(Type.Null, [], 0, false),
  withTable(plain(Type.FloatingPoint, [8]), builder => FloatingPoint.createFloatingPoint(builder, 2)),
  withTable(plain(Type.Timestamp, [8]), builder => Timestamp.createTimestamp(builder, 3, 0)),
  withTable(plain(Type.Decimal, [16]), builder => Decimal.createDecimal(builder, 38, 2, 128)),
  withTable(plain(Type.FixedSizeBinary, [16]), builder => FixedSizeBinary.createFixedSizeBinary(builder, 16)),
  withTable(plain(Type.FixedSizeBinary, [0]), builder => FixedSizeBinary.createFixedSizeBinary(builder, 0)),
];
const NESTED: Kind[] = [
  plain(Type.List, [4], 1),
  plain(Type.LargeList, [8], 1),
  plain(Type.ListView, [4, 4], 1),
  plain(Type.LargeListView, [8, 8], 1),
  plain(Type.Struct_, [], 2),
  plain(Type.Map, [4], 1),
  plain(Type.RunEndEncoded, [], 2, false),
  withTable(plain(Type.FixedSizeList, [], 1), builder => FixedSizeList.createFixedSizeList(builder, 1000)),
  withTable(plain(Type.FixedSizeList, [], 1), builder => FixedSizeList.createFixedSizeList(builder, 0)),
];

interface Field {
  name: string;
  kind: Kind;
  children: Field[];
  dictionary: bigint | null;
  isJson: boolean;
}

export function arrow(c: Choices): Input {
  const fields = c.list(3, i => fieldOf(c, `c${i}`, 0));
  const isFile = c.once(3);
  const body = new Bytes(c.pick(MAX_BYTES));
  if (isFile) body.add(MAGIC).add([0, 0]);
  const blocks: { kind: 'dictionary' | 'batch'; at: number }[] = [];
  if (!isFile || c.once(2)) body.add(schemaOf(fields));
  const add = (kind: 'dictionary' | 'batch', message: Uint8Array, times: number) => {
    if (body.length + message.length <= body.most) blocks.push({ kind, at: body.length });
    body.add(message, times);
  };
  const encoded = allOf(fields).filter(({ dictionary }) => dictionary !== null);
  for (const field of encoded)
    for (let left = 1 + c.below(2); left > 0; left--)
      add('dictionary', dictionaryOf(c, field, body.most), c.once(3) ? c.count(100_000) : 1);
  for (let left = 1 + c.below(3); left > 0; left--)
    add('batch', batchOf(c, fields, c.count(MAX_ROWS), body.most), c.once(3) ? c.count(100_000) : 1);
  if (isFile) body.add(footerOf(fields, blocks));
  else if (!c.once(8)) body.add(END, c.once(16) ? c.count(100_000) : 1);
  const whole = body.whole();
  return inputOf(c.once(8) ? damaged(whole, count => c.below(count)) : whole);
}

const allOf = (fields: Field[]): Field[] => fields.flatMap(field => [field, ...allOf(field.children)]);

function fieldOf(c: Choices, name: string, depth: number): Field {
  const kind = depth < 4 && c.once(3) ? c.pick(NESTED) : c.pick(FLAT);
  const children = Array.from({ length: kind.children }, (_, i) => fieldOf(c, `i${i}`, depth + 1));
  // The entries of a map are structs, and runs end at numbers.
  if (kind.type === Type.Map)
    children[0] = {
      ...children[0]!,
      kind: plain(Type.Struct_, [], 2),
      children: [0, 1].map(i => fieldOf(c, `e${i}`, 4)),
      dictionary: null,
    };
  if (kind.type === Type.RunEndEncoded)
    children[0] = { ...children[0]!, kind: int(32, true), children: [], dictionary: null };
  return { name, kind, children, dictionary: c.once(5) ? BigInt(c.below(2)) : null, isJson: c.once(8) };
}

// ---- metadata ----

function schemaOf(fields: Field[]): Uint8Array {
  const builder = new Builder(1024);
  const schema = schemaTable(builder, fields);
  return messageOf(builder, MessageHeader.Schema, schema, 0n);
}

function schemaTable(builder: Builder, fields: Field[]): Offset {
  const vector = Schema.createFieldsVector(
    builder,
    fields.map(field => fieldTable(builder, field)),
  );
  Schema.startSchema(builder);
  Schema.addFields(builder, vector);
  return Schema.endSchema(builder);
}

function fieldTable(builder: Builder, { name, kind, children, dictionary, isJson }: Field): Offset {
  const named = builder.createString(name);
  const table = kind.table(builder);
  const inner = FieldTable.createChildrenVector(
    builder,
    children.map(child => fieldTable(builder, child)),
  );
  const encoding = dictionary === null ? null : encodingOf(builder, dictionary);
  const json = () =>
    KeyValue.createKeyValue(
      builder,
      builder.createString('ARROW:extension:name'),
      builder.createString('arrow.json'),
    );
  const metadata = FieldTable.createCustomMetadataVector(builder, isJson ? [json()] : []);
  FieldTable.startField(builder);
  FieldTable.addName(builder, named);
  FieldTable.addNullable(builder, true);
  FieldTable.addTypeType(builder, kind.type);
  FieldTable.addType(builder, table);
  FieldTable.addChildren(builder, inner);
  FieldTable.addCustomMetadata(builder, metadata);
  if (encoding !== null) FieldTable.addDictionary(builder, encoding);
  return FieldTable.endField(builder);
}

function encodingOf(builder: Builder, id: bigint): Offset {
  const indexes = Int.createInt(builder, 32, true);
  DictionaryEncoding.startDictionaryEncoding(builder);
  DictionaryEncoding.addId(builder, id);
  DictionaryEncoding.addIndexType(builder, indexes);
  return DictionaryEncoding.endDictionaryEncoding(builder);
}

function messageOf(builder: Builder, type: MessageHeader, header: Offset, bodyLength: bigint): Uint8Array {
  builder.finish(Message.createMessage(builder, MetadataVersion.V5, type, header, bodyLength, 0));
  const metadata = builder.asUint8Array();
  const padded = (metadata.length + 7) & ~7;
  return joined([255, 255, 255, 255], little(padded, 4), metadata, new Uint8Array(padded - metadata.length));
}

function footerOf(fields: Field[], blocks: { kind: 'dictionary' | 'batch'; at: number }[]): Uint8Array {
  const builder = new Builder(1024);
  const schema = schemaTable(builder, fields);
  const vectorOf = (kind: 'dictionary' | 'batch', start: typeof Footer.startDictionariesVector) => {
    const found = blocks.filter(each => each.kind === kind);
    start(builder, found.length);
    for (const { at } of found.toReversed()) Block.createBlock(builder, BigInt(at), 0, 0n);
    return builder.endVector();
  };
  const dictionaries = vectorOf('dictionary', Footer.startDictionariesVector);
  const batches = vectorOf('batch', Footer.startRecordBatchesVector);
  Footer.startFooter(builder);
  Footer.addVersion(builder, MetadataVersion.V5);
  Footer.addSchema(builder, schema);
  Footer.addDictionaries(builder, dictionaries);
  Footer.addRecordBatches(builder, batches);
  builder.finish(Footer.endFooter(builder));
  const footer = builder.asUint8Array();
  return joined(footer, little(footer.length, 4), MAGIC);
}

// ---- batches ----

interface Batch {
  nodes: { length: bigint; nulls: bigint }[];
  buffers: { at: bigint; length: bigint }[];
  variadic: bigint[];
  body: Bytes;
  compression: CompressionType | null;
}

function dictionaryOf(c: Choices, field: Field, most: number): Uint8Array {
  const entry = { ...field, dictionary: null };
  const { builder, data, body } = recordOf(c, [entry], c.count(100_000), most);
  DictionaryBatch.startDictionaryBatch(builder);
  DictionaryBatch.addId(builder, field.dictionary!);
  DictionaryBatch.addData(builder, data);
  DictionaryBatch.addIsDelta(builder, c.once(2));
  const header = DictionaryBatch.endDictionaryBatch(builder);
  return joined(messageOf(builder, MessageHeader.DictionaryBatch, header, BigInt(body.length)), body.whole());
}

function batchOf(c: Choices, fields: Field[], rows: number, most: number): Uint8Array {
  const { builder, data, body } = recordOf(c, fields, rows, most);
  return joined(messageOf(builder, MessageHeader.RecordBatch, data, BigInt(body.length)), body.whole());
}

function recordOf(c: Choices, fields: Field[], rows: number, most: number) {
  const compression = c.once(3) ? c.pick([CompressionType.ZSTD, CompressionType.LZ4_FRAME]) : null;
  const batch: Batch = { nodes: [], buffers: [], variadic: [], body: new Bytes(most), compression };
  for (const field of fields) fill(c, field, rows, batch);
  const builder = new Builder(1024);
  const { nodes, buffers, variadic, body } = batch;
  RecordBatch.startBuffersVector(builder, buffers.length);
  for (const { at, length } of buffers.toReversed()) BufferTable.createBuffer(builder, at, length);
  const buffersAt = builder.endVector();
  RecordBatch.startNodesVector(builder, nodes.length);
  for (const { length, nulls } of nodes.toReversed()) FieldNode.createFieldNode(builder, length, nulls);
  const nodesAt = builder.endVector();
  const variadicAt = RecordBatch.createVariadicBufferCountsVector(builder, variadic);
  const compressionAt =
    compression === null ? null : BodyCompression.createBodyCompression(builder, compression, 0);
  RecordBatch.startRecordBatch(builder);
  RecordBatch.addLength(builder, BigInt(c.once(24) ? c.edge() : rows));
  RecordBatch.addNodes(builder, nodesAt);
  RecordBatch.addBuffers(builder, buffersAt);
  RecordBatch.addVariadicBufferCounts(builder, variadicAt);
  if (compressionAt !== null) RecordBatch.addCompression(builder, compressionAt);
  return { builder, data: RecordBatch.endRecordBatch(builder), body };
}

/** Adds the nodes and buffers of a field with so many values. */
function fill(c: Choices, { kind, children, dictionary }: Field, count: number, batch: Batch): void {
  const nulls = c.once(3) ? c.pick([1n, BigInt(count), c.edge()]) : 0n;
  batch.nodes.push({ length: BigInt(c.once(32) ? c.edge() : count), nulls });
  if (dictionary !== null || kind.hasValidity)
    put(c, new Bytes(batch.body.most).add([c.pick([255, 0, 0x55])], Math.ceil(count / 8)), batch);
  if (dictionary !== null) {
    put(c, new Bytes(batch.body.most).add(little(c.pick([0, 1, 99_999, c.edge()]), 4), count), batch);
    return;
  }
  for (const [i, width] of kind.buffers.entries())
    put(c, valuesOf(c, kind, i, width, count, batch.body.most), batch);
  if (kind.type === Type.Utf8View) {
    const views = c.below(3);
    batch.variadic.push(BigInt(c.once(12) ? c.edge() : views));
    for (let i = 0; i < views; i++) put(c, new Bytes(batch.body.most).add('v', c.count(1_000_000)), batch);
  }
  const isFixed = kind.type === Type.Struct_ || kind.type === Type.Null;
  for (const child of children) fill(c, child, isFixed ? count : c.count(1_000_000), batch);
}

function valuesOf(c: Choices, kind: Kind, i: number, width: number, count: number, most: number): Bytes {
  const bytes = new Bytes(most);
  if (width === 0) return bytes.add(c.pick(['x', '0', '{"a":1}', '\u0000']), c.count(8_000_000));
  if (width < 1) return bytes.add([c.pick([0, 255])], Math.ceil(count / 8));
  const areOffsets = kind.buffers.length > 1 || kind.children === 1;
  if (!areOffsets)
    return bytes.add(c.once(6) ? little(c.edge(), width) : new Uint8Array(width).fill(c.pick([0, 1])), count);
  // Of texts and lists the same step each time; of views the same place and size.
  const step = c.pick([0, 1, 2, 100, 10_000, 1_000_000]);
  if (kind.type === Type.ListView || kind.type === Type.LargeListView)
    return bytes.add(little(i === 0 ? c.pick([0, 1]) : step, width), count);
  if (step === 0)
    return bytes.add(little(0, width), count).add(little(c.pick([0, 1, 1_000_000, c.edge()]), width));
  for (let at = 0; at <= Math.min(count, MAX_ROWS); at++) bytes.add(little(at * step, width));
  return bytes;
}

/** Adds a buffer to the batch's body, compressed where the batch is. */
function put(c: Choices, bytes: Bytes, { body, buffers, compression }: Batch): void {
  const at = body.length;
  if (compression === null || bytes.length === 0) body.append(bytes);
  else {
    const length = little(c.once(16) ? c.edge() : bytes.length, 8);
    body.add(
      joined(
        length,
        compression === CompressionType.ZSTD ? compressed(bytes.whole(), 'zstd') : lz4Frame(bytes),
      ),
    );
  }
  const length = BigInt(body.length - at);
  buffers.push({ at: c.once(48) ? c.edge() : BigInt(at), length: c.once(48) ? c.edge() : length });
  body.add(new Uint8Array(-body.length & 7));
}

function lz4Frame(bytes: Bytes): Uint8Array {
  const block = lz4Of(bytes);
  return joined(big(0x04224d18, 4), [0x60, 0x70, 0], little(block.length, 4), block, little(0, 4));
}
