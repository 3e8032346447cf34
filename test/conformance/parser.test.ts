/** Runs every case of the pack through the engine, whole and in pieces of 1, 2, 3 and 7 bytes. */
import { describe, expect, test } from 'bun:test';
import { Fault, Format, Kind } from '../../assembly/abi.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { cellsOf, textOf } from '../engine/cells.ts';
import { ENGINE, type Screened, screenBytes } from '../engine/screen-bytes.ts';
import { isSource } from '../oracle/answer.ts';
import { dominant } from './dominant.ts';
import { bitsOf, type Case, casesOf, type Expectation, packFiles } from './pack.ts';

const engine = ENGINE;
const ARRIVALS = [undefined, [1], [2], [3], [7]];

for (const file of packFiles())
  describe(`the engine on ${file}`, () => {
    for (const one of casesOf(file)) test(one.id, () => expectCase(one));
  });

function expectCase(one: Case): void {
  for (const pieces of ARRIVALS) {
    const format = one.kind === 'csv' ? Format.CSV : Format.JSON;
    const screened = screenBytes(engine, one.bytes, {
      format,
      delimiter: one.delimiter,
      ...(pieces && { pieces }),
    });
    const code = codeOf(screened, format);
    expect(code === undefined ? undefined : [code]).toEqual(one.expect.code);
    if (one.expect.line !== undefined) expect(screened.refused?.line).toBe(one.expect.line);
    if (code !== undefined || screened.refused) continue;
    expect(screened.profile.rows).toBe(one.expect.rows!);
    if (format === Format.CSV) expectTable(screened.profile, one.expect);
    else expectFields(screened, one.expect);
  }
}

/** The expected error code, as far as the body decides it. */
function codeOf(screened: Screened, format: Format): string | undefined {
  if (screened.refused) return codeOfFault(screened.refused.fault, format);
  if (!screened.envelope) return undefined;
  const { top, source, hasRows } = screened.envelope;
  if (top !== Kind.OBJECT || typeof source !== 'string' || !isSource(source)) return 'MISSING_SOURCE';
  return hasRows ? undefined : 'INVALID_ROWS';
}

function codeOfFault(fault: Fault, format: Format): string {
  if ([Fault.DEPTH, Fault.ROWS, Fault.FIELDS, Fault.CELLS, Fault.NAME].includes(fault))
    return 'PAYLOAD_TOO_LARGE';
  const ofJson = [Fault.SYNTAX, Fault.TRUNCATED, Fault.ENCODING].includes(fault);
  return ofJson && format === Format.JSON ? 'INVALID_JSON' : 'INVALID_ROWS';
}

function expectFields(screened: Screened, want: Expectation): void {
  const { fields } = screened.profile!;
  const schema =
    want.schema ?? (want.type ? [['v', { type: want.type, confidence: want.confidence! }]] : undefined);
  if (schema) expect(fields.map(({ name }) => name).sort()).toEqual(schema.map(([name]) => name).sort());
  for (const [name, { type, confidence }] of (schema ?? []) as NonNullable<Expectation['schema']>) {
    const got = dominant(fields.find(field => field.name === name)!.counts);
    expect(got.type).toBe(type);
    expect(Math.abs(got.confidence - confidence)).toBeLessThan(0.001);
  }
  const numbers = want.numbers ?? (want.number === undefined ? undefined : [want.number]);
  if (numbers) expect(cellsOf(engine, 0).map(cell => bitsOf(cell!.value as number))).toEqual(numbers);
}

/** The texts of strings are kept; numbers, booleans and nulls must be what their text says. */
function expectTable(
  { fields, ragged }: Profile,
  { table, fields: names, ragged: count }: Expectation,
): void {
  if (names) expect(fields.map(field => field.name)).toEqual(names);
  if (count !== undefined) expect(ragged.count).toBe(count);
  const [header, ...records] = table!;
  const columns = fields.map(field => cellsOf(engine, field.column));
  const got = records.map((record, row) => columns.map((cells, i) => textOf(cells[row], record[i])));
  expect(got).toEqual(records.map(record => header!.map((_, i) => record[i])));
}
