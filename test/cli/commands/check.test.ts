/** `sluice check` as typed: what `sluice.yaml` says holds, and a mistake in it is an error with its line. */
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../../../src/cli/commands/check.ts';
import { editorSchema, SCHEMA_NAMES } from '../../../src/cli/commands/check-schema.ts';
import { Failure } from '../../../src/cli/failure.ts';
import { Terminal } from '../../../src/cli/terminal.ts';
import { SCALE_KEY, Service } from '../../http/service.ts';
import { EXAMPLES, Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const csv = (rows: number, broken = -1): string =>
  `id,quantity\n${Array.from({ length: rows }, (_, i) => `${i},${i === broken ? -1 : 1 + (i % 9)}`).join('\n')}\n`;

await folder.write('good-1.csv', csv(100));
await folder.write('good-2.csv', csv(120));
await folder.write('broken.csv', csv(100, 41));
await folder.write('quantity.rules.yaml', 'fields:\n  quantity: { minimum: 1 }\n');

/** Runs `sluice check` in the folder with this `sluice.yaml`. */
async function check(text: string, args: string[] = [], environment: Record<string, string> = {}) {
  await folder.write('sluice.yaml', text);
  return sluice(['check', ...args], { folder: folder.at('.'), environment });
}

const orders = (files: string, more = ''): string =>
  `sources:\n  orders:\n    files: ${files}\n    rules: quantity.rules.yaml\n${more}`;

describe('what is checked', () => {
  test('each file of each source by its rules, without an option', async () => {
    const { code, stdout, stderr } = await check(
      `${orders('good-*.csv')}  others:\n    files: [broken.csv]\n    rules: { fields: { quantity: { minimum: 1 } } }\n`,
    );
    expect(stderr).toBe('');
    expect(stdout.match(/^(?:PASS|WARN|BLOCK) +\S+/gm)).toEqual([
      'PASS   good-1.csv',
      'PASS   good-2.csv',
      'BLOCK  broken.csv',
    ]);
    expect(stdout).toContain("source 'others'");
    expect(stdout).toContain('fields.quantity.minimum is violated in 1 row (1%)');
    expect(code).toBe(2);
  });

  test('only the sources that are named', async () => {
    const text = `${orders('good-1.csv')}  others:\n    files: broken.csv\n    rules: quantity.rules.yaml\n`;
    expect((await check(text, ['orders'])).code).toBe(0);
    expect((await check(text, ['others'])).code).toBe(2);
    const { code, stderr } = await check(text, ['other']);
    expect([code, stderr]).toEqual([
      3,
      "sluice: sluice.yaml: There is no source 'other'; there are 'orders', 'others'\n",
    ]);
  });

  test('with thresholds, of which those of the source hold, and a severity that fails the check', async () => {
    await folder.write('nulls.csv', `a,b\n${'1,\n1,2\n'.repeat(50)}`);
    const text = (warn: string) =>
      `fail_on: warn\nthresholds: { null_rate_warn: ${warn} }\nsources:\n  n:\n    files: nulls.csv\n`;
    expect((await check(text('0.9'))).code).toBe(0);
    expect((await check(text('0.2'))).code).toBe(1);
    expect((await check(`${text('0.2')}    thresholds: { null_rate_warn: 0.9 }\n`)).code).toBe(0);
  });

  test('paths begin at the folder of the file, wherever the command runs', async () => {
    await folder.write(
      'sluice.yaml',
      orders('good-*.csv', 'outputs: [{ format: json, file: out/report.json }]\n'),
    );
    const { code } = await sluice(['check', '--config', folder.at('sluice.yaml')], { folder: EXAMPLES });
    expect(code).toBe(0);
    const { results, status } = await Bun.file(folder.at('out/report.json')).json();
    expect([results.length, results[0].rule_violations, status]).toEqual([2, undefined, 'PASS']);
  });

  test('a glob in a folder whose own name looks like one', async () => {
    await folder.write('or[d]ers*/day-1.csv', csv(10));
    await folder.write('or[d]ers*/sluice.yaml', 'sources: { orders: { files: day-*.csv } }\n');
    const { code, stderr } = await sluice(['check', '--config', folder.at('or[d]ers*/sluice.yaml')]);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('a file once for a source, though several of its patterns match it', async () => {
    const { stdout } = await check(orders('[good-1.csv, "good-*.csv", ./good-2.csv]'));
    expect(stdout.match(/^PASS +\S+/gm)).toEqual(['PASS   good-1.csv', 'PASS   good-2.csv']);
  });

  test('with hints that name what this command has', async () => {
    await folder.write('sampled.csv', csv(2000));
    const { stdout } = await check(orders('sampled.csv'));
    expect(stdout).toContain('; full_scan: true in sluice.yaml measures all\n');
    expect(stdout).not.toContain('--full-scan');
  });

  test('a file of many rows as one batch, also on a server', async () => {
    await folder.write('long.csv', csv(11_000, 41));
    const { code, stdout } = await check(orders('long.csv'));
    expect([code, stdout]).toEqual([2, expect.stringMatching(/^BLOCK +long\.csv {2}11,000 rows {2}health/)]);
    expect(stdout).toContain('fields.quantity.minimum is violated in 1 row (<0.1%)');
    const service = new Service();
    using server = Bun.serve({ port: 0, fetch: request => service.app.handle(request) });
    const served = await check(`url: ${server.url}\n${orders('long.csv')}`, [], { SLUICE_KEY: SCALE_KEY });
    expect([served.code, served.stdout]).toEqual([2, stdout]);
  });

  test('against what earlier runs stored, unless it is a dry run', async () => {
    const text = `baseline: base.sqlite\n${orders('good-1.csv')}`;
    const history = async (...args: string[]) => {
      const { stdout } = await check(`${text}outputs: [{ format: json }]\n`, args);
      return JSON.parse(stdout).results[0].gate.history;
    };
    expect(await history('--dry-run')).toBe(0);
    expect(await history()).toBe(0);
    expect(await history('--dry-run')).toBe(1);
    expect(await history()).toBe(1);
    expect(existsSync(folder.at('base.sqlite'))).toBe(true);
  });

  test('in adaptive mode, where a baseline remembers earlier runs', async () => {
    await folder.write('null.csv', `id,note\n${'1,\n'.repeat(50)}`);
    const text = 'mode: adaptive\nsources: { n: { files: null.csv } }\n';
    expect((await check(text)).code).toBe(3);
    expect((await check(`baseline: adaptive.sqlite\n${text}`)).code).toBe(0);
    expect((await check(text.replace('files', 'mode: contract, files'))).code).toBe(2);
  });

  test('on a server, with the key of the environment', async () => {
    const service = new Service();
    using server = Bun.serve({ port: 0, fetch: request => service.app.handle(request) });
    const text = `url: ${server.url}\n${orders('broken.csv')}`;
    const refused = await check(text);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      'sluice: A server needs an API key: set SLUICE_KEY\n',
    ]);
    expect((await check(text, [], { SLUICE_KEY: SCALE_KEY })).code).toBe(2);
  });
});

describe('where results go', () => {
  test('to standard output and into files, each in its form', async () => {
    const { code, stdout } = await check(
      orders(
        'broken.csv',
        'outputs:\n  - format: markdown\n  - { format: junit, file: reports/check.xml }\n',
      ),
    );
    expect(code).toBe(2);
    expect(stdout).toContain('BLOCK');
    expect(await Bun.file(folder.at('reports/check.xml')).text()).toContain('failures="1"');
  });

  test('with --quiet only into files', async () => {
    const { stdout, stderr } = await check(
      orders('broken.csv', 'outputs: [{ format: text }, { format: json, file: quiet.json }]\n'),
      ['--quiet'],
    );
    expect(stdout + stderr).toBe('');
    expect((await Bun.file(folder.at('quiet.json')).json()).status).toBe('BLOCK');
  });

  test('a file that cannot be written is an error before anything is screened', async () => {
    const { code, stdout, stderr } = await check(
      orders('broken.csv', 'outputs: [{ format: text }, { format: json, file: good-1.csv/x.json }]\n'),
    );
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('It cannot be written');
  });

  test.each(['good-1.csv', './good-2.csv', 'good.link', 'quantity.rules.yaml', 'base.db', 'sluice.yaml'])(
    'not into %s, which the check uses',
    async name => {
      if (!existsSync(folder.at('good.link'))) symlinkSync('good-1.csv', folder.at('good.link'));
      const { code, stdout, stderr } = await check(
        orders('good-*.csv', `baseline: base.db\noutputs:\n  - { format: json, file: ${name} }\n`),
      );
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(
        /^sluice: sluice.yaml:7: outputs\[0\] would replace \S+, which this command uses too: name another file\n$/,
      );
      expect(await Bun.file(folder.at('good-1.csv')).text()).toBe(csv(100));
    },
  );

  test('not twice into one file', async () => {
    const { code, stderr } = await check(
      orders('good-1.csv', 'outputs: [{ format: json, file: x }, { format: junit, file: ./x }]\n'),
    );
    expect([code, stderr]).toEqual([3, expect.stringContaining('sluice.yaml:5: outputs[1] would replace x')]);
  });
});

describe('a mistake is an error with its line', () => {
  const LIMITS = { sources: 1000, files: 1000, outputs: 20 };
  const many = (count: number, each: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => each(i)).join('');

  test.each([
    ['mode: adaptive\nsources:\n  a: {}\nmode: contract\n', ":4: 'mode' is there twice, first in line 1"],
    [
      orders('good-1.csv', 'mode: adaptive\n'),
      ':5: mode: adaptive judges by earlier runs: add baseline or url',
    ],
    [
      orders('good-1.csv', '    mode: adaptive\nmode: contract\n'),
      ':5: sources.orders.mode: adaptive judges by earlier runs: add baseline or url',
    ],
    ['# sources', ':1: document: must be an object, not null'],
    ['sources: {}', ':1: sources: must have 1 to 1000 sources, not 0'],
    ['a: 1\nsources:\n  a:\n    files: x.csv\n', ':1: a: unknown; known are sources, baseline'],
    ['sources:\n  a:\n    fils: x.csv\n', ':3: sources.a.fils: unknown; known are files, rules'],
    ['sources:\n  a:\n    rules: x.yaml\n', ':2: sources.a.files: must be a text'],
    ['sources:\n  a:\n    files:\n      - x.csv\n      - ""\n', ':5: sources.a.files[1]: is empty'],
    ['sources:\n  a:\n    files: no*.csv\n', ":3: No file matches 'no*.csv'"],
    ['sources:\n  "..":\n    files: x.csv\n', ':2: sources[".."]: its name must not be . or ..'],
    [
      orders('good-1.csv').replace('quantity.rules.yaml', '\n      fields:\n        id: { minimun: 1 }'),
      ':6: sources.orders.rules.fields.id.minimun: unknown',
    ],
    [
      orders('good-1.csv', 'mode: strict\n'),
      ":5: mode: must be one of contract, adaptive, auto, not 'strict'",
    ],
    [orders('good-1.csv', 'fail_on: never\n'), ':5: fail_on: must be one of warn, block'],
    [orders('good-1.csv', 'false_alarm_rate: 1\n'), ':5: false_alarm_rate: must be a number from'],
    [orders('good-1.csv', 'thresholds: { nul_rate_warn: 0.1 }\n'), ':5: thresholds.nul_rate_warn: unknown'],
    [
      orders('good-1.csv', '    thresholds:\n      null_rate_warn: 2\n'),
      ':6: sources.orders.thresholds.null_rate_warn: must be a number from 0 to 1, not 2',
    ],
    [
      orders('good-1.csv', '    thresholds: { null_rate_warn: 0.8 }\nthresholds: { null_rate_block: 0.5 }\n'),
      ':5: sources.orders.thresholds: null_rate_warn (0.8) is above null_rate_block (0.5)',
    ],
    [orders('good-1.csv', '    format: xls\n'), ':5: sources.orders.format: must be csv, tsv'],
    [orders('good-1.csv', '    charset: utf-99\n'), ':5: sources.orders.charset: '],
    [orders('good-1.csv', '    delimiter: ":"\n'), ':5: sources.orders.delimiter: must be one of'],
    [orders('good-1.csv', 'url: example\n'), ':5: url: must be the address of a server'],
    [
      orders('good-1.csv', 'url: http://127.0.0.1:1\nbaseline: b.sqlite\n'),
      ':6: baseline: the server of url keeps',
    ],
    [orders('good-1.csv', 'outputs: [{ format: pdf }]\n'), ':5: outputs[0].format: must be one of text'],
    [orders('good-1.csv', 'outputs: []\n'), ':5: outputs: must have 1 to 20 entries, not 0'],
    [
      orders('good-1.csv', 'outputs:\n  - format: text\n  - format: json\n'),
      ':7: outputs[1]: standard output is taken: add a file',
    ],
    [
      orders('good-1.csv', `outputs: [${many(LIMITS.outputs + 1, i => `{ format: json, file: f${i} },`)}]\n`),
      ':5: outputs: must have 1 to 20 entries, not 21',
    ],
    [
      `sources:\n  a:\n    files: [${many(LIMITS.files + 1, i => `f${i},`)}]\n`,
      ':3: sources.a.files: must have 1 to 1,000 entries, not 1001',
    ],
    [
      `sources:\n${many(LIMITS.sources + 1, i => `  s${i}: { files: x.csv }\n`)}`,
      ':1: sources: must have 1 to 1000 sources, not 1001',
    ],
  ])('%#', async (text, message) => {
    const config = await folder.write('mistake.yaml', text);
    const error = await checkCommand
      .run({ values: { config }, words: [] }, new Terminal({ noColour: true }))
      .catch(thrown => thrown);
    expect(error).toBeInstanceOf(Failure);
    expect(error.shown).toStartWith(`${config}${message}`);
  });

  test('a rule that is wrong has the file of the rules', async () => {
    await folder.write('wrong.rules.yaml', 'fields:\n  id:\n    minimum: x\n');
    const { code, stderr } = await check(orders('good-1.csv').replace('quantity', 'wrong'));
    expect([code, stderr]).toEqual([
      3,
      "sluice: wrong.rules.yaml:3: fields.id.minimum: must be a number, not 'x'\n",
    ]);
  });

  test('a folder without sluice.yaml says what to do', async () => {
    const { code, stderr } = await sluice(['check'], { folder: EXAMPLES });
    expect([code, stderr]).toEqual([
      3,
      'sluice: There is no sluice.yaml in this folder: write one, or name a file with --config. See docs/cli.md\n',
    ]);
  });
});

test.each(SCHEMA_NAMES)('the schema of %s that is published is the one that is printed', async name => {
  const published = await Bun.file(join(EXAMPLES, `../docs/schemas/${name}.schema.json`)).text();
  expect(published).toBe(editorSchema(name));
  expect((await sluice(['check', '--schema', name])).stdout).toBe(published);
});
