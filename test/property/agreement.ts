/** Defines when the engine agrees with the oracle. Only sums and interpolations may differ, by rounding. */
import { expect } from 'bun:test';
import { Fault, Format } from '../../assembly/abi.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { FieldProfile, NumericMeasures, Profile } from '../../src/profile/profile.ts';
import { cellsOf, expectedCells } from '../engine/cells.ts';
import { screenBytes, type Way } from '../engine/screen-bytes.ts';
import { type Batch, Refused } from '../oracle/batch.ts';
import { readCsv } from '../oracle/csv.ts';
import { type JsonReading, readJson } from '../oracle/json.ts';
import { type PlainField, type PlainNumbers, profileOf } from '../oracle/profile.ts';

/** Faults for which the oracle knows the exact byte. */
const PLACED = [
  'SYNTAX',
  'TRUNCATED',
  'ENCODING',
  'DEPTH',
  'ROWS_NOT_ARRAY',
  'ROWS_EMPTY',
  'ROW_NOT_OBJECT',
  'NAME',
];

/** The engine and the oracle agree about a JSON body: refusal and place, or envelope, cells and profile. */
export function expectSameJson(engine: Engine, bytes: Uint8Array, way: Way = {}): void {
  const want = orRefused(() => readJson(bytes));
  const got = screenBytes(engine, bytes, way);
  if (want instanceof Refused) {
    const { fault, where } = want;
    const offset = PLACED.includes(fault) ? where.offset : undefined;
    expect(
      got.refused && {
        fault: Fault[got.refused.fault],
        ...(offset !== undefined && { offset: got.refused.offset }),
      },
    ) //
      .toEqual({ fault, ...(offset !== undefined && { offset }) });
    return;
  }
  if (got.refused) throw new Error(`refused: ${JSON.stringify(got.refused)}`);
  expectSameEnvelope(got.envelope!, want);
  if (want.batch) expectSameBatch(engine, got.profile, want.batch);
}

function expectSameEnvelope(got: ReturnType<Engine['envelope']>, want: JsonReading): void {
  expect(got.hasRows).toBe(want.batch !== undefined);
  for (const key of ['source', 'options'] as const) {
    const cell = want[key];
    expect(got[key]).toEqual(cell?.type === 'string' ? cell.text : cell && JSON.parse(cell.text));
  }
}

/** The same for a CSV body. */
export function expectSameCsv(engine: Engine, bytes: Uint8Array, delimiter: string, way: Way = {}): void {
  const want = orRefused(() => readCsv(bytes, delimiter));
  const got = screenBytes(engine, bytes, { ...way, format: Format.CSV, delimiter });
  if (want instanceof Refused) {
    const { column } = want.where;
    const line = ['TEXT_AFTER_QUOTE', 'QUOTE_OPEN'].includes(want.fault) ? want.where.line : undefined;
    expect(
      got.refused && {
        fault: Fault[got.refused.fault],
        ...(line !== undefined && { line: got.refused.line }),
        ...(column !== undefined && { column: got.refused.column }),
      },
    ) //
      .toEqual({
        fault: want.fault,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
      });
    return;
  }
  if (got.refused) throw new Error(`refused: ${JSON.stringify(got.refused)}`);
  expectSameBatch(engine, got.profile, want);
}

function orRefused<T>(read: () => T): T | Refused {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

/** @param analysed indexes of the rows that the engine measured; by default all of them. */
export function expectSameBatch(engine: Engine, got: Profile, batch: Batch, analysed?: number[]): void {
  const want = profileOf(batch, analysed);
  expect(got.rows).toBe(want.rows);
  expect(got.analysedRows).toBe(want.analysedRows);
  expect([...got.repeatedNames].sort()).toEqual(want.repeatedNames);
  expect(got.duplicateRows).toBe(want.duplicateRows);
  expect(got.ragged.count).toBe(want.ragged.count);
  expect(got.endsEarly).toBe(want.endsEarly);
  if (want.ragged.count > 0) expect(got.ragged.firstLine).toBe(want.ragged.firstLine);
  expect(got.fields.map(field => field.name)).toEqual([...want.fields.keys()]);
  for (const field of got.fields) {
    expectSameField(field, want.fields.get(field.name)!);
    expect(cellsOf(engine, field.column)).toEqual(expectedCells(batch, field.name));
  }
}

function expectSameField(got: FieldProfile, want: PlainField): void {
  const { measured } = got;
  const listed = measured.listed?.map(text => text.count).sort((a, b) => b - a);
  expect({
    present: got.present,
    nulls: got.nulls,
    counts: got.counts,
    empties: got.empties,
    values: measured.values,
    distinct: measured.distinct,
    texts: measured.texts,
    distinctTexts: measured.distinctTexts,
    // Without texts, an empty list and no list mean the same.
    listed: listed ?? (want.texts === 0 ? [] : null),
    numbers: measured.numeric?.count ?? 0,
  }).toEqual({
    present: want.present,
    nulls: want.nulls,
    counts: want.counts,
    empties: want.empties,
    values: want.values,
    distinct: want.distinct,
    texts: want.texts,
    distinctTexts: want.distinctTexts,
    listed: want.listed,
    numbers: want.numeric?.count ?? 0,
  });
  if (want.numeric) expectSameNumbers(measured.numeric!, want.numeric);
}

/** Tolerance for rounding of sums and interpolation; subnormal numbers have no relative precision. */
const close = (got: number, want: number, scale: number): boolean =>
  got === want || Math.abs(got - want) <= 1e-11 * scale + 1e-320;

function expectSameNumbers(got: NumericMeasures, want: PlainNumbers): void {
  const off = want.quantiles.findIndex((q, i) => !close(got.quantiles[i]!, q, want.scales[i]!));
  if (off >= 0) throw new Error(`quantile ${off}/32 is ${got.quantiles[off]}, not ${want.quantiles[off]}`);
  if (want.outliers) expect(got.outliers).toEqual(want.outliers);
  const largest = Math.max(...want.scales);
  if (!close(got.mean, want.mean, largest)) throw new Error(`mean is ${got.mean}, not ${want.mean}`);
  const squares = want.m2 + want.count * largest ** 2 * 1e-4;
  if (Number.isFinite(squares) && !close(got.m2, want.m2, squares))
    throw new Error(`m2 is ${got.m2}, not ${want.m2}`);
}
