/** The oracle answers every case of the conformance pack, so the engine can be compared with it. */
import { describe, expect, test } from 'bun:test';
import { dominant } from '../conformance/dominant.ts';
import { bitsOf, type Case, casesOf, packFiles } from '../conformance/pack.ts';
import { answerCsv, answerJson } from './answer.ts';
import { type Batch, Refused } from './batch.ts';
import { Scanner } from './csv.ts';
import { profileOf } from './profile.ts';

for (const file of packFiles())
  describe(`the oracle on ${file}`, () => {
    for (const one of casesOf(file))
      test(one.id, () => (one.kind === 'json' ? expectJson(one) : expectCsv(one)));
  });

function expectJson({ bytes, expect: want }: Case): void {
  const answer = answerJson(bytes);
  expect(typeof answer === 'string' ? [answer] : undefined).toEqual(want.code);
  if (typeof answer === 'string') return;
  const batch = answer.batch!;
  expectSchema(batch, want);
  if (want.source !== undefined) expect(answer.source?.text).toBe(want.source);
  const numbers = want.numbers ?? (want.number === undefined ? undefined : [want.number]);
  if (numbers) expect(batch.rows.map(row => bitsOf(row.get('v')!.number))).toEqual(numbers);
}

function expectSchema(batch: Batch, want: Case['expect']): void {
  expect(batch.rows.length).toBe(want.rows!);
  const { fields } = profileOf(batch);
  const schema = want.schema ?? (want.type && [['v', { type: want.type, confidence: want.confidence! }]]);
  if (!schema) return;
  expect(new Set(fields.keys())).toEqual(new Set(schema.map(([name]) => name) as string[]));
  for (const [name, field] of schema as NonNullable<Case['expect']['schema']>) {
    const { type, confidence } = dominant(fields.get(name)!.counts);
    expect(type).toBe(field.type);
    expect(confidence).toBeCloseTo(field.confidence, 3);
  }
}

function expectCsv({ bytes, delimiter, expect: want }: Case): void {
  const answer = answerCsv(bytes, delimiter);
  expect(typeof answer === 'string' ? [answer] : undefined).toEqual(want.code);
  if (want.table !== undefined) expect(tableOf(bytes, delimiter)).toEqual(want.table ?? want.line!);
  if (typeof answer === 'string') return;
  expect(answer.rows.length).toBe(want.rows!);
  if (want.ragged !== undefined) expect(answer.ragged.count).toBe(want.ragged);
  if (want.fields) expect(answer.names).toEqual(want.fields);
}

/** The cells of a text, or the line where its quoting breaks. */
function tableOf(bytes: Uint8Array, delimiter: string): string[][] | number {
  try {
    const records = new Scanner(new TextDecoder().decode(bytes), delimiter).records();
    return records.map(record => record.cells.map(cell => cell.text));
  } catch (error) {
    if (error instanceof Refused && error.where.line !== undefined) return error.where.line;
    throw error;
  }
}
