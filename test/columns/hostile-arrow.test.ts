/** What an Arrow body of few bytes can make the program do: its metadata and its buffers may name the same bytes again and again. */
import { describe, expect, test } from 'bun:test';
import { Int32 } from 'apache-arrow';
import { Block } from 'apache-arrow/fb/block';
import { Buffer } from 'apache-arrow/fb/buffer';
import { DictionaryEncoding } from 'apache-arrow/fb/dictionary-encoding';
import { Field } from 'apache-arrow/fb/field';
import { FieldNode } from 'apache-arrow/fb/field-node';
import { Footer } from 'apache-arrow/fb/footer';
import { Int } from 'apache-arrow/fb/int';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { MetadataVersion } from 'apache-arrow/fb/metadata-version';
import { RecordBatch } from 'apache-arrow/fb/record-batch';
import { RunEndEncoded } from 'apache-arrow/fb/run-end-encoded';
import { Schema } from 'apache-arrow/fb/schema';
import { Type } from 'apache-arrow/fb/type';
import { Builder } from 'flatbuffers';
import { Format } from '../../assembly/abi.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import { joined } from './parquet-bytes.ts';
import { arrowOf } from './tables.ts';

const refusalOf = (bytes: Uint8Array, format: Format) =>
  screenBytes(ENGINE, bytes, { format }).refused?.reason;

/** `fields` columns of int32 that share one name. */
function schemaOf(builder: Builder, fields: number, name: string): number {
  const shared = builder.createString(name);
  const type = Int.createInt(builder, 32, true);
  const all = Array.from({ length: fields }, () => {
    Field.startField(builder);
    Field.addName(builder, shared);
    Field.addTypeType(builder, Type.Int);
    Field.addType(builder, type);
    return Field.endField(builder);
  });
  const vector = Schema.createFieldsVector(builder, all);
  Schema.startSchema(builder);
  Schema.addFields(builder, vector);
  return Schema.endSchema(builder);
}

function messageOf(builder: Builder, kind: MessageHeader, header: number): Uint8Array<ArrayBuffer> {
  Message.startMessage(builder);
  Message.addVersion(builder, MetadataVersion.V5);
  Message.addHeaderType(builder, kind);
  Message.addHeader(builder, header);
  Message.addBodyLength(builder, 0n);
  builder.finish(Message.endMessage(builder));
  const metadata = builder.asUint8Array();
  const padded = joined([metadata, new Uint8Array(-metadata.length & 7)]);
  return joined([new Uint8Array(new Uint32Array([0xffffffff, padded.length]).buffer), padded]);
}

test('names of 16,000,000 bytes are read, though fields share one, and no more', () => {
  const schema = (fields: number, length: number) => {
    const builder = new Builder();
    return messageOf(builder, MessageHeader.Schema, schemaOf(builder, fields, 'n'.repeat(length)));
  };
  expect(refusalOf(schema(2000, 1000), Format.ARROW)).not.toContain('too long');
  expect(refusalOf(schema(2000, 8001), Format.ARROW)).toBe('The names of the Arrow schema are too long');
});

describe('a footer that names the same batch again and again', () => {
  /** A file with one record batch without rows, whose metadata has `bytes`, and a footer that names it `times`. */
  function fileOf(bytes: number, times: number): Uint8Array {
    const one = new Builder();
    const padding = RecordBatch.createVariadicBufferCountsVector(one, Array(bytes / 8).fill(0n));
    RecordBatch.startNodesVector(one, 1);
    FieldNode.createFieldNode(one, 0n, 0n);
    const nodes = one.endVector();
    RecordBatch.startBuffersVector(one, 2);
    for (let i = 0; i < 2; i++) Buffer.createBuffer(one, 0n, 0n);
    const buffers = one.endVector();
    RecordBatch.startRecordBatch(one);
    RecordBatch.addNodes(one, nodes);
    RecordBatch.addBuffers(one, buffers);
    RecordBatch.addLength(one, 0n);
    RecordBatch.addVariadicBufferCounts(one, padding);
    const batch = messageOf(one, MessageHeader.RecordBatch, RecordBatch.endRecordBatch(one));
    const builder = new Builder();
    const schema = schemaOf(builder, 1, 'a');
    Footer.startRecordBatchesVector(builder, times);
    for (let i = 0; i < times; i++) Block.createBlock(builder, 8n, batch.length, 0n);
    const batches = builder.endVector();
    Footer.startFooter(builder);
    Footer.addSchema(builder, schema);
    Footer.addRecordBatches(builder, batches);
    builder.finish(Footer.endFooter(builder));
    const footer = builder.asUint8Array();
    const magic = new TextEncoder().encode('ARROW1');
    const length = new Uint8Array(new Uint32Array([footer.length]).buffer);
    return joined([magic, [0, 0], batch, footer, length, magic]);
  }

  test('is refused once it has had four times the bytes of a body read', () => {
    // The body may have 32 MiB.
    expect(refusalOf(fileOf(1_000_000, 100), Format.ARROW_FILE)).not.toContain('again and again');
    expect(refusalOf(fileOf(1_000_000, 140), Format.ARROW_FILE)).toContain('again and again');
  });
});

test('an Arrow file of one row is read', () => {
  const bytes = arrowOf({ a: { type: () => new Int32(), cells: [1] } }, true);
  expect(screenBytes(ENGINE, bytes, { format: Format.ARROW_FILE }).profile?.rows).toBe(1);
});

describe('a column whose rows are named twice is refused', () => {
  type Type32 = 'int32' | { ends: Column };
  interface Column {
    type: Type32;
    isDictionary?: boolean;
  }
  const INT: Column = { type: 'int32' };
  const runs = (ends: Column, isDictionary = false): Column => ({ type: { ends }, isDictionary });

  function fieldOf(builder: Builder, name: string, { type, isDictionary }: Column): number {
    const named = builder.createString(name);
    const children =
      type === 'int32' ? [] : [fieldOf(builder, 'run_ends', INT), fieldOf(builder, 'values', type.ends)];
    const vector = Field.createChildrenVector(builder, children);
    const detail =
      type === 'int32' ? Int.createInt(builder, 32, true) : RunEndEncoded.createRunEndEncoded(builder);
    DictionaryEncoding.startDictionaryEncoding(builder);
    const dictionary = DictionaryEncoding.endDictionaryEncoding(builder);
    Field.startField(builder);
    Field.addName(builder, named);
    Field.addTypeType(builder, type === 'int32' ? Type.Int : Type.RunEndEncoded);
    Field.addType(builder, detail);
    if (isDictionary) Field.addDictionary(builder, dictionary);
    Field.addChildren(builder, vector);
    return Field.endField(builder);
  }

  test.each([
    [
      'a dictionary of runs',
      runs(INT, true),
      'dictionary<values=run_end_encoded<run_ends: int32, values: int32>, indices=int32, ordered=0>',
    ],
    [
      'runs of a dictionary',
      runs({ type: 'int32', isDictionary: true }),
      'run_end_encoded<run_ends: int32, values: dictionary<values=int32, indices=int32, ordered=0>>',
    ],
    [
      'runs of runs',
      runs(runs(INT)),
      'run_end_encoded<run_ends: int32, values: run_end_encoded<run_ends: int32, values: int32>>',
    ],
  ])('%s', (_, column, type) => {
    const builder = new Builder();
    const fields = Schema.createFieldsVector(builder, [fieldOf(builder, 'a', column)]);
    Schema.startSchema(builder);
    Schema.addFields(builder, fields);
    const schema = messageOf(builder, MessageHeader.Schema, Schema.endSchema(builder));
    expect(refusalOf(schema, Format.ARROW)).toBe(`The column 'a' has the type ${type}, which is not read`);
  });
});
