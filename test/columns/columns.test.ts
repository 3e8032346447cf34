import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import '../property/seed.ts';
import { Utf8 } from 'apache-arrow';
import fc from 'fast-check';
import { Column, Fault, Format } from '../../assembly/abi.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { ENGINE, newEngine, type Screened, screenBytes } from '../engine/screen-bytes.ts';
import { arrivals, damages, withDamages } from '../property/pieces.ts';
import { arrowOf, jsonOf, randomTable } from './tables.ts';

const FILES = join(import.meta.dir, 'files');
const fileOf = (name: string) => Bun.file(join(FILES, name)).bytes();

const ARROW = { format: Format.ARROW };

/** Without what the body's bytes say. */
function measured({ profile }: Screened): Omit<Profile, 'fields'> & { fields: object[] } {
  const { fields, ...rest } = profile!;
  return { ...rest, fields: fields.map(({ physicalType: _, ...field }) => field) };
}

describe('an Arrow body', () => {
  test('has the profile of the same table as JSON', () => {
    fc.assert(
      fc.property(randomTable(40), fc.boolean(), (table, isFile) => {
        const format = isFile ? Format.ARROW_FILE : Format.ARROW;
        const arrow = screenBytes(ENGINE, arrowOf(table, isFile), { format });
        expect(arrow.refused).toBeUndefined();
        expect(measured(arrow)).toEqual(measured(screenBytes(ENGINE, jsonOf(table))));
      }),
      { numRuns: 100 },
    );
  });

  test('of thousands of rows has the profile of the same table as JSON, sampled too', () => {
    fc.assert(
      fc.property(randomTable(60), fc.constantFrom(100, 10_000), (table, sampleRows) => {
        const long = Object.fromEntries(
          Object.entries(table).map(([name, { type, cells }]) => [
            name,
            { type, cells: Array.from({ length: 3000 }, (_, i) => cells[(i * i + 7 * i) % cells.length]!) },
          ]),
        );
        expect(measured(screenBytes(ENGINE, arrowOf(long), { ...ARROW, sampleRows }))).toEqual(
          measured(screenBytes(ENGINE, jsonOf(long), { sampleRows })),
        );
      }),
      { numRuns: 10 },
    );
  });

  test('has the same profile for any chunks', () => {
    fc.assert(
      fc.property(randomTable(20), arrivals, (table, way) => {
        const bytes = arrowOf(table);
        expect(screenBytes(ENGINE, bytes, { ...way, ...ARROW })).toEqual(screenBytes(ENGINE, bytes, ARROW));
      }),
      { numRuns: 30 },
    );
  });
});

test('a text with escapes in JSON has the same hash as in Arrow', () => {
  const table = { t: { type: () => new Utf8(), cells: ['say "yes"', 'a\\b', 'tab\t', 'é\n', '\u0000'] } };
  const hashes = ({ profile }: Screened) => profile!.fields[0]!.measured.listed;
  expect(hashes(screenBytes(ENGINE, arrowOf(table), ARROW))).toEqual(
    hashes(screenBytes(ENGINE, jsonOf(table))),
  );
});

const VALUES = {
  i8: [1, null, -3],
  u64: [2 ** 64, 0, null],
  i64: [2 ** 53, -5, null],
  f16: [1.5, null, -0.25],
  f32: [0.10000000149011612, null, Number.POSITIVE_INFINITY],
  f64: [0.1, null, null],
  dec: [1.1, null, -1.2345678901234569e23],
  dec256: [1.1, null, -0.05],
  b: [true, null, false],
  s: ['a', '', null],
  ls: ['é', '', null],
  sv: ['short', 'a string that is longer than twelve', null],
  bin: ['AAE=', '', null],
  fsb: ['YWI=', 'Y2Q=', null],
  dict: ['x', 'y', null],
  d32: ['2024-02-29', null, '0001-01-01'],
  d64: ['2024-02-29', null, '1960-01-01'],
  t32: ['01:02:03', null, '23:59:59'],
  t64: ['01:02:03.000004', null, '23:59:59'],
  ts: ['2024-02-29T01:02:03Z', null, '1969-12-31T23:59:59.999999Z'],
  tsz: ['2024-02-29T01:02:03Z', null, '1969-12-31T23:59:59.999999Z'],
  null: [null, null, null],
  list: [[1, null], [], null],
  struct: [{ a: 1, b: 'x"y' }, { a: null, b: null }, null],
  map: [{ k: 1 }, {}, null],
  lst: [['2024-01-01T00:00:00Z'], [null], null],
  fsl: [[1, 2], [3, 4], null],
  dur: [1000, null, null],
  lv: [[1], [2, 3], null],
  ree: ['p', 'p', 'q'],
};

describe('the values of every type', () => {
  test.each([
    ['all.arrows', Format.ARROW],
    ['lz4.arrows', Format.ARROW],
    ['zstd.arrows', Format.ARROW],
    ['all.feather', Format.ARROW_FILE],
    ['all.parquet', Format.PARQUET],
  ])('%s', async (name, format) => {
    const engine = newEngine();
    const { profile } = screenBytes(engine, await fileOf(name), { format });
    expect(profile?.rows).toBe(3);
    const values = Object.fromEntries(
      profile!.fields.map((field, i) => [field.name, engine.cells(i).map(cell => cell.value)]),
    );
    expect(values).toEqual(Object.fromEntries(Object.entries(VALUES).filter(([key]) => key in values)));
    expect(Object.keys(values).length).toBeGreaterThan(22);
  });
});

const FORMATS: Record<string, Format> = {
  arrows: Format.ARROW,
  feather: Format.ARROW_FILE,
  parquet: Format.PARQUET,
};

describe('a damaged columnar body', () => {
  test.each(['all.arrows', 'lz4.arrows', 'zstd.arrows', 'all.feather', 'all.parquet'])(
    '%s is read or refused, and the engine goes on',
    async name => {
      const format = FORMATS[name.split('.')[1]!]!;
      const bytes = await fileOf(name);
      const engine = newEngine();
      fc.assert(
        fc.property(damages, marks => {
          const { refused, profile } = screenBytes(engine, withDamages(bytes, marks), { format });
          if (refused) expect(refused.fault === Fault.COLUMNS).toBe(refused.reason !== '');
          else expect(profile.rows).toBeLessThanOrEqual(10_000);
        }),
        { numRuns: 300 },
      );
      expect(screenBytes(engine, bytes, { format }).profile?.rows).toBe(3);
    },
  );

  test('whose schema has one wrong bit is read or refused', async () => {
    const bytes = await fileOf('all.arrows');
    const schemaEnd = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
    // Lengths, types and offsets are small numbers.
    for (let at = 0; at < schemaEnd; at++)
      for (const bit of [1, 2, 4]) {
        const flipped = bytes.slice();
        flipped[at]! ^= bit;
        const { refused } = screenBytes(ENGINE, flipped, ARROW);
        if (refused) expect(refused.fault === Fault.COLUMNS).toBe(refused.reason !== '');
      }
  }, 240_000);

  test('that is cut is refused at any length', async () => {
    const [stream, file] = [await fileOf('all.arrows'), await fileOf('all.feather')];
    // The end of a stream may be left out, but not a part of a message.
    for (let length = 1; length < file.length; length += 37) {
      expect(
        screenBytes(ENGINE, file.subarray(0, length), { format: Format.ARROW_FILE }).refused?.fault,
      ).toBe(Fault.COLUMNS);
    }
    const { refused } = screenBytes(ENGINE, stream.subarray(0, stream.length - 100), ARROW);
    expect(refused?.reason).toStartWith(
      'The Arrow stream is cut: it ends inside the message that begins at byte',
    );
  });

  test('whose first message is no message is refused for that', () => {
    const { refused } = screenBytes(ENGINE, new TextEncoder().encode('id,amount\n1,2\n'), ARROW);
    expect(refused?.reason).toBe('The body is not an Arrow stream: it does not begin with a message');
  });
});

test('the end of a text sorts the same in every format', async () => {
  const rising = (texts: string[], format: Format) => {
    const table = { t: { type: () => new Utf8(), cells: texts } };
    const csv = new TextEncoder().encode(`t\n${texts.join('\n')}\n`);
    const bytes = format === Format.ARROW ? arrowOf(table) : format === Format.CSV ? csv : jsonOf(table);
    return screenBytes(ENGINE, bytes, { format }).profile!.fields[0]!.measured.record[Column.ADJACENT_RISING];
  };
  const texts = ['ab', 'abc', 'ab', 'b', 'ba', 'b c', 'a'];
  for (const format of [Format.JSON, Format.CSV, Format.ARROW]) expect(rising(texts, format)).toBe(3);
});
