/** Signs that values or names were damaged before they came, from the bytes of a body to the report. */
import { describe, expect, test } from 'bun:test';
import { Service } from './service.ts';

type Cell = string | number | null;

const quoted = (cell: Cell): string => `"${String(cell ?? '').replaceAll('"', '""')}"`;
const csvOf = (name: string, cells: readonly Cell[]): string =>
  `n,${quoted(name)}\n${cells.map((cell, i) => `${i},${cell === null ? '' : quoted(cell)}\n`).join('')}`;

async function screened(cells: readonly Cell[], form: 'csv' | 'json', name = 'x', options = {}) {
  const service = new Service();
  const { body } =
    form === 'csv'
      ? await service.csv(csvOf(name, cells), { 'X-Options': JSON.stringify(options) })
      : await service.post(
          new TextEncoder().encode(
            JSON.stringify({ source: 's', rows: cells.map((cell, n) => ({ n, [name]: cell })), options }),
          ),
        );
  return body;
}

/** A usual column, with other cells in some of its places. */
const among = (usual: (i: number) => Cell, others: readonly Cell[], count = 100): Cell[] =>
  Array.from({ length: count }, (_, i) =>
    i % 7 === 3 && i < 7 * others.length ? others[(i - 3) / 7]! : usual(i),
  );

const two = (n: number) => String(n).padStart(2, '0');
const iso = (i: number) => `2026-${two(1 + (i % 12))}-${two(1 + (i % 28))}`;
const dayFirst = (i: number) => `${two(1 + (i % 28))}/${two(1 + (i % 12))}/2026`;
const monthFirst = (i: number) => `${1 + (i % 12)}/${1 + (i % 28)}/2026`;
const id = (i: number) => `1055143804${String(4000064 + i * 977).padStart(7, '0')}`;
const word = (i: number) => `word ${i}`;

const DAMAGED: [string, string, Cell[], number][] = [
  ['days that no month has', 'impossible_date', among(iso, ['2026-02-30', '2026-13-05', '2026-06-31']), 3],
  [
    'times on days that no month has',
    'impossible_date',
    among(i => `${iso(i)}T10:00:00Z`, ['2026-02-30T10:00:00Z']),
    1,
  ],
  ['days of slashes that no month has', 'impossible_date', among(dayFirst, ['31/04/2026', '30/02/2026']), 2],
  [
    'days of points that no month has',
    'impossible_date',
    among(i => dayFirst(i).replaceAll('/', '.'), ['31.04.2026']),
    1,
  ],
  ['zeros in place of days', 'impossible_date', among(iso, Array(14).fill('0000-00-00')), 14],
  [
    'digits of days that no month has',
    'impossible_date',
    among(i => iso(i).replaceAll('-', ''), ['20260230', '20261301', '20260100']),
    3,
  ],
  [
    'times without an offset among such with one',
    'missing_offset',
    among(i => `${iso(i)}T10:00:00+01:00`, ['2026-03-02T10:00:00', '2026-03-02T11:00:00']),
    2,
  ],
  [
    'times with an offset among such without',
    'missing_offset',
    among(
      i => `${iso(i)} 10:00:00`,
      ['2026-03-02 10:00:00Z', '2026-03-02 10:00:00+01', '2026-03-02 10:00:00-00:00'],
    ),
    3,
  ],
  ['the month first among days first', 'two_day_orders', among(dayFirst, ['03/25/2026', '04/13/2026']), 2],
  ['the day first among months first', 'two_day_orders', among(monthFirst, ['25/3/2026']), 1],
  ['two ids in scientific notation', 'rounded_ids', among(id, ['1.05514380400001E+016', '1.05514E+16']), 2],
  ['ids in scientific notation', 'rounded_ids', among(i => `5.901${20 + (i % 80)}E+12`, []), 100],
  [
    'ids of 20 digits, one of them rounded',
    'rounded_ids',
    among(i => `${id(i)}123`, ['1.05514380400001E+19']),
    1,
  ],
  ['ids of 15 digits and zeros', 'rounded_ids', among(i => `${id(i).slice(0, 15)}0000`, []), 100],
  ['ids as JavaScript rounds them', 'rounded_ids', among(i => String(Number(`${id(i)}13`)), []), 100],
  ['UTF-8 read as windows-1252', 'mojibake', among(word, ['KÃ¶ln', 'donâ€™t', 'Ð¿Ñ€Ð¸Ð²ÐµÑ‚']), 3],
  ['lost characters', 'replacement_character', among(word, ['K\ufffdln', '\ufffd']), 2],
  [
    'characters that nobody sees',
    'invisible_character',
    among(word, ['a\u200bb', 'a\u202eb', 'x\ufeffy']),
    3,
  ],
  ['errors of a spreadsheet among texts', 'spreadsheet_error', among(word, ['#REF!', '#NAME?']), 2],
  [
    'errors of a spreadsheet among few texts',
    'spreadsheet_error',
    among(i => `kind ${i % 4}`, ['#VALUE!', '#N/A']),
    2,
  ],
  [
    'texts of 255 characters',
    'cut_texts',
    among(i => 'ä'.repeat(20 + 2 * i), Array(5).fill('ö'.repeat(255))),
    5,
  ],
  [
    'texts of 32,767 characters',
    'cut_texts',
    among(i => 'x'.repeat(900 * (i % 10)), Array(3).fill('"'.repeat(32_767))),
    3,
  ],
  ['commas among points', 'two_decimal_signs', among(i => `${i}.25`, ['1,5', '2,75', '-3,1']), 3],
  ['points among commas', 'two_decimal_signs', among(i => `${i},25`, ['1.5']), 1],
];

describe.each(['csv', 'json'] as const)('in %s', form => {
  test.each(DAMAGED)('%s are named as %s', async (_, sign, cells, count) => {
    const { issues, status } = await screened(cells, form);
    expect(issues.signs).toEqual([expect.objectContaining({ field: 'x', sign, count, severity: 'warn' })]);
    expect(['WARN', 'BLOCK']).toContain(status);
  });

  test.each([
    ['days', among(iso, [null, null])],
    ['days of slashes', among(dayFirst, [])],
    ['digits of days', among(i => iso(i).replaceAll('-', ''), [])],
    ['digits that are seldom days', among(i => `2026${1000 + 83 * i}`, [])],
    ['digits that are days by chance', among(i => `${20_200_101 + i}`, [])],
    ['days and times', among(i => (i % 2 ? iso(i) : `${iso(i)}T10:00:00Z`), [])],
    ['times of summer and winter', among(i => `${iso(i)}T10:00:00+0${1 + (i % 2)}:00`, [])],
    ['times of London', among(i => `${iso(i)}T10:00:00${i % 2 ? 'Z' : '+01:00'}`, [])],
    ['texts that only begin as those of a test', among(i => `test ${i}`, ['testament', 'asdfg'])],
    ['codes like days, most of which are none', among(i => `${2000 + i}-99-01`, [])],
    ['codes like days, some of which are none', among(i => `2026-${two(i % 100)}-01`, [])],
    ['versions', among(i => `1.${i}.${i % 3}`, [])],
    ['ids', among(id, [])],
    ['times in nanoseconds', among(i => `17000000001234${10 + (i % 90)}000`, [])],
    ['times in units of 100 nanoseconds', among(i => `1700000000${1234567 + 7919 * i}00`, [])],
    ['amounts in units of 10^-18', among(i => `${1 + i}00000000000000000`, [])],
    ['numbers of physics', among(i => `${1 + i / 10}e+${12 + (i % 9)}`, [])],
    ['long texts', among(i => 'x'.repeat(3 * i), Array(5).fill('y'.repeat(255)))],
    ['thousands', among(i => `1,${two(i)}0`, ['1.5'])],
    ['addresses of computers', among(i => `10.0.${i}.1`, [])],
    ['French, Persian and families', among(word, ['MAÇÃ', 'é’', 'می‌خواهم', '👩‍👩‍👧', '\u200fשלום'])],
    ['tags and colours', among(i => `#${i}`, ['#NA', '#FF0000', '#ref'])],
  ])('%s have no sign', async (_, cells) => {
    const { issues } = await screened(cells, form);
    expect(issues?.signs).toBeUndefined();
  });
});

describe('what may stand for no value is info, and changes neither verdict nor health', () => {
  test.each([
    ['sentinel_date', among(iso, ['1970-01-01', '1970-01-01', '1900-01-01']), 3],
    ['sentinel_date', among(i => `${iso(i)}T08:00:00Z`, ['9999-12-31T00:00:00Z', '9999-12-31T23:59:59Z']), 2],
    ['sentinel_number', among(i => i % 40, [-999, -999]), 2],
    ['sentinel_number', among(i => i % 40, [99_999, 99_999, 99_999]), 3],
  ] as const)('%s', async (sign, cells, count) => {
    for (const form of ['csv', 'json'] as const) {
      const { issues, status, health_score, quarantine } = await screened(cells, form, 'x', {
        row_verdicts: true,
      });
      expect(issues.signs).toEqual([
        expect.objectContaining({ sign, count, severity: 'info', rows: expect.any(Array) }),
      ]);
      expect(issues.signs[0].rows).toHaveLength(count);
      expect([
        status,
        quarantine.reasons.some(({ code }: { code: string }) => code === 'damaged_value'),
      ]).toEqual(['PASS', false]);
      expect(health_score).toBeGreaterThan(0.8);
    }
  });

  test.each([
    [among(i => `${iso(i)}T10:00:00Z`, ['2026-03-02T10:00:00+02:00', '2026-03-02T10:00:00+05:30']), 2],
    [among(i => `${iso(i)}T10:00:00+01:00`, ['2026-03-02T10:00:00-05:00']), 1],
    [among(i => `${iso(i)}T10:00:00-0${4 + (i % 2)}00`, ['2026-03-02T10:00:00+0000']), 1],
  ])('times with different offsets from UTC', async (cells, count) => {
    for (const form of ['csv', 'json'] as const) {
      const { issues, status } = await screened(cells, form);
      expect(issues.signs).toEqual([
        expect.objectContaining({ sign: 'mixed_offset', count, severity: 'info' }),
      ]);
      expect([status, issues.signs[0].rows.length]).toEqual(['PASS', count]);
    }
  });

  test.each(['name', 'customerName', 'E-Mail', 'home_address'])(
    'what was typed as a test in %s',
    async name => {
      const typed = ['test', 'TEST', 'Asdf', 'lorem ipsum', 'Test@test.com', 'test@example.com', 'qwerty'];
      for (const form of ['csv', 'json'] as const) {
        const { issues, status } = await screened(among(word, typed), form, name);
        expect(issues.signs).toEqual([
          expect.objectContaining({ sign: 'test_data', count: typed.length, severity: 'info' }),
        ]);
        expect([status, issues.signs[0].rows.length]).toEqual(['PASS', typed.length]);
      }
    },
  );

  test.each(['kind', 'name_length', 'branch'])('but such words in %s may be right', async name => {
    expect((await screened(among(word, ['test', 'dummy']), 'csv', name)).issues?.signs).toBeUndefined();
  });

  test.each([
    ['days of 1970', among(i => `1970-01-${two(1 + (i % 28))}`, [])],
    ['one such day', among(iso, ['1970-01-01'])],
    ['numbers with fractions', among(i => `${i}.0`, ['1', '1.5'])],
    ['whole numbers with a point', among(i => `${i}.0`, [])],
    ['one such number', among(i => i % 40, [-999])],
    ['numbers that go on beyond it', among(i => i % 40, [-999, -999, -1500])],
    ['numbers as large as others', among(i => 10_000 * i, [99_999, 99_999])],
  ])('%s are none', async (_, cells) => {
    expect((await screened(cells, 'csv')).issues?.signs).toBeUndefined();
  });
});

test('whole numbers with and without a point are info', async () => {
  const { issues, status } = await screened(
    among(i => i, ['7.0', '8.0']),
    'csv',
  );
  expect(issues.signs).toEqual([
    expect.objectContaining({
      sign: 'whole_decimals',
      count: 2,
      sample_values: ['7.0', '8.0'],
      rows: [5, 12],
      severity: 'info',
    }),
  ]);
  expect(status).toBe('PASS');
});

test('escapes of JSON are read', async () => {
  const rows = Array.from(
    { length: 50 },
    (_, i) =>
      `{"a":"${i % 9 ? 'K\\u00f6ln' : 'K\\u00c3\\u00b6ln'}","b":"${i % 5 ? '' : 'x\\u200b'}","c":"${i % 4 ? 'y' : '\\ufffd'}"}`,
  );
  const { body } = await new Service().post(new TextEncoder().encode(`{"source":"s","rows":[${rows}]}`));
  expect(
    body.issues.signs.map(({ field, sign, count }: Record<string, unknown>) => [field, sign, count]),
  ).toEqual([
    ['a', 'mojibake', 6],
    ['b', 'invisible_character', 10],
    ['c', 'replacement_character', 13],
  ]);
});

test('#N/A in a column of numbers is named, but it is null and no WARN', async () => {
  const { schema, issues, status } = await screened(
    among(i => i, ['#N/A', '#N/A']),
    'csv',
  );
  expect([schema.x.type, status]).toEqual(['number', 'PASS']);
  expect(issues.signs).toEqual([
    {
      sign: 'spreadsheet_null',
      field: 'x',
      count: 2,
      rate: 0.02,
      sample_values: ['#N/A'],
      rows: [5, 12],
      detail: '2 values are #N/A, the error of a spreadsheet that finds nothing; read as null',
      severity: 'info',
    },
  ]);
});

test('names that cannot be told apart, or found, are named', async () => {
  const { body } = await new Service().csv('or\u200bder_id,cur\u00a0rency,Größe,Gro\u0308ße\n1,EUR,2,3\n');
  expect(body.issues.signs.map(({ field, sign }: Record<string, unknown>) => [field, sign])).toEqual([
    ['or\u200bder_id', 'odd_name'],
    ['cur\u00a0rency', 'odd_name'],
    ['Größe', 'similar_names'],
  ]);
  expect(body.decision.reason).toContain("'or\\u200bder_id': the name has a character that cannot be seen");
});

test('a sign says how many, which, where and what to do, and its rows are held', async () => {
  const cells = among(word, ['K\ufffdln', 'K\ufffdln', 'M\ufffdnchen']);
  const { issues, quarantine, decision } = await screened(cells, 'csv', 'city', { row_verdicts: true });
  const detail =
    '3 values (3%) hold U+FFFD, which stands for text that is lost; read the source again in its own encoding';
  expect(issues.signs).toEqual([
    {
      sign: 'replacement_character',
      field: 'city',
      count: 3,
      rate: 0.03,
      sample_values: ['K\ufffdln', 'M\ufffdnchen'],
      rows: [5, 12, 19],
      detail,
      severity: 'warn',
    },
  ]);
  expect(decision.reason).toBe(`'city': ${detail}`);
  expect(quarantine.reasons).toEqual([
    { code: 'damaged_value', field: 'city', severity: 'warning', count: 3 },
  ]);
});

describe('options.signs', () => {
  const cells = among(iso, ['2026-02-30', '#REF!']);
  const signsOf = async (signs: unknown) =>
    ((await screened(cells, 'csv', 'x', { signs })).issues?.signs ?? []).map(
      (each: { sign: string }) => each.sign,
    );

  test('chooses what is looked for', async () => {
    expect(await signsOf(true)).toEqual(['spreadsheet_error', 'impossible_date']);
    expect(await signsOf(['impossible_date'])).toEqual(['impossible_date']);
    expect(await signsOf(false)).toEqual([]);
    expect(await signsOf([])).toEqual([]);
  });

  test.each([
    ['no', "options.signs must be true, false or a list of signs, not 'no'"],
    [['mojibak'], "options.signs has no 'mojibak'; the known signs are odd_name, similar_names"],
  ])('%j is refused', async (signs, message) => {
    expect((await screened(cells, 'csv', 'x', { signs })).message).toContain(message);
  });
});
