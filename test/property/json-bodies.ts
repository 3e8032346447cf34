/**
 * Generates JSON bodies: mostly regular rows with some irregular ones, as in real batches, written in the styles of
 * different clients, some of them hostile.
 */
import fc from 'fast-check';
import { hardNumber } from './hard-numbers.ts';

const encoder = new TextEncoder();

/** One character of a string literal, as it is written. */
const written = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...'abcxyz019 _-.,:;{}[]/\u007fäß€中') },
  fc.constantFrom(
    '\\"',
    '\\\\',
    '\\/',
    '\\b',
    '\\f',
    '\\n',
    '\\r',
    '\\t',
    '\\u0000',
    '\\u0061',
    '\\u00E9',
    '\\u20ac',
  ),
  fc.constantFrom('😀', '\\ud83d\\ude00', '\\uD83D', '\\ude00', '\uFEFF', '\u2028'),
);

const literal = (length: number) =>
  fc.array(written, { maxLength: length }).map(characters => `"${characters.join('')}"`);

/** Neighbours that share a double, up to 64 bits and beyond. */
export const LONG_INTEGERS = [
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9007199254740993.0',
  '9007199254740993e0',
  '-9007199254740993',
  '-9007199254740992',
  '1234567890123456789',
  '1234567890123456788',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '18446744073709551614',
  '18446744073709551615',
  '18446744073709551616',
  '18446744073709551617',
  '99999999999999999.5',
];

export const numberText = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map(String),
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e150, max: 1e150 }).map(String),
  fc.tuple(fc.integer(), fc.nat(999_999_999)).map(([whole, rest]) => `${whole}.${rest}`),
  hardNumber,
  fc
    .tuple(fc.nat(), fc.nat(99_999), fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(140))
    .map(([whole, rest, e, sign, power]) => `${whole}.${rest}${e}${sign}${power}`),
  fc.constantFrom(
    '0',
    '-0',
    '-0.0',
    '0e5',
    '1e999',
    '-1e999',
    '5e-324',
    '2e-324',
    '1e-400',
    ...LONG_INTEGERS,
    '1.7e308',
    '-1.7e308',
    '0.1',
  ),
);

const nested = fc.constantFrom(
  '{}',
  '[]',
  '[1, 2]',
  '[1,2]',
  '{"a":{"b":[null,true]}}',
  '[[["]}"]]]',
  '{"\\u0061":"}"}',
);

/** Kinds of columns, each with the arbitrary of its values. */
const KINDS = {
  id: fc.nat(100_000).map(n => `"ID-${n}"`),
  digits: fc.integer({ min: 0, max: 9 }).map(String),
  number: numberText,
  price: fc.nat(100_000).map(cents => `${cents / 100}`),
  category: fc.constantFrom('"red"', '"green"', '"blue"', '"r\\u0065d"'),
  text: literal(40),
  sparse: fc.constantFrom('null', 'null', '""', '"x"'),
  flag: fc.constantFrom('true', 'false', 'null'),
  nested,
  mixed: fc.oneof(
    numberText,
    literal(5),
    nested,
    fc.constantFrom('true', 'null', '""', '1', '"1"', '"true"'),
  ),
} as const;

const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('"id"', '"amount"', '"email"', '"a"', '"b"', '"Kunde"', '"created_at"'),
  },
  fc.constantFrom(
    '"__proto__"',
    '"constructor"',
    '""',
    '"\\u0061"',
    '"😀"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\"q\\""',
  ),
  fc.constantFrom(`"${'n'.repeat(1024)}"`, `"${'m'.repeat(17)}"`, '"rows"', '"source"', '"toString"'),
  literal(24),
);

interface Style {
  /** Whitespace after a colon, after a comma within a row, and between two rows. */
  colon: string;
  comma: string;
  rows: string;
}

const style: fc.Arbitrary<Style> = fc.constantFrom(
  { colon: '', comma: '', rows: '' },
  { colon: ' ', comma: ' ', rows: ' ' },
  { colon: ' ', comma: '\n      ', rows: '\n    ' },
  { colon: '\t', comma: '\r\n', rows: ' \n\r\t ' },
  { colon: '', comma: ' '.repeat(70), rows: '\n' },
);

const column = fc.record({ name, kind: fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])) });

/** A row. Most rows have all columns in order. */
function rowOf(
  columns: { name: string; kind: keyof typeof KINDS }[],
  { colon, comma }: Style,
  extraName = name,
): fc.Arbitrary<string> {
  const members = fc.tuple(
    ...columns.map(({ name, kind }) => KINDS[kind].map(value => `"${name.slice(1, -1)}":${colon}${value}`)),
  );
  const write = (list: string[]): string => `{${list.join(`,${comma}`)}}`;
  return fc.oneof(
    { weight: 10, arbitrary: members.map(write) },
    members.chain(list => fc.subarray(list).map(write)),
    members.chain(list => fc.shuffledSubarray(list).map(write)),
    fc
      .tuple(members, extraName, numberText)
      .map(([list, extra, value]) => write([...list, `${extra}:${value}`])),
    members.map(list => write([...list, ...list.slice(0, 2)])),
    fc.tuple(members, nested).map(([list, value]) => write([...list.slice(1), `"late" :${value} `])),
    fc.constant('{ }'),
  );
}

/** The text of a `rows` array. */
const fewRows = fc
  .tuple(fc.array(column, { minLength: 1, maxLength: 8 }), style)
  .chain(([columns, habit]) =>
    fc
      .array(rowOf(columns, habit), { minLength: 1, maxLength: 25 })
      .map(rows => `[${habit.rows}${rows.join(`,${habit.rows}`)}${habit.rows}]`),
  );

// Thousands of long names would make the body too large.
const isShort = (text: string): boolean => text.length < 100;
const shortNamed = column.filter(({ name }) => isShort(name));

/** Thousands of rows, drawn from a pool of different ones. */
const manyRows = fc
  .tuple(fc.array(shortNamed, { minLength: 1, maxLength: 5 }), style)
  .chain(([columns, habit]) =>
    fc
      .tuple(
        fc.array(rowOf(columns, habit, name.filter(isShort)), { minLength: 1, maxLength: 120 }),
        fc.array(fc.nat(), { minLength: 500, maxLength: 3000, size: 'max' }),
      )
      .map(([pool, picks]) => `[${picks.map(pick => pool[pick % pool.length]).join(`,${habit.rows}`)}]`),
  );

const space = fc.constantFrom('', '', ' ', '\r\n\t ');
const member = fc.oneof(
  fc.constantFrom(
    '"source":"s"',
    '"source" : "o\\u0072ders"',
    '"sourc\\u0065":7',
    '"options":{"full_scan":true}',
  ),
  fc.constantFrom(
    '"options":null',
    '"note":[{"rows":[1]},"]"]',
    '"":0',
    '"__proto__":{"rows":[]}',
    '"Rows":1e999',
  ),
);

/** A complete body: other members before and after `rows`, sometimes a second `rows`, sometimes a byte order mark. */
const bodyAround = (rows: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> =>
  fc
    .record({
      mark: fc.constantFrom('', '', '', '\uFEFF'),
      before: fc.array(member, { maxLength: 3 }),
      key: fc.constantFrom('"rows"', '"rows"', '"rows"', '"\\u0072ows"'),
      rows,
      again: fc.option(fewRows, { freq: 8 }),
      after: fc.array(member, { maxLength: 3 }),
      gap: space,
    })
    .map(({ mark, before, key, rows, again, after, gap }) => {
      const given = [`${key}${gap}:${gap}${rows}`, ...(again === null ? [] : [`"rows":${again}`])];
      const members = [...before, ...given, ...after].join(`${gap},${gap}`);
      return encoder.encode(`${mark}${gap}{${gap}${members}${gap}}${gap}`);
    });

export const jsonBody = bodyAround(fewRows);
export const longJsonBody = bodyAround(manyRows);
