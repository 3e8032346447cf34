/** Files with something before, between or behind their rows, from the command line. */
import { afterAll, describe, expect, test } from 'bun:test';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => `A-${i};name ${i % 7};${i}.5\n`).join('');
const table = (count: number) => `id;name;price\n${rows(count)}`;

const read = async (file: string) => (await Bun.file(file).text()).split('\n');

describe('the line of the header', () => {
  test('is found, said, and left out of --good and --held', async () => {
    const file = await folder.write('titled.csv', `Orders of March\n\n${table(20)}Total;;9.5\n`);
    const [good, held] = [folder.at('good.csv'), folder.at('held.csv')];
    const { code, stderr, stdout } = await sluice(['screen', '--good', good, '--held', held, file]);
    expect(stderr).toBe(`sluice: ${file}: found delimiter ;, the header on line 3\n`);
    expect([code, stdout]).toEqual([0, expect.stringContaining('seems to be a total')]);
    expect(stdout).toContain('line 24');
    expect(await read(good)).toEqual(table(20).split('\n'));
    expect(await read(held)).toEqual(['id;name;price', 'Total;;9.5', '']);
  });

  test('may be given, for a file of many rows too', async () => {
    const title = 'x;y;z\n1;2;3\n';
    const file = await folder.write('long.csv', `${title}${table(10_000)}${table(5_000)}`);
    const { stdout } = await sluice(['screen', '--json', '--header-line', '3', file]);
    const { issues, decision, schema, stats } = JSON.parse(stdout);
    expect(issues.layout).toEqual([
      expect.objectContaining({ sign: 'header_repeated', lines: [10_004], rows: [10_004] }),
    ]);
    expect(decision.reason).toContain('on line 10,004');
    expect([stats.rows_received, Object.keys(schema)]).toEqual([15_001, ['id', 'name', 'price']]);
  });

  test('must be a line, of CSV', async () => {
    const file = await folder.write('some.csv', table(3));
    expect((await sluice(['screen', '--header-line', '0', file])).stderr).toContain(
      "--header-line must be a line from 1 to 10,000, not '0'",
    );
    const behind = await sluice(['screen', '--header-line', '99', file]);
    expect([behind.code, behind.stderr]).toEqual([
      3,
      expect.stringContaining('nothing where its header should be'),
    ]);
  });
});

test('the sep= line of Excel is read', async () => {
  const file = await folder.write('excel.csv', `sep=;\n${table(9)}`);
  const { stdout, stderr } = await sluice(['profile', '--json', file]);
  expect(Object.keys(JSON.parse(stdout).fields)).toEqual(['id', 'name', 'price']);
  expect(stderr).toContain('found delimiter ;, the header on line 2');
});

describe('JSON whose rows are elsewhere', () => {
  const wrapped = '{"meta":{"n":2},"response":{"items":[{"id":1},{"id":2}],"next":null},"x":[1]}';

  test('says where they seem to be, and --rows reads them', async () => {
    const file = await folder.write('wrapped.json', wrapped);
    expect((await sluice(['screen', file])).stderr).toContain(
      "The rows seem to be in 'response.items': if so, add --rows response.items",
    );
    const { stdout } = await sluice(['screen', '--json', '--rows', 'response.items', file]);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'PASS', stats: { rows_received: 2 } });
  });

  test('--rows of another name, of broken JSON, of CSV', async () => {
    const file = await folder.write('other.json', wrapped);
    const broken = await folder.write('broken.json', wrapped.slice(0, -2));
    const csv = await folder.write('rows.csv', table(2));
    const said = async (...args: string[]) => (await sluice(['screen', '--rows', ...args])).stderr;
    expect(await said('response.rows', file)).toContain("no array in 'response.rows'");
    expect(await said('meta', file)).toContain("there is one in 'response.items'");
    expect(await said('response.items', broken)).toContain('not JSON: something is wrong behind its rows');
    expect(await said('data', csv)).toContain('--rows is for JSON');
  });

  test.each([
    ['{"error":"no such table","status":404}', 'seems to be an error message'],
    ['{"a":[1,2],"b":["x","y"]}', 'holds columns, not rows'],
    ['[{},{},{}]', 'None of the 3 rows has a field'],
    ['{"a":1}', 'must hold an array of rows'],
  ])('%s', async (text, said) => {
    const file = await folder.write('none.json', text);
    expect((await sluice(['screen', file])).stderr).toContain(said);
  });
});
