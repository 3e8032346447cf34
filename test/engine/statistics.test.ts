/** Traits of columns against slow and obvious counting. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { BUCKETS, Column, Format, MAX_ENUM, MAX_INSPECTED, PACK, REGISTERS } from '../../assembly/abi.ts';
import type { FieldProfile } from '../../src/profile/profile.ts';
import { ENGINE, screenBytes } from './screen-bytes.ts';

const engine = ENGINE;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function fieldOf(body: string, way: Parameters<typeof screenBytes>[2] = {}): FieldProfile {
  const screened = screenBytes(engine, bytesOf(body), way);
  if (screened.refused) throw new Error(JSON.stringify(screened.refused));
  return screened.profile.fields[0]!;
}

const bodyOf = (values: readonly unknown[]): string =>
  JSON.stringify({ source: 's', rows: values.map(a => ({ a })) });
const traitsOf = (values: readonly unknown[], sampleRows?: number): Float64Array =>
  fieldOf(bodyOf(values), sampleRows ? { sampleRows } : {}).measured.record;

const mostOf = (keys: readonly unknown[]): number =>
  Math.max(
    0,
    ...Map.groupBy(keys, key => key)
      .values()
      .map(same => same.length),
  );

const SPACES = new Set([9, 10, 11, 12, 13, 32]);
const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57;
const isUpper = (byte: number): boolean => byte >= 65 && byte <= 90;
const isLetter = (byte: number): boolean => byte >= 128 || (byte >= 97 && byte <= 122);
const kindOf = (byte: number): string =>
  isDigit(byte) ? '0' : isUpper(byte) ? 'A' : SPACES.has(byte) ? ' ' : isLetter(byte) ? 'a' : '?';

/** The dot-atoms of RFC 5322 around an @, and a dot in the domain, which has letters, digits and hyphens. */
const EMAIL =
  /^[^\s\p{Cc}"(),.:;<>@[\\\]]+(\.[^\s\p{Cc}"(),.:;<>@[\\\]]+)*@[a-zA-Z0-9\u0080-\u{10ffff}-]+(\.[a-zA-Z0-9\u0080-\u{10ffff}-]+)+$/u;

const areManyAndDifferent = (texts: readonly string[]): boolean =>
  texts.length > MAX_ENUM && new Set(texts).size === texts.length;
const MISSING = new Set(
  '- -- ? na n/a n.a. #n/a nan nil none null (null) <null> <na> missing \\n'.split(' '),
);

/** Of texts of at most 64 bytes. */
function plainTexts(texts: readonly string[]): Record<string, number> {
  const bytes = texts.map(text => [...Buffer.from(text)]);
  const having = (is: (byte: number) => boolean): number => bytes.filter(each => each.some(is)).length;
  const among = (is: (byte: number) => boolean): number => bytes.flat().filter(is).length;
  const lengths = texts.map(text => [...text].length);
  const shapes = bytes.map(each => each.map(kindOf).join(''));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / texts.length;
  return {
    INSPECTED_TEXTS: texts.length,
    PADDED: bytes.filter(each => SPACES.has(each[0]!) || SPACES.has(each.at(-1)!)).length,
    WITH_DIGIT: having(isDigit),
    WITH_UPPER: having(isUpper),
    WITH_SPACE: having(byte => SPACES.has(byte)),
    WITH_NON_ASCII: having(byte => byte >= 128),
    FORMATS: new Set(shapes).size,
    TOP_FORMAT: mostOf(shapes),
    EMAILS: texts.filter(text => EMAIL.test(text)).length,
    CAPITALS: texts.filter(text => /[A-Z].*[A-Z]/s.test(text) && !/[a-z\u0080-\u{10ffff}]/u.test(text))
      .length,
    MISSING_TEXTS: areManyAndDifferent(texts)
      ? 0
      : texts.filter(text => MISSING.has(text.toLowerCase())).length,
    CHARACTERS: lengths.reduce((sum, length) => sum + length, 0),
    DIGITS: among(isDigit),
    UPPERS: among(isUpper),
    SPACES: among(byte => SPACES.has(byte)),
    LENGTH_MEAN: mean,
    LENGTH_M2: lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0),
  };
}

const named = (traits: Float64Array, names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map(name => [name, traits[Column[name as keyof typeof Column]]!]));

function expectSame(got: Record<string, number>, want: Record<string, number>): void {
  for (const [name, value] of Object.entries(want))
    expect([name, got[name]!]).toEqual([name, expect.closeTo(value, 6)]);
}

const isNearlyWhole = (x: number): boolean => Math.abs(x - Math.round(x)) <= Math.abs(x) * 1e-15;
/** Whether a number of so many parts of 1 is whole: of tenths, or of hundredths. */
const isMultiple =
  (parts: number) =>
  (value: number): boolean =>
    Number.isInteger(value) || isNearlyWhole(value * parts);

/** The counts of a mix. */
const mixOf = (traits: Float64Array, first: Column): number[] =>
  [...traits.subarray(first, first + BUCKETS / 2)].flatMap(two => [two % PACK, Math.floor(two / PACK)]);

/** At most 60 bytes, many of them alike, with what JSON and CSV must escape. */
const anyText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'paid',
    'PAID',
    'N/A',
    '<Null>',
    '[na]',
    'Paid ',
    ' sent',
    '2026-11-21',
    '2025-01-02',
    'tab\t',
    'say "no"',
    '"',
    '\\n\n',
  ),
  fc.string({ unit: fc.constantFrom(...'aZ9 "\\\n_é中😀\u0085'), maxLength: 15 }),
  fc.string({ unit: fc.constantFrom(...'abXY01 .'), minLength: 14, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'aZ0@@..-_+:é'), maxLength: 20 }),
  fc.constantFrom(
    'ann@example.com',
    'o.hara+tag@mail.example.co.uk',
    'josé@beispiel.de',
    'ann@example',
    '@b.c',
    'a@b.',
  ),
);

/** Quotes do not keep a number from being one. */
const isTextInCsv = (text: string): boolean => text === '' || !Number.isFinite(Number(text.trim()));

describe('traits', () => {
  test('of texts are what their characters say, however JSON writes them', () => {
    const escaped = (text: string): string =>
      [...Array(text.length)]
        .map((_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`)
        .join('');
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 80 }), fc.boolean(), (texts, all) => {
        const cells = texts.map((text, i) =>
          all || i % 3 === 0 ? `"${escaped(text)}"` : JSON.stringify(text),
        );
        const body = `{"source":"s","rows":[${cells.map(cell => `{"a":${cell}}`).join()}]}`;
        const want = plainTexts(texts);
        expectSame(named(fieldOf(body).measured.record, Object.keys(want)), want);
      }),
    );
  });

  test('of texts are the same in CSV with quotes that are doubled', () => {
    fc.assert(
      fc.property(fc.array(anyText.filter(isTextInCsv), { minLength: 1, maxLength: 80 }), texts => {
        const body = ['a', 'text', ...texts.map(text => `"${text.replaceAll('"', '""')}"`)].join('\r\n');
        const want = plainTexts(['text', ...texts]);
        const got = fieldOf(body, { format: Format.CSV }).measured.record;
        expectSame(named(got, Object.keys(want)), want);
      }),
    );
  });

  test('of numbers and of mixed values are counts', () => {
    const anyValue = fc.oneof(
      fc.constantFrom(null, true, false, 0, -0, 1, -3, 2.5, -1e300, 'x', '', 'y'),
      fc.integer({ min: -3, max: 3 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1, maxLength: 120 }), values => {
        const there = values.filter(value => value !== null);
        const numbers = there.filter(value => typeof value === 'number');
        const keys = there.map(value => `${typeof value} ${value}`);
        expectSame(named(traitsOf(values), [...Object.keys(Column)]), {
          INSPECTED: there.length,
          TOP_SHARE: there.length === 0 ? 0 : mostOf(keys) / there.length,
          INSPECTED_NUMBERS: numbers.length,
          INTEGERS: numbers.filter(Number.isInteger).length,
          ZEROS: numbers.filter(value => value === 0).length,
          NEGATIVES: numbers.filter(value => value < 0).length,
          MULTIPLES_OF_10: numbers.filter(
            value => Number.isInteger(value) && Math.floor(value * 0.1) === value * 0.1,
          ).length,
          ONE_DECIMAL: numbers.filter(value => isMultiple(100)(value) && isMultiple(10)(value)).length,
          TWO_DECIMALS: numbers.filter(isMultiple(100)).length,
          TRUES: there.filter(value => value === true).length,
        });
      }),
    );
  });

  test('of a long column are those of some of its cells', () => {
    const traits = traitsOf(Array.from({ length: 5000 }, (_, i) => (i % 2 ? `a${i}` : ` b${i}`)));
    expect(traits[Column.INSPECTED]).toBe(MAX_INSPECTED);
    expect(traits[Column.PADDED]).toBe(MAX_INSPECTED / 2);
    expect(traits[Column.TOP_SHARE]).toBe(1 / 5000);
    expect(traits[Column.WITH_DIGIT]).toBe(MAX_INSPECTED);
  });

  test('the length of a text goes on behind the part that is looked at', () => {
    const texts = ['x'.repeat(1000), `${'y'.repeat(99)} `];
    const traits = traitsOf(texts);
    expect(traits[Column.LENGTH_MEAN]).toBe(550);
    expect(traits[Column.CHARACTERS]).toBe(128);
    expect(traits[Column.PADDED]).toBe(1);
  });
});

describe('neighbours', () => {
  const anyCell = fc.oneof(
    fc.constantFrom(null, true, 'a', 'b', 'ba', 'B', 'caterpillar 1', 'caterpillar 2', ''),
    fc.integer({ min: -2, max: 3 }),
  );

  test('are compared by value, and by order where both are numbers or texts', () => {
    fc.assert(
      fc.property(fc.array(anyCell, { minLength: 1, maxLength: 120 }), values => {
        const pairs = values.slice(1).map((value, i) => [values[i], value] as const);
        const there = pairs.filter(([a, b]) => a !== null && b !== null);
        const rising = there.filter(
          ([a, b]) => typeof a === typeof b && typeof a !== 'boolean' && a !== '' && b !== '' && a! < b!,
        );
        expectSame(named(traitsOf(values), ['ADJACENT', 'ADJACENT_EQUAL', 'ADJACENT_RISING']), {
          ADJACENT: there.length,
          ADJACENT_EQUAL: there.filter(([a, b]) => a === b).length,
          ADJACENT_RISING: rising.length,
        });
      }),
    );
  });

  test('of a long sorted column all rise', () => {
    const traits = traitsOf(Array.from({ length: 5000 }, (_, i) => i));
    expect(traits[Column.ADJACENT]).toBeGreaterThan(MAX_INSPECTED * 0.9);
    expect(traits[Column.ADJACENT_RISING]).toBe(traits[Column.ADJACENT]!);
  });
});

describe('a column beside the one before', () => {
  const besides = (rows: readonly Record<string, unknown>[], sampleRows?: number): Float64Array => {
    const body = bytesOf(JSON.stringify({ source: 's', rows }));
    const { profile } = screenBytes(engine, body, sampleRows ? { sampleRows } : {});
    return profile!.fields[1]!.measured.record;
  };
  const anyCell = fc.constantFrom(null, 1, 2, 3, 'x', 'y');

  test('has as many pairs of values as there are, and agrees where both rise or both fall', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ a: anyCell, b: anyCell }), { minLength: 1, maxLength: 100 }), rows => {
        const paired = rows.filter(({ a, b }) => a !== null && b !== null);
        const steps = rows.slice(1).map((row, i) => {
          const step = (name: 'a' | 'b') =>
            Number(typeof row[name] === 'number' ? row[name] : Number.NaN) -
            Number(typeof rows[i]![name] === 'number' ? rows[i]![name] : Number.NaN);
          return step('a') * step('b');
        });
        expectSame(named(besides(rows), ['PAIRED', 'PAIRS', 'COMPARED', 'AGREEING']), {
          PAIRED: paired.length,
          PAIRS: new Set(paired.map(({ a, b }) => JSON.stringify([a, b]))).size,
          COMPARED: steps.filter(step => step > 0 || step < 0).length,
          AGREEING: steps.filter(step => step > 0).length,
        });
      }),
    );
  });

  test('is known by the name of that one, and has none where rows lack it', () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({ a: i, b: i }));
    const renamed = rows.map(({ a, b }) => ({ c: a, b }));
    expect(besides(rows)[Column.NEIGHBOUR]).toBeGreaterThan(0);
    expect(besides(rows)[Column.NEIGHBOUR]).toBe(besides(rows.slice(3))[Column.NEIGHBOUR]!);
    expect(besides(renamed)[Column.NEIGHBOUR]).not.toBe(besides(rows)[Column.NEIGHBOUR]);
    expect(besides([...rows, { b: 1 }])[Column.NEIGHBOUR]).toBe(0);
  });

  test('of more rows than are looked at is compared row by row all the same', () => {
    const rows = Array.from({ length: 5000 }, (_, i) => ({ a: i % 7, b: (i % 7) * 2 }));
    for (const traits of [besides(rows), besides(rows, 1000)]) {
      expect([traits[Column.PAIRED], traits[Column.PAIRS]]).toEqual([MAX_INSPECTED, 7]);
      expect(traits[Column.AGREEING]).toBe(traits[Column.COMPARED]!);
    }
  });
});

describe('a mix', () => {
  const values = Array.from({ length: 100 }, (_, i) => `value ${i % 5}`);

  test('counts every cell once, and is the same in any order', () => {
    const mix = mixOf(traitsOf(values), Column.FIRST_VALUE_BUCKET);
    expect(mix.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(mixOf(traitsOf(values.toReversed()), Column.FIRST_VALUE_BUCKET)).toEqual(mix);
    expect(
      mixOf(traitsOf(values.map(each => each.replace('0', '3'))), Column.FIRST_VALUE_BUCKET),
    ).not.toEqual(mix);
  });

  test('of shapes and of forms is another where a date is written in another way', () => {
    const iso = traitsOf(Array(100).fill('2026-11-21'));
    const other = traitsOf(Array(100).fill('21.11.2026'));
    expect(mixOf(iso, Column.FIRST_FORMAT_BUCKET)).not.toEqual(mixOf(other, Column.FIRST_FORMAT_BUCKET));
    expect(mixOf(iso, Column.FIRST_TRANSITION_BUCKET)).not.toEqual(
      mixOf(other, Column.FIRST_TRANSITION_BUCKET),
    );
  });

  test('of forms is one for names of whatever length, and another for a slip', () => {
    const names = ['Ada Weiss', 'Hildegard Haddad', 'Bo Li'];
    const mix = (texts: readonly string[]) => mixOf(traitsOf(texts), Column.FIRST_TRANSITION_BUCKET);
    expect(Math.max(...mix(names))).toBe(3);
    for (const slip of ['Hil4degard Haddad', 'hildegard haddad', 'Hildegard  Haddad#', 'HILDEGARD Haddad'])
      expect(mix([slip])).not.toEqual(mix(names.slice(0, 1)));
  });
});

describe('the content', () => {
  const contentOf = (values: readonly unknown[], sampleRows?: number): number =>
    traitsOf(values, sampleRows)[Column.CONTENT]!;
  const anyValue = fc.oneof(
    fc.constantFrom(null, true, false, 'x', '', 'y', 4, 5, 6, 7),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
  );
  const anyColumn = fc.oneof(
    fc.array(anyValue, { minLength: 1, maxLength: 60 }),
    fc.array(fc.integer(), { minLength: 1, maxLength: 60 }),
    fc.array(fc.string(), { minLength: 1, maxLength: 60 }),
  );

  test('does not depend on the order of the rows, on how many are measured, or on nulls', () => {
    fc.assert(
      fc.property(anyColumn, fc.nat(59), (values, at) => {
        const turned = [...values.slice(at), null, ...values.slice(0, at).reverse()];
        expect(contentOf(turned)).toBe(contentOf(values));
        expect(contentOf(turned, 5)).toBe(contentOf(values));
      }),
    );
  });

  test('is another where one value is another', () => {
    fc.assert(
      fc.property(anyColumn, fc.nat(59), anyValue, (column, at, value) => {
        const values: readonly unknown[] = column;
        const index = at % values.length;
        fc.pre(value !== null && !Object.is(value, -0) && value !== values[index]);
        expect(contentOf(values.with(index, value))).not.toBe(contentOf(values));
      }),
    );
    expect(contentOf([4, 7])).not.toBe(contentOf([5, 6]));
    expect(contentOf([3, 5])).not.toBe(contentOf([4, 4]));
  });

  test('has all digits of long integers, whichever rows are measured', () => {
    const small: readonly unknown[] = [...Array(200).keys()];
    const withLong = (column: readonly unknown[], digits: string, sampleRows: number): number => {
      const body = bodyOf(column).replace('"long"', digits);
      return fieldOf(body, { sampleRows }).measured.record[Column.CONTENT]!;
    };
    const [first, last] = [
      ['long', ...small],
      [...small, 'long'],
    ];
    const content = withLong(last!, '1152921504606846977', 201);
    for (const column of [first!, last!]) {
      expect(withLong(column, '1152921504606846977', 5)).toBe(content);
      expect(withLong(column, '1152921504606846978', 5)).not.toBe(content);
    }
  });

  test('tells 2,000 columns of like numbers apart', () => {
    const contents = new Set(
      Array.from({ length: 2000 }, (_, i) => contentOf([i % 40, Math.floor(i / 40), 7])),
    );
    // Of 2,000 different multisets of 24 bits about 0.1 pair agrees by chance; [a, b] and [b, a] are one.
    expect(contents.size).toBeGreaterThan(1990 - (40 * 39) / 2);
  });
});

describe('fresh values', () => {
  const freshIn = (values: readonly unknown[], registers: Uint8Array): number => {
    fieldOf(bodyOf(values));
    return engine.queries.fresh(0, registers);
  };
  const registersOf = (values: readonly unknown[]): Uint8Array => fieldOf(bodyOf(values)).measured.registers;

  test('are none among those seen before, of any kind', () => {
    const seen = ['a', 'b', 1, 2.5, true, null, 'c', 1e300];
    expect(freshIn([...seen, 'a', 1], registersOf(seen))).toBe(0);
    expect(freshIn(seen, new Uint8Array(REGISTERS))).toBe(7);
  });

  test('are nearly all that are new where a hundred were seen', () => {
    const seen = Array.from({ length: 100 }, (_, i) => `known ${i}`);
    const fresh = Array.from({ length: 100 }, (_, i) => `new ${i}`);
    const found = freshIn([...seen, ...fresh], registersOf(seen));
    expect(found).toBeGreaterThan(75);
    expect(found).toBeLessThanOrEqual(100);
  });
});

test('words for a missing value are found in any spelling of JSON', () => {
  const escapedAll = (word: string) =>
    [...word].map(c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const spellings = [...MISSING].flatMap(word => [
    JSON.stringify(word).slice(1, -1),
    escapedAll(word),
    escapedAll(word).toUpperCase().replaceAll('\\U', '\\u'),
    word[0] === '\\' ? `\\\\${escapedAll(word[1]!)}` : `${word[0]}${escapedAll(word.slice(1))}`,
    word.replaceAll('\\', '\\\\').replaceAll('/', '\\/'),
  ]);
  const others = ['\\nn', '\\t-', '\\/', '\\"na\\"', '\\u006eax', 'n\\/an', '\\\\t', '\\b'];
  // So many that they are not listed.
  const more = Array.from({ length: 2 * MAX_ENUM }, (_, i) => `value ${i >> 1}`);
  const cells = [...spellings, ...others, ...more].map(text => `{"value":"${text}"}`);
  expect(fieldOf(`{"source":"s","rows":[${cells.join()}]}`).measured.record[Column.MISSING_TEXTS]).toBe(
    spellings.length,
  );
});

test('words for a missing value are found in any case, under the salt of each batch', () => {
  const inAnyCase = (word: string): string[] =>
    [...word].reduce<string[]>(
      (begun, c) => begun.flatMap(text => [...new Set([text + c, text + c.toUpperCase()])]),
      [''],
    );
  const words = [...MISSING].flatMap(inAnyCase);
  const others = Array.from({ length: 2 * MAX_ENUM }, (_, i) => `v${i >> 1}`);
  for (const salt of [1, 2, 3].map(byte => new Uint8Array(32).fill(byte))) {
    const { record } = fieldOf(bodyOf([...words, ...others]), { salt }).measured;
    expect(record[Column.MISSING_TEXTS]).toBe(words.length);
  }
});
