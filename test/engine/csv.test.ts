import { describe, expect, test } from 'bun:test';
import { Fault, Format, Status } from '../../assembly/abi.ts';
import { cellsOf } from './cells.ts';
import { ENGINE, screenBytes } from './screen-bytes.ts';

const engine = ENGINE;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const screen = (text: string, delimiter = ',') =>
  screenBytes(engine, bytesOf(text), { format: Format.CSV, delimiter });

function refusalOf(text: string): { fault: string; line: number } | undefined {
  const { refused } = screen(text);
  return refused && { fault: Fault[refused.fault], line: refused.line };
}

/** Values of a column with these cells. */
function column(...cells: string[]): unknown[] {
  screen(`v,end\n${cells.map(cell => `${cell},.`).join('\n')}`);
  return cellsOf(engine, 0).map(cell => cell?.value);
}

describe('cells', () => {
  test('a number has an optional sign, fraction and exponent, and spaces around it', () => {
    expect(column('1', '-2.5', '+3', ' 4 ', '5e3', '6E-1')).toEqual([1, -2.5, 3, 4, 5000, 0.6]);
    expect(column('1.', '.5', '-.25', '+7.e2', '00.5')).toEqual([1, 0.5, -0.25, 700, 0.5]);
    expect(column('5', '6', '7', '8', '-.', '1e', '0x1').slice(4)).toEqual(['-.', '1e', '0x1']);
  });

  test('true and false are booleans in any case', () => {
    expect(column('true', 'False', 'TRUE', 'yes')).toEqual([true, false, true, 'yes']);
  });

  test('an unquoted empty cell, NULL, null and \\N are null in every column', () => {
    expect(column('', 'NULL', 'null', '\\N', 'a')).toEqual([null, null, null, null, 'a']);
    expect(column('"NULL"', 'a')).toEqual([null, 'a']);
    expect(column('Null', 'a')).toEqual(['Null', 'a']);
  });

  test('NA and the like are null among numbers and booleans, and text among texts', () => {
    const marks = [
      '""',
      'NA',
      'n/a',
      'NaN',
      'None',
      'nil',
      '-',
      '--',
      ' --- ',
      '.',
      '..',
      '...',
      '?',
      '–',
      '—',
      '#N/A',
    ];
    expect(column(...marks, '1', '2', 'x').slice(0, marks.length)).toEqual(marks.map(() => null));
    expect(column(...marks, '1', 'x').slice(0, marks.length)).toEqual(['', ...marks.slice(1)]);
    expect(column(...marks, '')).toEqual([...marks, ''].map(() => null));
  });

  test.each(['----', '....', ' . ', '- -', '-.', '??', '*', '**', '‒'])(
    '%j is a text among numbers',
    text => {
      expect(column('1', '2', text)).toEqual([1, 2, text]);
    },
  );

  test('a column holds codes when 1% of its integers have a leading zero', () => {
    const integers = (count: number): string[] => Array.from({ length: count }, () => '12');
    expect(column('007', ...integers(99), 'true', '1.5').slice(-3)).toEqual(['12', 'true', '1.5']);
    expect(column('007', ...integers(100), 'true').slice(-2)).toEqual([12, true]);
    expect(column('007', ...integers(100))[0]).toBe('007');
    expect(column('007', '', 'NULL', 'NA')).toEqual(['007', null, null, 'NA']);
  });

  test('digits that no double tells apart, that overflow, or with a leading zero before an exponent are codes', () => {
    const codes = ['00587E590003', '123456789012345678', '-123456789012345678', '1e999', '12E400'];
    for (const code of codes) expect(column('1', code, '3')).toEqual(['1', code, '3']);
    for (const near of ['587E9', '12345678901234567', '0E5', '1e308'])
      expect(column('1', near, '3')).toEqual([1, Number(near), 3]);
  });

  test('a few of them among numbers with a fraction are texts beside numbers', () => {
    expect(column('1.5', '2.5', '1e999')).toEqual([1.5, 2.5, '1e999']);
  });

  test('spaces alone are null among numbers and text among texts', () => {
    expect(column('1', ' ', '3', '"  "')).toEqual([1, null, 3, null]);
    expect(column('a', ' ', 'b')).toEqual(['a', ' ', 'b']);
  });

  test('a column in which half of the values or fewer are numbers is one of texts', () => {
    expect(column('A-C', '1-2', 'N', '4', '7', 'true')).toEqual(['A-C', '1-2', 'N', '4', '7', 'true']);
    expect(column('yes', 'true', '1', 'no')).toEqual(['yes', 'true', '1', 'no']);
    expect(column('1.50', 'x')).toEqual(['1.50', 'x']);
  });

  test.each([
    ['house numbers', ['12', '12a', '7', '3', '9/2']],
    ['ages', ['12', '22-23', '61', '40', '85+']],
    ['tickets', ['113803', 'PC 17599', '373450', '330877', 'A/5 21171']],
    ['sizes', ['36', '38', 'S', '40', '42', 'XL']],
    ['codes of one kind', ['38', 'A-C', '40', '42', 'N']],
    ['versions', ['1.2', '1.3', '1.2.10', '2.0']],
  ])('whole numbers beside %s are texts', (_, cells) => {
    expect(column(...cells)).toEqual(cells);
  });

  test('numbers below 1,000 beside numbers with commas between thousands are texts', () => {
    const written = (...cells: string[]) => column(...cells.map(cell => `"${cell}"`));
    expect(written('12', '999.5', '3', '1,200', '-12,345,678.90')).toEqual([
      '12',
      '999.5',
      '3',
      '1,200',
      '-12,345,678.90',
    ]);
    expect(written('12', '1000', '3', '1,200')).toEqual([12, 1000, 3, '1,200']);
    expect(written('12', '-1000', '3', '1,200')).toEqual([12, -1000, 3, '1,200']);
    for (const odd of ['0,125', '1,20', '12,34', '1,2000', '1,200.', '1,200 kg', ',200'])
      expect(written('12', '7', '3', odd)).toEqual([12, 7, 3, odd]);
    const few = (count: number) => written(...Array.from({ length: count }, () => '7'), '1,200')[0];
    expect(few(49)).toBe('7');
    expect(few(50)).toBe(7);
  });

  test('they may be sorted', () => {
    const small = Array.from({ length: 200 }, (_, i) => String(i));
    const large = Array.from({ length: 100 }, (_, i) => `"1,${200 + i}"`);
    expect(column(...small, ...large)[0]).toBe('0');
  });

  test.each(['n.v.', '$5', '12 kg', '1 200', '1.234.567', '2024-01-05', 'D', 'unknown'])(
    'numbers beside %s stay numbers',
    odd => {
      expect(column('12', '7', '3', `"${odd}"`, `"${odd}"`)).toEqual([12, 7, 3, odd, odd]);
    },
  );

  test('amounts beside a text with digits and letters stay numbers', () => {
    expect(column('12.50', '7.20', '3', '12a')).toEqual([12.5, 7.2, 3, '12a']);
  });
});

describe('records', () => {
  test('a quoted line end does not end a record', () => {
    expect(screen('a,b\n"x\r\ny",1\n').profile!.rows).toBe(1);
    expect(cellsOf(engine, 0)[0]?.value).toBe('x\r\ny');
  });

  test('missing cells are absent, extra cells are dropped, and both are counted with the first line', () => {
    const { profile } = screen('a,b\n1,2\n\n3\n4,5,6\n');
    expect(profile!.ragged).toMatchObject({ count: 2, firstLine: 4 });
    expect(profile!.fields.map(({ present, nulls }) => [present, nulls])).toEqual([
      [3, 0],
      [2, 1],
    ]);
  });

  test.each([
    ['a,b\n1,2\n3', true],
    ['a,b\n1,2\n3\n', false],
    ['a,b\n1,2\n3\r', false],
    ['a,b\n1,2\n3,', false],
    ['a,b\n1,2\n3,4,5', false],
    ['a,b\n1\n3,4', false],
    ['a\n1\n3', false],
  ])('%j ends early, in a cell before the last: %p', (text, endsEarly) => {
    expect(screen(text).profile!.endsEarly).toBe(endsEarly);
  });

  test('broken quoting is refused with the line on which the cell begins', () => {
    expect(refusalOf('a\r\n\r\n"x\ny"z\n')).toEqual({ fault: 'TEXT_AFTER_QUOTE', line: 3 });
    expect(refusalOf('a\rb\r"x\r\n\n')).toEqual({ fault: 'QUOTE_OPEN', line: 3 });
  });

  test('a text with doubled quotes is the same value as one with literal quotes, however long', () => {
    for (const length of [1, 15, 16, 17, 63, 64, 65, 200, 65_519, 65_520, 65_600, 200_000]) {
      const text = 'ab"c'.repeat(length).slice(0, length);
      const { profile } = screen(`v\nx${text}\n"x${text.replaceAll('"', '""')}"\n`);
      expect(profile!.fields[0]!.measured).toMatchObject({ texts: 2, distinctTexts: 1 });
    }
  });

  test('a text has the same hash whether plain, quoted or escaped, in CSV and JSON, at any length', () => {
    for (let length = 2; length <= 140; length++) {
      const text = 'q'.repeat(length);
      const { profile: csv } = screen(`v\n${text}\n"${text}"\n`);
      const rows = `[{"v":"${text}"},{"v":"\\u0071${text.slice(1)}"}]`;
      const { profile: json } = screenBytes(engine, bytesOf(`{"rows":${rows}}`), {});
      const [hash, ...others] = [csv!, json!].flatMap(({ fields }) => fields[0]!.measured.listed!);
      expect(hash!.count).toBe(2);
      expect(others).toEqual([hash!]);
    }
  });

  test('the type of a cell may change from row to row', () => {
    const kinds: [string, unknown][] = [
      ['12', 12],
      ['-1.5', -1.5],
      ['true', true],
      ['', null],
      ['text', 'text'],
      ['1e3', 1000],
      ['"quoted ""text"""', 'quoted "text"'],
      ['a text of more than a vector', 'a text of more than a vector'],
      ['2025-01-02', '2025-01-02'],
      ['12345678901234567', 1.2345678901234568e16],
    ];
    const cells = Array.from({ length: 100 }, (_, i) => kinds[(i + Math.floor(i / 10)) % kinds.length]!);
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    expect(column(...cells.map(([text]) => text), ...numbers.map(String))).toEqual([
      ...cells.map(([, value]) => value),
      ...numbers,
    ]);
  });

  test('NUL is an ordinary character', () => {
    screen('a,b\n\0,"\0"\n');
    expect([cellsOf(engine, 0)[0]?.value, cellsOf(engine, 1)[0]?.value]).toEqual(['\0', '\0']);
  });
});

describe('limits', () => {
  const lines = (count: number): string => 'x\n'.repeat(count);

  test('10,000 records are read, the next one is refused as soon as it begins', () => {
    expect(screen(`a\n${lines(10_000)}`).profile!.rows).toBe(10_000);
    engine.begin({ format: Format.CSV, delimiter: 0x2c, salt: new Uint8Array(32) });
    expect(engine.write(bytesOf(`a\n${lines(10_000)}\n\r\n`))).toBe(Status.MORE);
    expect(engine.write(bytesOf('x'))).toBe(Status.FAILED);
    expect(engine.refusal()).toMatchObject({ fault: Fault.ROWS, row: 10_000 });
  });

  test('2,000 columns are read, one more is refused', () => {
    const header = (count: number): string => Array.from({ length: count }, (_, i) => `c${i}`).join();
    expect(screen(`${header(2000)}\nx\n`).profile!.fields.length).toBe(2000);
    expect(refusalOf(`${header(2001)}\nx\n`)?.fault).toBe('FIELDS');
    // In a record too, before its end has arrived.
    for (const columns of [1, 2, 2000]) {
      const begin = `${header(columns)}\n`;
      expect(refusalOf(`${begin}${','.repeat(1999)}\n`)).toBeUndefined();
      engine.begin({ format: Format.CSV, delimiter: 0x2c, salt: new Uint8Array(32) });
      expect(engine.write(bytesOf(`${begin}${','.repeat(1999)}`))).toBe(Status.MORE);
      expect(engine.write(bytesOf(',x'))).toBe(Status.FAILED);
      expect(engine.refusal()).toMatchObject({ fault: Fault.FIELDS, line: 2 });
    }
  });

  test('2,000,000 cells are read, one more is refused', () => {
    const table = (width: number): string =>
      `${'c,'.repeat(width - 1)}c\n${`${','.repeat(width - 1)}\n`.repeat(9_999)}`;
    expect(screen(`${table(200)}${','.repeat(199)}\n`).profile!.rows).toBe(10_000);
    expect(refusalOf(`${table(201)}`)?.fault).toBe('CELLS');
  });
});
