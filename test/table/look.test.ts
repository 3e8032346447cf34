/** Whether what was cut from a text is a table: what is refused, what is reported, and above all what is left alone. */
import { describe, expect, test } from 'bun:test';
import { Format } from '../../assembly/abi.ts';
import { lookAtTable, type ReadAs } from '../../src/table/look.ts';
import { ENGINE as engine, screenBytes } from '../engine/screen-bytes.ts';

const COMMA = 0x2c;

function lookedAt(text: string, as: Partial<ReadAs> = {}, headerLine = 1) {
  const read = { delimiter: COMMA, isDelimiterGiven: false, ...as };
  const { refused } = screenBytes(engine, new TextEncoder().encode(text), {
    format: Format.CSV,
    delimiter: String.fromCharCode(read.delimiter),
    headerLine,
  });
  if (refused) throw new Error(`refused: ${refused.fault}`);
  return lookAtTable(engine.csvView(), read);
}

/** `two_headers 1,2` */
const signsIn = (text: string, as?: Partial<ReadAs>, headerLine?: number): string[] => {
  const looked = lookedAt(text, as, headerLine);
  if (looked.refused) return [`refused: ${looked.refused.why}`];
  return looked.signs.map(({ sign, lines }) => `${sign} ${lines}`);
};

const refusedAs = (text: string, as?: Partial<ReadAs>) => lookedAt(text, as).refused;

const rows = (count: number, row: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `${row(i)}\n`).join('');
const orders = (count: number, delimiter = ','): string =>
  rows(count, i => [`A-${i}`, `name ${i % 7}`, i * 1.5].join(delimiter));

describe('a header that is not on the first line is refused', () => {
  test.each([
    ['a title', `Orders of March\nid,name,price\n${orders(9)}`, 2],
    ['a title, filled up with delimiters', `Orders of March,,\nid,name,price\n${orders(9)}`, 2],
    ['a blank line and a title', `,,\nOrders,,\nid,name,price\n${orders(9)}`, 3],
    ['comments', `# made by a program\n# on 2026-03-01\nid,name,price\n${orders(9)}`, 3],
    ['a title and an empty line', `Orders of March\n\nid,name,price\n${orders(9)}`, 3],
    [
      'what is said of the file',
      `Source:,ONS,,,,\nDate:,2026,,,,\na,b,c,d,e,f\n${rows(9, i => `x${i},y,1,2,3,4`)}`,
      3,
    ],
  ])('%s', (_, text, headerLine) => {
    expect(refusedAs(text)).toEqual({ why: 'preamble', headerLine, delimiter: COMMA, isOther: false });
  });

  test.each([';', '|', '\t', '^', '~', '\x01'])('with another delimiter: %j', delimiter => {
    const text = `Orders of March\n${['id', 'name', 'price'].join(delimiter)}\n${orders(9, delimiter)}`;
    const byte = delimiter.charCodeAt(0);
    expect(refusedAs(text)).toEqual({ why: 'preamble', headerLine: 2, delimiter: byte, isOther: true });
    expect(refusedAs(text, { delimiter: byte, isDelimiterGiven: true })).toMatchObject({ headerLine: 2 });
  });

  test('the sep= line of Excel', () => {
    expect(refusedAs(`sep=;\nid;price\n${rows(9, i => `${i};0,5`)}`)).toEqual({
      why: 'sep_line',
      delimiter: 0x3b,
    });
    expect(refusedAs('sep=,\na,b\n1,2\n')).toEqual({ why: 'sep_line', delimiter: COMMA });
  });

  test('but not where the sender says where it is', () => {
    const text = `Orders of March\nid,name,price\n${orders(9)}`;
    expect(signsIn(text, { isHeaderGiven: true }, 2)).toEqual([]);
    expect(signsIn(text, { isHeaderGiven: true }, 1)).toEqual([]);
  });

  test('the lines of rows are those of the body', () => {
    const text = `Orders\r\n\r\nid,name,price\r\n${orders(9)}id,name,price\n`;
    expect(signsIn(text, { isHeaderGiven: true }, 3)).toEqual(['header_repeated 13']);
  });
});

describe('one column is refused where another delimiter divides it', () => {
  test.each(['^', '~', '\x01'])('%j', delimiter => {
    const text = `${['id', 'name', 'price'].join(delimiter)}\n${orders(9, delimiter)}`;
    expect(refusedAs(text)).toEqual({ why: 'other_delimiter', delimiter: delimiter.charCodeAt(0) });
    expect(refusedAs(text, { isDelimiterGiven: true })).toBeNull();
  });

  test('and reported where most lines have it, but not the first', () => {
    expect(signsIn(`tag\n${rows(9, i => `a${i}|b|c`)}`)).toEqual(['one_column 1']);
  });
});

test('lines that each stand in quotes are reported', () => {
  const quotedLines = (text: string) => text.replace(/^.+$/gm, '"$&"');
  for (const delimiter of [',', ';', '\t'])
    expect(
      signsIn(quotedLines(`${['id', 'name', 'price'].join(delimiter)}\n${orders(9, delimiter)}`)),
    ).toEqual(['one_column 1']);
});

describe('comments are reported', () => {
  test('where one is the only name', () => {
    expect(signsIn('# made by a program\na;b\n# more\n1;3\n6;7#x\n')).toEqual(['comment_lines 1,3']);
    expect(signsIn('// made by hand\n1\n2\n')).toEqual(['comment_lines 1']);
  });

  test('among rows, which are named', () => {
    const text = `id,name,price\n${orders(5)}# the rest is of May\n${orders(5)}`;
    expect(lookedAt(text)).toMatchObject({
      signs: [{ sign: 'comment_lines', count: 1, lines: [7], rows: [5] }],
    });
  });
});

test('a text of spaces is refused', () => {
  expect(refusedAs('   \n   \n  \n')).toEqual({ why: 'only_spaces' });
});

describe('what may be wrong with a header is reported', () => {
  test.each([
    ['no_header 1', 'numbers and dates as names', rows(9, i => `${i},n${i},2026-03-0${i + 1},${i}.50`)],
    ['no_header 1', 'codes as names', rows(9, i => `SKU-${i},${i * 3}.25`)],
    ['no_header 1', 'a name that is a value', rows(9, i => `Ann${i},Rome,F${'x'.repeat(i % 2)}`)],
    ['no_header 1', 'a count of one column', rows(9, i => `${i}`)],
    [
      'two_headers 1,2',
      'titles of groups',
      `,Share,,,Votes\nregion,NFL,NBA,MLB,2016\n${rows(9, i => `R${i},1%,2%,3%,4%`)}`,
    ],
    [
      'two_headers 1,2',
      'another name for each',
      `id,qty,price\nCode,Quantity,Price each\n${rows(9, i => `A${i},${i},1.5`)}`,
    ],
    ['units_row 2', 'units', `time,speed,mass\n[s],[m/s],[kg]\n${rows(9, i => `${i}.5,2,3`)}`],
    [
      'units_row 2',
      'types',
      `id,price,day\ninteger,decimal,date\n${rows(9, i => `${i * 7},2.5,2026-01-0${i + 1}`)}`,
    ],
    ['no_header 1', 'one row of values', '123.0,TEST1,2000-12-12\n345.0,TEST2,2000-12-13\n'],
    ['no_header 1', 'two rows that count on', '1,english\n2,german\n3,greek\n'],
    ['no_header 1', 'two rows of codes', `123\tA-1\tx\n345\tA-2\ty\n567\tA-3\tz\n`.replaceAll('\t', ',')],
    ['blank_header 1', 'no names', `,,\n${rows(9, i => `${i * 7},a b,c${i}d`)}`],
    ['blank_names 1', 'few names', `Group A,,,Group B,,\n${rows(9, i => `a${i},x y,b z,w${i},v,u`)}`],
  ])('%s: %s', (sign, _, text) => {
    expect(signsIn(text)).toEqual([sign]);
    expect(signsIn(text, { isHeaderGiven: true })).toEqual([]);
  });
});

describe('what follows the table is reported', () => {
  const table = `id,name,price\n${orders(9)}`;

  test.each([
    ['trailing_notes 11', 'Note: prices are net,,\n'],
    ['trailing_notes 11', '(9 rows affected)\n'],
    ['trailing_notes 11', '-- end of export\n'],
    ['total_row 11', 'Total,,54\n'],
    ['total_row 11', 'Grand total,9,54.0\n'],
    ['total_row 11', 'Summe,,54\n'],
    ['blank_rows 11,12', ',,\n,,\n'],
  ])('%s: %j', (sign, ending) => expect(signsIn(table + ending)).toEqual([sign]));

  test('several at once', () => {
    expect(signsIn(`${table}Total,,54\n,,\n* without tax,,\n`)).toEqual([
      'trailing_notes 13',
      'blank_rows 12',
      'total_row 11',
    ]);
  });

  test('their rows are named', () => {
    expect(lookedAt(`${table}Total,,54\n`)).toMatchObject({ signs: [{ sign: 'total_row', rows: [9] }] });
  });

  test('however long the table is', () => {
    expect(signsIn(`id,name,price\n${orders(9_000)}Total,,54\n`)).toEqual(['total_row 9002']);
  });
});

describe('files that were joined', () => {
  const part = `id,name,price\n${orders(9)}`;

  test('repeat the header', () => {
    expect(lookedAt(part + part + part)).toMatchObject({
      signs: [{ sign: 'header_repeated', count: 2, lines: [11, 21], rows: [9, 19] }],
    });
  });

  test('also with a byte order mark, which is reported anywhere', () => {
    expect(signsIn(`${part}\ufeff${part}`)).toEqual(['header_repeated 11', 'mark_inside 11']);
    expect(signsIn(`${part}\ufeff${orders(3)}`)).toEqual(['mark_inside 11']);
  });

  test('but values that are taken for names may come again', () => {
    expect(signsIn('1,A\n1,A\nC,A\n1,B\n')).toEqual(['no_header 1']);
  });

  test('in one column the name may be a value', () => {
    expect(signsIn('word\na b\nword\nc d\n')).toEqual([]);
  });
});

describe('a stray quote', () => {
  const swallowed = (lines: number) =>
    `id,name,note\n${orders(20)}x,y,"begins\n${orders(lines)}z,z,ends"\n${orders(20)}`;

  test.each([2, 31, 5_000])('that takes in %d rows is reported with its line', lines => {
    expect(signsIn(swallowed(lines))).toEqual(['quote_spans_lines 22']);
  });

  test('however the body arrives', () => {
    const text = swallowed(40);
    for (const size of [1, 7, 64]) {
      screenBytes(engine, new TextEncoder().encode(text), { format: Format.CSV, pieces: [size] });
      expect(engine.csvView().wideQuotes).toEqual({ count: 1, rows: [20], lines: [22] });
    }
  });
});

describe('quotes and escapes of other programs', () => {
  test('a space before a quote', () => {
    expect(signsIn('year, score, title\n1968, 86, "Greetings"\n1970, 17, "Mama"\n1971, 5, "Hi"\n')).toEqual([
      'space_before_quote 2,3,4',
    ]);
  });

  test('a backslash before a quote', () => {
    expect(signsIn('id,text\n1,say \\"hi\\" now\n2,a \\"b\\" c\n')).toEqual(['backslash_escapes 2,3']);
  });
});

describe('tables that only look unusual are left alone', () => {
  const clean: [string, string, Partial<ReadAs>?][] = [
    ['a plain one', `id,name,price\n${orders(50)}`],
    ['of two rows', 'id,name\n1,Ann\n2,Bob\n'],
    ['of one row', 'id,name\n1,Ann\n'],
    ['of one row of texts', 'name,city\nAnn,Rome\n'],
    ['of one column of numbers', `n\n${rows(20, i => `${i * 3}`)}`],
    ['of one column of texts', `comment\n${rows(20, i => `word ${i} and more`)}`],
    ['of one column with commas in quotes', `comment\n${rows(20, i => `"word, and ${i}"`)}`],
    ['with years as names', `country,1990,1991,1992\n${rows(9, i => `C${i}x y,${i}.5,2.5,3.5`)}`],
    [
      'with years as names over whole numbers',
      `country,2019,2020\n${rows(9, i => `Land ${i},${i * 7},${i + 300}`)}`,
    ],
    ['with dates as names', `region,1/22/20,1/23/20,1/24/20\n${rows(9, i => `R ${i},${i},2,3`)}`],
    ['with numbers as names', `id,0,1,2,3\n${rows(9, i => `x y${i},${i * 5},2,3,9`)}`],
    ['with ages as names', `country,0-4,5-9,10-14\n${rows(9, i => `Land ${i},${i},2,3`)}`],
    ['with percentiles as names', `job,10,50,90\n${rows(9, i => `job ${i},${i * 5},60,99`)}`],
    ['with a blank name for an index', `,a,b\n${rows(9, i => `${i},1.5,x y${i}`)}`],
    ['with delimiters at the end of each line', `a,b,\n${rows(9, i => `${i * 2},x y${i},`)}`],
    [
      'with free texts in quotes over lines',
      `id,text\n${rows(9, i => `${i * 2},"Dear all,\n\nthis is ${i}.\nBye, me\n"`)}`,
    ],
    [
      'with long free texts in quotes',
      `id,a,text\n${rows(9, i => `${i * 2},b,"${'Some words, and more.\n'.repeat(i * 30)}"`)}`,
    ],
    ['with a first row of gaps', `country,pop,area\nWorld,..,..\n${rows(9, i => `Land ${i},${i},2`)}`],
    ['with a first row of nulls', `country,pop,area\nWorld,NA,n/a\n${rows(9, i => `Land ${i},${i},2`)}`],
    [
      'with a category called total',
      `sex,age,n\n${rows(9, i => `${['male', 'female', 'Total'][i % 3]},${i},5`)}`,
    ],
    ['that ends with a sparse row', `id,name,price\n${orders(9)}A-9,,\n`],
    ['with sparse rows', `id,a,b,c\n${rows(20, i => `${i * 2},${i % 2 ? 'some words here' : ''},,`)}`],
    ['with short rows', `a,b,c\n1,2\n3,4\n5\n6,7,8\n`],
    [
      'with a header that is narrower by one, as R writes',
      `name,city\n${rows(9, i => `"${i}",Ann ${i},Rome`)}`,
    ],
    ['with a number sign as the only name', `#id\n${rows(9, i => `${i * 3}`)}`],
    ['with rows that begin with a number sign', `tag,n,price\n${rows(9, i => `#t${i},${i},2.5`)}`],
    ['of one column of addresses in quotes', `address\n${rows(9, i => `"Road ${i}, Rome, 0018${i}"`)}`],
    ['of two columns in one, as names', `"City, State"\n${rows(9, i => `"Town ${i}, CA"`)}`],
    ['of one row with numbers as names', 'id,0,1,2\nx,5,7,9\n'],
    ['of two rows with shares as names', 'job,0.1,0.5,0.9\nA-1,1.5,2.5,3.5\nA-2,1.5,2.5,3.5\n'],
    ['of one row with dates as names', 'region,1/22/20,1/23/20\nR 1,5,2\n'],
    ['of one row with numbered names', 'x1,x2,y\na1,b2,5\n'],
    ['with a comment mark before the header', `#id,name,price\n${orders(9)}`],
    [
      'with texts only',
      `name,city,note\n${rows(9, i => `Ann B${'b'.repeat(i)},New York ${'x'.repeat(i)},nice`)}`,
    ],
    ['with paths', `path,n\n${rows(9, i => `"C:\\dir\\",${i * 2}`)}`],
    ['with JSON in cells', `id,json\n${rows(9, i => `${i * 2},"{""a"": ""say \\""hi\\"" ${i}""}"`)}`],
    ['with lists in a cell', `id,tags\n${rows(9, i => `${i * 2},a;b;c${i}`)}`],
    [
      'with names of people in one column of TSV',
      `person\n${rows(9, i => `Doe ${i}, John`)}`,
      { delimiter: 9 },
    ],
    ['of letters and small numbers', 'x,y\n1,2\n3,4\n5,6\n7,8\n'],
    ['that begins with an empty line', `\nid,name,price\n${orders(9)}`],
    ['of dates and prices', `date,open,close\n${rows(9, i => `2026-01-0${i + 1},${i}.1,2.5`)}`],
    [
      'that is wide',
      `${Array.from({ length: 300 }, (_, i) => `f${i}`).join()}\n${rows(9, i =>
        Array(300)
          .fill(i * 2)
          .join(),
      )}`,
    ],
  ];

  test.each(clean.map(([name, text, as = {}]) => [name, text, as] as const))('%s', (_, text, as) => {
    expect(signsIn(text, as)).toEqual([]);
  });
});
