/** Signs of damaged values in files, from the command line. */
import { afterAll, describe, expect, test } from 'bun:test';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const read = async (file: string) => (await Bun.file(file).text()).split('\n');

/** Every 1,000th row is damaged in one of its columns. */
function longRow(i: number): string {
  const isOdd = i % 1000 === 999;
  const day = `2026-03-${String(1 + (i % 28)).padStart(2, '0')}`;
  const slashed = i < 20_000 ? `${1 + (i % 28)}/03/2026` : `03/${1 + (i % 28)}/2026`;
  return [
    i,
    isOdd ? 'K\ufffdln' : `city ${i % 300}`,
    i % 50 === 0 ? '2026-02-30' : day,
    slashed,
    isOdd ? '1.05514E+16' : `1055143804${4000000 + i}`,
    isOdd ? '#REF!' : `name ${i}`,
  ].join();
}
const LONG = `n,city,day,slashed,id,name\n${Array.from({ length: 30_000 }, (_, i) => `${longRow(i)}\n`).join('')}`;

describe('a file of many rows', () => {
  test('has the signs of all of them, with their lines', async () => {
    const { stdout } = await sluice(['screen', '--json', await folder.write('long.csv', LONG)]);
    const { issues, stats } = JSON.parse(stdout);
    expect(stats.rows_received).toBe(30_000);
    const found = issues.signs.map((each: Record<string, unknown>) => [each.field, each.sign, each.count]);
    expect(found).toEqual([
      ['city', 'replacement_character', 30],
      ['day', 'impossible_date', 600],
      // A slice that has one order only is looked at here and there.
      ['slashed', 'two_day_orders', expect.any(Number)],
      ['id', 'rounded_ids', 30],
      ['name', 'spreadsheet_error', 30],
    ]);
    expect(issues.signs[0].rows.slice(0, 3)).toEqual([1001, 2001, 3001]);
    expect(issues.signs[0].sample_values).toEqual(['K\ufffdln']);
    expect(issues.signs[1].rows.slice(0, 2)).toEqual([2, 52]);
    expect(issues.signs[2].rows.every((line: number) => line > 20_001)).toBe(true);
  }, 30_000);

  test('is divided into good rows and others', async () => {
    const [good, held] = [folder.at('good.csv'), folder.at('held.csv')];
    await sluice(['screen', '--good', good, '--held', held, await folder.write('divided.csv', LONG)]);
    const lines = await read(held);
    expect(lines.filter(line => line.includes('2026-02-30'))).toHaveLength(600);
    expect((await read(good)).some(line => /\ufffd|2026-02-30|#REF!|E\+16/.test(line))).toBe(false);
  }, 30_000);
});

test('what cannot be seen is shown', async () => {
  const file = await folder.write('names.csv', `or\u200bder_id,city\n1,a\u200bb\n2,c\n`);
  const { stdout } = await sluice(['screen', file]);
  expect(stdout).toContain("warn      'or\\u200bder_id': the name has a character that cannot be seen");
  expect(stdout).toContain("for example 'a\\u200bb'");
});

test('--signs chooses what is looked for', async () => {
  const file = await folder.write('dates.csv', `d\n2026-02-30\n#REF!\n${'2026-03-04\n'.repeat(30)}`);
  const signsOf = async (...more: string[]) => {
    const { issues } = JSON.parse((await sluice(['screen', '--json', ...more, file])).stdout);
    return (issues?.signs ?? []).map(({ sign }: { sign: string }) => sign);
  };
  expect(await signsOf()).toEqual(['spreadsheet_error', 'impossible_date']);
  expect(await signsOf('--signs', 'impossible_date, mojibake')).toEqual(['impossible_date']);
  expect(await signsOf('--signs', 'none')).toEqual([]);
  const { code, stderr } = await sluice(['screen', '--signs', 'mojibak', file]);
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining("has no 'mojibak'; the known signs are odd_name"),
  ]);
});

test.each([
  ['foo', "--signs has no 'foo'; the known signs are odd_name, similar_names"],
  ['mojibake,impossible', "--signs has no 'impossible'"],
])('--signs %s is refused by its own name', async (names, message) => {
  const file = await folder.write('signs.csv', 'a\n1\n');
  const { code, stderr } = await sluice(['screen', '--signs', names, file]);
  expect(code).toBe(3);
  expect(stderr).toContain(message);
});
