/** Generates CSV bodies: tidy tables, tables with the faults of real exports, and random mixtures of special characters. */
import fc from 'fast-check';
import { numberText } from './json-bodies.ts';

const encoder = new TextEncoder();

export interface CsvBody {
  bytes: Uint8Array;
  delimiter: string;
}

const delimiters = fc.constantFrom(',', ',', ',', ';', '|', '\t');
const lineEnds = fc.constantFrom('\n', '\r\n', '\r');

/** A cell's text before quoting. */
const word = fc.oneof(
  fc.constantFrom('', 'a', 'red', 'green', 'Müller', '😀', 'x'.repeat(40), 'a b', ' ', 'é'),
  fc.constantFrom(
    'a,b',
    'a;b',
    'a|b',
    'a\tb',
    'say "hi"',
    '"',
    '""',
    'two\nlines',
    'two\r\nlines',
    'cr\rhere',
  ),
);
const NULLS = ['', 'NULL', 'null', '\\N'];
const NULLISH = [
  '""',
  ' ',
  '   ',
  'NA',
  'n/a',
  'N/A',
  'NaN',
  'nan',
  'None',
  'NIL',
  '#N/A',
  '#n/a',
  ...['-', '--', '---', ' - ', '--    ', '.', '..', '...', ' ..', '?', '–', '—'],
];
const NEAR_NULLS = [
  'Null',
  'nul',
  '\\n',
  ' NA',
  'none ',
  '----',
  '.-',
  '-.',
  '....',
  '- -',
  '. .',
  '??',
  ' ?',
  '– ',
  '––',
  '‒',
  'é—',
  '#N/B',
  'nAn0',
];
const CODES = [
  ...['007', '00', '-01', '+08', ' 012 ', '000123456789012345678', '12345678901234567890', '-01e2', '1e999'],
  ...['00587E590003', '-123456789012345678', '1234567890123456789e-3', '+1.5e400'],
];
const CODE_TEXTS = ['12a', '22-23', 'A/5 21171', '85+', 'B_7', '#12', 'S', 'N', 'XL', 'A-C', 'D'];
const NEAR_CODE_TEXTS = [
  '12 kg',
  '1 200',
  '1.234.567',
  '2024-01-05',
  '(12)',
  '$5',
  '12%',
  'NV',
  '1,200',
  '0,125',
  '-1,234,567.5',
  '12,34',
  '1,2000',
  's',
  '-5 EUR',
];
const BOOLEANS = ['true', 'FALSE', 'True', 'fAlse'];
const NEAR_BOOLEANS = ['true ', 'tru', 'falsee', 'yes'];
const NUMBERS = [
  '1',
  '-1',
  '+1',
  '0',
  ' 5 ',
  '1e3',
  '2.50',
  '-0',
  '1E+2',
  '12345678901234567',
  '+0.5',
  '007.5',
  '1.',
  '.5',
  '-.25',
  '5.e3',
  '00.5e2',
  '.000000000000000012',
];
const NEAR_NUMBERS = [
  '.',
  '-.',
  '.e3',
  '1e',
  '1e+',
  '+',
  '1 2',
  '0x10',
  '1,5',
  '1_000',
  '--1',
  '1.2.3',
  '1e5.0',
  '٣',
];

/** Kinds of written cells. A column mixes a few of them. */
const KINDS: fc.Arbitrary<string>[] = [
  ...[
    NULLS,
    NULLISH,
    NEAR_NULLS,
    CODES,
    CODE_TEXTS,
    NEAR_CODE_TEXTS,
    BOOLEANS,
    NEAR_BOOLEANS,
    NUMBERS,
    NEAR_NUMBERS,
  ].map(list => fc.constantFrom(...list)),
  fc.nat(999).map(String),
  numberText,
];

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const mustQuote = (text: string): boolean => /[",;|\t\r\n]/.test(text);

const wordCell = fc
  .tuple(word, fc.boolean())
  .map(([text, quoted]) => (quoted || mustQuote(text) ? quote(text) : text));
const tokenCell = (kind: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(kind, fc.nat(9))
    .map(([text, luck]) => (text !== '""' && (luck === 0 || mustQuote(text)) ? quote(text) : text));

const columnCells = fc.oneof(
  fc.constant(wordCell),
  fc.subarray(KINDS, { minLength: 1, maxLength: 3 }).map(kinds => fc.oneof(...kinds.map(tokenCell))),
);

const headerCell = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('id', 'name', 'amount', 'Größe', 'a', 'b', 'c') },
  fc.constantFrom(
    '',
    ' ',
    '""',
    '__proto__',
    'a_2',
    '"a"',
    '"x,""y"""',
    'column_1',
    '"two\nlines"',
    'toString',
  ),
);

/** Joins lists of written cells to lines with one kind of line end; sometimes with blank lines, a byte order mark, or no last line end. */
function write(
  lines: string[][],
  delimiter: string,
  end: string,
  blanks: boolean,
  mark: boolean,
): Uint8Array {
  const between = blanks ? `${end}${end}` : end;
  const text = lines.map(cells => cells.join(delimiter)).join(between);
  return encoder.encode(`${mark ? '\uFEFF' : ''}${blanks ? end : ''}${text}${blanks ? '' : end}`);
}

const shapes = fc.record({ delimiter: delimiters, end: lineEnds, blanks: fc.boolean(), mark: fc.boolean() });

/** A header and up to `maxRows` records, a few of them ragged. */
export const csvBody = (maxRows: number): fc.Arbitrary<CsvBody> =>
  fc
    .tuple(shapes, fc.array(fc.tuple(headerCell, columnCells), { minLength: 1, maxLength: 6 }))
    .chain(([shape, columns]) => {
      const record = fc.oneof(
        { weight: 15, arbitrary: fc.tuple(...columns.map(([, cells]) => cells)) },
        fc.tuple(...columns.map(([, cells]) => cells)).map(cells => cells.slice(1)),
        fc.tuple(...columns.map(([, cells]) => cells)).map(cells => [...cells, 'extra']),
      );
      return fc.array(record, { minLength: 1, maxLength: maxRows, size: 'max' }).map(records => ({
        bytes: write(
          [columns.map(([name]) => name), ...records],
          shape.delimiter,
          shape.end,
          shape.blanks,
          shape.mark,
        ),
        delimiter: shape.delimiter,
      }));
    });

/** One long column of numbers with few codes: their share is close to the one at which the column counts as codes. */
export const rareCodes: fc.Arbitrary<CsvBody> = fc
  .tuple(
    fc.integer({ min: 150, max: 420 }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...CODES, 'NA', 'x', '1.5', 'true')), { maxLength: 6 }),
  )
  .map(([count, odd]) => {
    const cells = Array.from({ length: count }, (_, i) => `${(i * 7919) % 1000}`);
    for (const [at, text] of odd) cells[at % count] = text;
    return { bytes: encoder.encode(`n\n${cells.join('\n')}\n`), delimiter: ',' };
  });

/** Any text made of special characters. */
export const csvSoup: fc.Arbitrary<CsvBody> = fc
  .tuple(delimiters, fc.array(fc.constantFrom(...'"",,,;|\t\r\n\n\n aé0-\0'), { maxLength: 60, size: 'max' }))
  .map(([delimiter, characters]) => ({ bytes: encoder.encode(characters.join('')), delimiter }));

/** A tidy table of at least two columns, and the texts of its cells: for readers that follow our rules only on tidy tables. */
export const tidyTable: fc.Arbitrary<CsvBody & { table: string[][] }> = fc
  .tuple(delimiters, fc.constantFrom('\n', '\r\n'), fc.integer({ min: 2, max: 5 }), fc.boolean())
  .chain(([delimiter, end, width, always]) =>
    fc
      .array(fc.array(fc.oneof(word, ...KINDS), { minLength: width, maxLength: width }), {
        minLength: 2,
        maxLength: 15,
      })
      .map(table => {
        const cell = (text: string): string => (always || mustQuote(text) ? quote(text) : text);
        const text = table.map(cells => cells.map(cell).join(delimiter)).join(end);
        return { bytes: encoder.encode(text), delimiter, table };
      }),
  );
