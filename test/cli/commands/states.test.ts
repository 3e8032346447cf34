/** `sluice measure`, `sluice merge-states` and `sluice screen --states`: parts of a batch, measured apart, put together and judged. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync } from 'node:fs';
import { decodeStateBytes, encodeStateBytes } from '../../../src/states/bytes/state-bytes.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const HEADER = 'id,amount,town\n';
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${from + i},${(from + i) / 7},town ${i % 3}\n`).join('');

const bytesOf = (name: string): Promise<Uint8Array> => Bun.file(folder.at(name)).bytes();
const measure = (file: string, part: number, output: string) =>
  sluice(['measure', file, '--part', String(part), '--output', folder.at(output)]);
const merge = (output: string, ...names: string[]) =>
  sluice(['merge-states', '--output', folder.at(output), ...names.map(folder.at)]);

/** Files of 25,000, 5,000 and 2 rows. */
const ENDS = [0, 25_000, 30_000, 30_002];
const ready = Promise.all(
  ENDS.slice(1).map(async (end, part) => {
    const file = await folder.write(`${part}.csv`, HEADER + lines(ENDS[part]!, end));
    return measure(file, part, `${part}.state`);
  }),
);

describe('states of files', () => {
  test('are written, and what they hold is said', async () => {
    const [first] = await ready;
    expect(first!).toMatchObject({ code: 0, stdout: '' });
    expect(first!.stderr).toMatch(/0\.state: 1 part, 25,000 rows, 3 fields in [\d,]+ bytes\n$/);
    const { state } = decodeStateBytes(await bytesOf('1.state'));
    expect([state.rows, [...state.parts]]).toEqual([5000, [[1, 5000]]]);
  });

  test('merge to the same bytes in any order and grouping, whatever lies in between', async () => {
    await ready;
    const all = await merge('all.state', '0.state', '1.state', '2.state');
    expect(all.stderr).toMatch(/all\.state: 3 parts, 30,002 rows, 3 fields in/);
    await merge('some.state.gz', '2.state', '0.state');
    await merge('other.state', '1.state', 'some.state.gz');
    expect(await bytesOf('other.state')).toEqual(await bytesOf('all.state'));
    await merge('again.state', '[0-2].state');
    expect(await bytesOf('again.state')).toEqual(await bytesOf('all.state'));
  });

  test('have the same verdict for the same rows of JSON', async () => {
    const rows = Array.from({ length: 12_000 }, (_, i) => ({ id: i, amount: i < 6000 ? i / 7 : 'none' }));
    const texts = {
      'rows.json': JSON.stringify(rows),
      'rows.ndjson': rows.map(row => JSON.stringify(row)).join('\n'),
    };
    for (const [name, text] of Object.entries(texts)) {
      const state = `${name}.state`;
      expect(await measure(await folder.write(name, text), 0, state)).toMatchObject({ code: 0 });
      const args = ['screen', '--source', 'json', '--json', '--states', folder.at(state)];
      const { stdout } = await sluice(args);
      const { status, stats, issues } = JSON.parse(stdout);
      expect([name, status, stats.rows_received]).toEqual([name, 'BLOCK', 12_000]);
      expect(issues.type_mismatches.amount.rows[0]).toBe(6000);
    }
  });

  test('are the same for the same rows through pipes', async () => {
    await ready;
    const stdin = HEADER + lines(25_000, 30_000);
    await sluice(['measure', '-', '-f', 'csv', '-p', '1', '-o', folder.at('piped.state')], { stdin });
    expect(await bytesOf('piped.state')).toEqual(await bytesOf('1.state'));
  });

  test('an unfinished state is never seen, and nothing of it is left', async () => {
    await ready;
    const broken = await folder.write('broken.csv', `${HEADER}${lines(0, 20_000)}1,"2`);
    await folder.write('kept.state', 'as it was');
    const { code, stderr } = await measure(broken, 4, 'kept.state');
    expect([code, stderr]).toEqual([3, expect.stringContaining('broken.csv:20002: ')]);
    expect(new TextDecoder().decode(await bytesOf('kept.state'))).toBe('as it was');
    // Other tests write states of their own meanwhile.
    expect(readdirSync(folder.path).filter(name => /^kept.*unfinished/.test(name))).toEqual([]);
  });

  test('a file that is written by several programs at once is whole', async () => {
    await ready;
    const runs = await Promise.all([1, 2, 3].map(() => measure(folder.at('1.csv'), 1, 'twice.state')));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await bytesOf('twice.state')).toEqual(await bytesOf('1.state'));
  });
});

describe('an error says what to do', () => {
  const refused = async ({ code, stderr }: { code: number | null; stderr: string }) => {
    expect(code).toBe(3);
    return stderr.replaceAll(`${folder.path}/`, '');
  };

  test('a part that comes twice', async () => {
    await ready;
    await merge('a-b.state', '0.state', '1.state');
    expect(await refused(await merge('x.state', 'a-b.state', '1.state'))).toBe(
      'sluice: 1.state: Part 1 is in both states: merge each part once, and measure each with a number of its own\n',
    );
  });

  test('a file that is no state, is cut off, or comes from elsewhere', async () => {
    await ready;
    expect(await refused(await merge('x.state', '0.csv'))).toBe(
      'sluice: 0.csv: This is not a state: sluice measure makes one of a file\n',
    );
    await folder.write('cut.state', (await bytesOf('0.state')).slice(0, 3000));
    expect(await refused(await merge('x.state', '1.state', 'cut.state'))).toBe(
      'sluice: cut.state: The state is damaged: copy it again, or measure its part again\n',
    );
    const whole = decodeStateBytes(await bytesOf('0.state'));
    const salted = { ...whole, measuredFor: { ...whole.measuredFor, salt: 5n } };
    await folder.write('salted.state', encodeStateBytes(salted));
    expect(await refused(await merge('x.state', '1.state', 'salted.state'))).toBe(
      'sluice: salted.state: The states have different salts, so their values cannot be compared: measure all parts of a batch in the same way\n',
    );
    expect(await refused(await merge('x.state', 'none.state'))).toMatch(/none\.state: There is no such file/);
    expect(await Bun.file(folder.at('x.state')).exists()).toBe(false);
  });

  test('words and options', async () => {
    const output = folder.at('x.state');
    expect(await refused(await sluice(['measure', 'a.csv', '-o', output]))).toBe(
      'sluice: Number the parts of the batch from 0 with --part: --part 0 for the first file\n',
    );
    for (const part of ['-1', '1.5', '', '1e3'])
      expect(await refused(await sluice(['measure', 'a.csv', `--part=${part}`, '-o', output]))).toBe(
        `sluice: --part must be a whole number from 0, not "${part}"\n`,
      );
    expect(await refused(await sluice(['measure', 'a.csv', '-p', '1']))).toMatch(/^sluice: Name the file/);
    expect(await refused(await sluice(['measure', '-p', '1', '-o', output]))).toMatch(/^sluice: Name one/);
    expect(await refused(await sluice(['merge-states', '-o', output]))).toMatch(/^sluice: Name the states/);
    expect(await refused(await merge('0.state', '0.state', '1.state'))).toMatch(/--output would replace/);
  });
});

describe('states of parts are judged as one batch', () => {
  const run = (...args: string[]) => sluice(args, { folder: folder.path });
  const judge = (...args: string[]) =>
    run('screen', '--states', 'day-*.state', '--source', 'orders', ...args);
  const measureFor = async (
    baseline: string,
    file: string,
    part: number,
    output: string,
    ...more: string[]
  ) => {
    const { code, stderr } = await run(
      ...['measure', '--for', baseline, '--source', 'orders', '--rules', 'rules.yaml'],
      ...['--part', String(part), '--output', output, file, ...more],
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${output}: 1 part, `)]);
  };
  const days = (async () => {
    for (let day = 0; day < 3; day++) {
      await folder.write(`day ${day}.csv`, HEADER + lines(1000 * day, 1000 * day + 900));
      const learned = await run(
        'screen',
        '--baseline',
        'b.sqlite',
        '--source',
        'orders',
        '--full-scan',
        `day ${day}.csv`,
      );
      expect(learned.code).toBe(0);
    }
    await folder.write('rules.yaml', 'fields: { id: { unique: true } }');
    for (const part of [0, 1, 2]) {
      const file = await folder.write(
        `part-${part}.csv`,
        HEADER + lines(5000 + 300 * part, 5300 + 300 * part),
      );
      await measureFor('b.sqlite', file, part, `day-${part}.state`);
    }
  })();
  const refusalOf = async (ended: ReturnType<typeof run>): Promise<string> => {
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([3, '']);
    return stderr;
  };
  const WITH = ['--baseline', 'b.sqlite', '--rules', 'rules.yaml'] as const;

  test('with the verdict as exit code, and the batch is learned', async () => {
    await days;
    const dry = await judge(...WITH, '--dry-run', '--parts', '3');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toMatch(/^PASS {3}day-\*\.state {2}900 rows {2}health .* source 'orders'\n/);
    await measureFor('b.sqlite', 'part-0.csv', 3, 'again.state');
    const again = await judge(...WITH, '--dry-run', '--json', 'again.state');
    expect(again.code).toBe(2);
    const report = JSON.parse(again.stdout);
    expect(report.issues.rule_violations[0].rows.slice(0, 3)).toEqual([0, 1, 2]);
    expect(report).toMatchObject({
      status: 'BLOCK',
      stats: { rows_received: 1200, row_numbers: 'index' },
      issues: { rule_violations: [{ rule: 'fields.id.unique', count: 600 }] },
    });
    await folder.write('copy.sqlite', await bytesOf('b.sqlite'));
    expect((await judge('--baseline', 'copy.sqlite', '--rules', 'rules.yaml')).code).toBe(0);
    // What was measured before another batch was learned can still be judged.
    const next = await judge('--baseline', 'copy.sqlite', '--rules', 'rules.yaml', '--dry-run', '--json');
    expect(JSON.parse(next.stdout)).toMatchObject({ gate: { history: 4 } });
  });

  test('measuring leaves the file of baselines as it is, which may be a copy that takes no writes', async () => {
    await days;
    await folder.write('read only.sqlite', await bytesOf('b.sqlite'));
    chmodSync(folder.at('read only.sqlite'), 0o400);
    await measureFor('read only.sqlite', 'part-0.csv', 0, 'copied.state');
    expect(await bytesOf('copied.state')).toEqual(await bytesOf('day-0.state'));
    expect(await bytesOf('read only.sqlite')).toEqual(await bytesOf('b.sqlite'));
  });

  test('a part that is missing, comes twice or is too many', async () => {
    await days;
    expect(await refusalOf(judge(...WITH, '--parts', '5'))).toBe(
      'sluice: Part 3 is missing and 1 other, of 5 parts: measure it, and number parts from 0\n',
    );
    expect(await refusalOf(judge(...WITH, '--parts', '2'))).toBe(
      'sluice: Part 2 is there, but --parts says 2: parts are numbered from 0\n',
    );
    const some = ['screen', '--states', 'day-0.state', 'day-2.state', ...WITH];
    expect(await refusalOf(run(...some))).toBe(
      'sluice: Part 1 is missing, of 3 parts: measure it, and number parts from 0\n',
    );
    await run('merge-states', '--output', 'two.state', 'day-0.state', 'day-1.state');
    expect(await refusalOf(judge(...WITH, 'two.state'))).toBe(
      'sluice: two.state: Part 0 is in both states: merge each part once, and measure each with a number of its own\n',
    );
  });

  test('states that were measured for something else', async () => {
    await days;
    const other = await folder.write('other.yaml', 'fields: { id: { minimum: 1 } }');
    expect(await refusalOf(judge('--baseline', 'b.sqlite', '--rules', other))).toBe(
      'sluice: The parts were checked by other rules: give --rules the file that they were measured with, or measure them again\n',
    );
    expect(await refusalOf(judge('--baseline', 'b.sqlite'))).toMatch(/checked by other rules/);
    expect(await refusalOf(judge('--baseline', 'fresh.sqlite'))).toMatch(
      /measured for another file of baselines: measure all parts with --for and the file of --baseline/,
    );
    expect(await refusalOf(judge())).toMatch(/measured for a file of baselines: name it with --baseline/);
    expect(await refusalOf(run('screen', '--states', 'day-*.state', '--source', 'x', ...WITH))).toBe(
      'sluice: The states were measured for the source "orders", not for that of --source\n',
    );
    await run('measure', '--part', '0', '--output', 'alone.state', 'part-0.csv');
    expect(
      await refusalOf(run('screen', '--states', 'alone.state', '-s', 'orders', '-b', 'b.sqlite')),
    ).toMatch(/measured without --for, so they cannot be compared/);
    expect(await refusalOf(run('screen', '--states', 'alone.state'))).toMatch(
      /Name the pipeline or table of/,
    );
    expect((await run('screen', '--states', 'alone.state', '--source', 'orders')).code).toBe(0);
    expect(await refusalOf(judge(...WITH, 'alone.state'))).toMatch(/have different salts/);
    await run('screen', '--dry-run', '--baseline', 'b.sqlite', '--source', 'new', 'part-0.csv');
    await run('measure', '--for', 'b.sqlite', '-s', 'new', '-p', '0', '-o', 'new.state', 'part-0.csv');
    await run('screen', '--baseline', 'b.sqlite', '--source', 'new', 'part-0.csv');
    expect(await refusalOf(run('screen', '--states', 'new.state', '--baseline', 'b.sqlite'))).toMatch(
      /The source was reset or created after the states were measured/,
    );
  });

  test('options that need rows, and options that go together', async () => {
    await days;
    for (const option of ['--row-verdicts', '--good=g.csv', '--held=h.csv', '--url=http://127.0.0.1:1'])
      expect(await refusalOf(judge(option))).toMatch(
        /^sluice: States hold no rows, so --.*: screen the files/,
      );
    expect(await refusalOf(judge('--delimiter', ';'))).toMatch(/--states: give it to sluice measure$/m);
    expect(await refusalOf(judge('--parts', '0'))).toMatch(/--parts must be a whole number from 1/);
    expect(await refusalOf(run('screen', '--parts', '2', 'part-0.csv'))).toMatch(/add --states/);
    const measuring = ['measure', '-p', '0', '-o', 'x.state', 'part-0.csv'];
    expect(await refusalOf(run(...measuring, '--for', 'b.sqlite'))).toMatch(/add --source/);
    expect(await refusalOf(run(...measuring, '--source', 'orders'))).toMatch(/add --for, or remove it/);
    expect(await refusalOf(run(...measuring, '--for', 'none.sqlite', '-s', 'x'))).toMatch(
      /^sluice: none\.sqlite: There is no such file of baselines\. sluice screen --baseline makes one/,
    );
    expect(await refusalOf(run(...measuring, '--for', 'part-1.csv', '-s', 'x'))).toMatch(
      /^sluice: part-1\.csv: /,
    );
  });
});
