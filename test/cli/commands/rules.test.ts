/** `sluice rules` as typed: what it makes of documents of other programs, and errors with file and line. */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { EXAMPLES, Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const FOREIGN = join(import.meta.dir, '../../rules/interchange/foreign');

const RULES = `description: Orders
fields:
  id:
    nullable: false
  quantity:
    minimum: 1
    tolerance: 0.01
`;

describe('sluice rules import', () => {
  const contract = join(FOREIGN, 'odcs/full-example-v3.2.0.odcs.yaml');

  test('prints rules as YAML, and lists on standard error what has no counterpart', async () => {
    const { code, stdout, stderr } = await sluice([
      'rules',
      'import',
      '--format',
      'odcs',
      '--table',
      'receivers',
      contract,
    ]);
    expect(code).toBe(0);
    expect(Bun.YAML.parse(stdout)).toMatchObject({ fields: { id: { unique: true, nullable: false } } });
    expect(stderr).toContain('sluice: 10 parts have no counterpart in rules:\n');
    expect(stderr).toContain('  schema[1].properties[4].map: Values inside a value are not checked\n');
  });

  test('what it writes can be exported again', async () => {
    const file = folder.at('imported.yaml');
    await sluice(['rules', 'import', '-f', 'odcs', '--table', 'receivers', '-o', file, contract]);
    const { code, stdout, stderr } = await sluice(['rules', 'export', '--as', 'json-schema', file]);
    expect([code, JSON.parse(stdout).required]).toEqual([0, ['id', 'country_code', 'receiver_name']]);
    expect(stderr).toContain('fields.id.unique: A schema is about one row and its single values');
  });

  test('reads standard input', async () => {
    const stdin = JSON.stringify({ properties: { a: { minimum: 1 } } });
    const { stdout } = await sluice(['rules', 'import', '-f', 'json-schema', '-'], { stdin });
    expect(Bun.YAML.parse(stdout)).toEqual({ fields: { a: { minimum: 1 } } });
  });

  test.each([
    [
      ['rules', 'import', contract],
      '--format must be one of json-schema, odcs, dbt, frictionless, great-expectations',
    ],
    [['rules', 'import', '-f', 'xml', contract], '--format must be one of'],
    [['rules', 'import', '-f', 'odcs'], 'Name one file, or - for standard input'],
    [
      ['rules', 'import', '-f', 'odcs', contract],
      "table: name one object of the schema; the document has 'tbl', 'receivers'",
    ],
    [['rules', 'import', '-f', 'odcs', folder.at('absent.yaml')], 'There is no such file'],
  ])('%j is an error that says what to do', async (args, message) => {
    const { code, stdout, stderr } = await sluice(args);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(message);
  });

  test('a mistake in the file has its line', async () => {
    const file = await folder.write('broken.yaml', 'a: 1\nb: [1, 2\nc: 3\n');
    const { code, stderr } = await sluice(['rules', 'import', '-f', 'odcs', file]);
    expect(code).toBe(3);
    expect(stderr).toStartWith(`sluice: ${file}:3: It is no YAML or JSON`);
  });
});

describe('sluice rules export', () => {
  test('quotes texts that YAML 1.1 takes for dates and numbers', async () => {
    const values = ['2026-01-02', '12:30', '1_000', 'on'];
    const rules = JSON.stringify({ fields: { a: { enum: values } } });
    const { stdout } = await sluice(['rules', 'export', '--as', 'odcs', '-'], { stdin: rules });
    for (const value of values) expect(stdout).toContain(`- "${value}"\n`);
  });

  test('names the table after the file', async () => {
    const file = await folder.write('orders.rules.yaml', RULES);
    const { code, stdout, stderr } = await sluice(['rules', 'export', '--as', 'odcs', file]);
    expect(code).toBe(0);
    expect(Bun.YAML.parse(stdout)).toMatchObject({
      apiVersion: 'v3.1.0',
      schema: [{ name: 'orders', properties: [{ name: 'id', required: true }, { name: 'quantity' }] }],
    });
    expect(stderr).toContain('fields.quantity.minimum: A contract knows no warning or tolerance of it');
  });

  test('as a suite it keeps the tolerance', async () => {
    const { stdout } = await sluice(['rules', 'export', '--as', 'great-expectations', '-'], { stdin: RULES });
    expect(JSON.parse(stdout).expectations).toContainEqual({
      type: 'expect_column_values_to_be_between',
      kwargs: { column: 'quantity', min_value: 1, mostly: 0.99 },
      meta: {},
      severity: 'critical',
    });
  });

  test.each([
    ['fields:\n  id:\n    nullable: maybe\n', ":3: fields.id.nullable: must be true or false, not 'maybe'"],
    ['fields:\n  "a.b":\n    minimum: x\n', ':3: fields["a.b"].minimum: must be a number'],
    [
      'compare:\n  - left: a\n    op: "<"\n    value: 1\n  - left: a\n    op: like\n    right: b\n',
      ':6: compare[1].op: must be one of',
    ],
    ['{"fields": {\n  "id": {"minimun": 1}}}', ':2: fields.id.minimun: unknown'],
    [
      'when:\n  - if: { field: a, equals: 1 }\n    then:\n      fields:\n        b:\n          minimum: x\n',
      ':6: when[0].then.fields.b.minimum: must be a number',
    ],
    [
      'when:\n  - if: { field: a, equals: 1 }\n    then:\n      compare:\n        - left: a\n          op: "=>"\n          right: b\n',
      ':6: when[0].then.compare[0].op: must be one of',
    ],
  ])('a rule that is wrong is an error with its line: %j', async (rules, message) => {
    const file = await folder.write('wrong.yaml', rules);
    const { code, stderr } = await sluice(['rules', 'export', '--as', 'odcs', file]);
    expect(code).toBe(3);
    expect(stderr).toStartWith(`sluice: ${file}${message}`);
  });
});

describe('with a file of baselines', () => {
  const baselines = folder.at('baselines.sqlite');
  const made = (async () => {
    const orders = await folder.write('orders.csv', `id,amount\n${'1,2\n'.repeat(5)}`);
    await sluice(['screen', '--baseline', baselines, '--source', 'orders', orders]);
  })();
  const said = "sluice: 1 field is in the rules and in no batch of 'orders': such rules check nothing";

  test.each([
    [['import', '-f', 'json-schema'], '{"properties":{"id":{"minimum":1},"amonut":{"minimum":1}}}'],
    [['export', '--as', 'json-schema'], 'fields: { id: { minimum: 1 }, amonut: { minimum: 1 } }'],
  ])('%p says which fields the source never had', async (words, stdin) => {
    await made;
    const args = ['rules', ...words, '--baseline', baselines, '--source', 'orders', '-'];
    const { code, stderr } = await sluice(args, { stdin });
    expect(code).toBe(0);
    expect(stderr).toBe(`${said}\n  'amonut' (fields.amonut.minimum): is it 'amount'?\n`);
  });

  test.each([
    [['--baseline', folder.at('none.sqlite'), '--source', 'orders'], 'There is no such file of baselines'],
    [['--baseline', baselines], '--baseline needs the name of the source: --source NAME'],
  ])('%p is an error', async (words, message) => {
    await made;
    const stdin = '{"properties":{"amonut":{"minimum":1}}}';
    const { code, stderr } = await sluice(['rules', 'import', '-f', 'json-schema', ...words, '-'], { stdin });
    expect([code, stderr]).toEqual([3, expect.stringContaining(message)]);
  });
});

describe('sluice rules suggest', () => {
  test('prints rules that the file keeps, which can be used, and the evidence on standard error', async () => {
    const { code, stdout, stderr } = await sluice(['rules', 'suggest', join(EXAMPLES, 'orders-clean.csv')]);
    expect(code).toBe(0);
    expect(Bun.YAML.parse(stdout)).toMatchObject({
      fields: {
        order_id: { nullable: false, type: 'string', unique: true },
        status: { enum: { value: ['delivered', 'paid', 'returned', 'shipped'], severity: 'warn' } },
        email: { format: 'email' },
      },
    });
    expect(stderr).toContain('  fields.order_id.nullable: None of 150 rows is without a value\n');
    expect(stderr).toEndWith('sluice: 25 rules suggested from 150 rows\n');
    const again = await sluice(['rules', 'export', '--as', 'odcs', '-'], { stdin: stdout });
    expect(again.code).toBe(0);
  });

  test('checks all rows by what it suggests, however few of them a profile has seen', async () => {
    const rows = Array.from({ length: 4000 }, (_, id) => ({
      id,
      at: `2026-01-02T03:04:05${id === 3333 ? ',5' : ''}`,
      contact: `a${id}@${id === 3333 ? '-' : ''}b.co`,
      mail: `b${id}@b.co`,
      hours: id >= 3000 && id < 3008 ? 7.5 : 8,
    }));
    const file = await folder.write('odd.ndjson', rows.map(row => JSON.stringify(row)).join('\n'));
    const { stdout, stderr, code } = await sluice(['rules', 'suggest', file]);
    expect([code, Bun.YAML.parse(stdout)]).toEqual([
      0,
      {
        fields: {
          id: { nullable: false, type: 'integer', unique: true, minimum: 0 },
          at: { nullable: false, type: 'string' },
          contact: { nullable: false, type: 'string', unique: true },
          hours: { nullable: false, type: 'number', minimum: 0 },
          mail: { nullable: false, type: 'string', unique: true, format: 'email' },
        },
      },
    ]);
    expect(stderr).toContain('  fields.hours.type: Each of 4,000 values is of type number\n');
    const rules = await folder.write('odd.rules.yaml', stdout);
    expect((await sluice(['screen', '--rules', rules, file])).code).toBe(0);
  });

  test('does not replace the file', async () => {
    const file = await folder.write('kept.csv', 'a\n1\n');
    const { code, stderr } = await sluice(['rules', 'suggest', '--out', file, file]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('--out would replace')]);
    expect(await Bun.file(file).text()).toBe('a\n1\n');
  });

  test('looks at all batches of a file', async () => {
    const ids = Array.from({ length: 10_500 }, (_, i) => `${i},${i < 10_400 ? 'a' : ''}`);
    const file = await folder.write('long.csv', `id,state\n${ids.join('\n')}\n`);
    const { stdout, stderr } = await sluice(['rules', 'suggest', file]);
    expect(Bun.YAML.parse(stdout)).toMatchObject({
      fields: { state: { max_null_rate: expect.any(Number) } },
    });
    expect(stderr).toContain('suggested from 10,500 rows');
  });
});

describe('sluice screen --rules', () => {
  test('checks every row, and a mistake in the rules is an error with its line', async () => {
    const rules = await folder.write('screen.rules.yaml', 'fields:\n  n:\n    minimum: 0\n');
    const file = await folder.write(
      'n.csv',
      `n\n${Array.from({ length: 3000 }, (_, i) => (i === 2999 ? -1 : i)).join('\n')}\n`,
    );
    const { code, stdout } = await sluice(['screen', '--json', '--rules', rules, file]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).issues.rule_violations).toMatchObject([
      { rule: 'fields.n.minimum', count: 1, sample_value: -1 },
    ]);
    expect((await sluice(['screen', file])).code).toBe(0);
    const wrong = await folder.write('wrong.rules.yaml', 'fields:\n  n:\n    minimum: x\n');
    const { code: refused, stderr } = await sluice(['screen', '--rules', wrong, file]);
    expect([refused, stderr]).toEqual([
      3,
      `sluice: ${wrong}:3: fields.n.minimum: must be a number, not 'x'\n`,
    ]);
  });
});
