/** `sluice accept`: the last BLOCKed batch of a source becomes its new normal, by the rules of the service. */
import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../../src/report-schema/report.ts';
import { Service } from '../../http/service.ts';
import { say } from '../../http/teaching.ts';
import { EXAMPLES, Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const clean = join(EXAMPLES, 'orders-clean.json');
const broken = join(EXAMPLES, 'orders-broken.json');

/** Screens files as batches of one source, with a file of baselines of its own. The last one is BLOCK. */
async function blocked(name: string, files = [clean, broken], source = 'orders'): Promise<string> {
  const baseline = folder.at(name);
  const codes = [];
  for (const file of files)
    codes.push((await sluice(['screen', '-q', '-b', baseline, '-s', source, file])).code);
  expect(codes.at(-1)).toBe(2);
  return baseline;
}

const rows = (row: (i: number) => object) => JSON.stringify(Array.from({ length: 100 }, (_, i) => row(i)));

/** What does not differ from one run to the next. */
const judgement = ({ status, health_score, drift, anomalies, issues }: Report) =>
  JSON.parse(
    JSON.stringify({ status, health_score, drift, anomalies, issues }).replaceAll(/req_\w+/g, 'req_…'),
  );

describe('the last BLOCKed batch of a source', () => {
  test('becomes the normal, as with the service', async () => {
    const baseline = await blocked('same.sqlite');
    const { code, stdout } = await sluice(['accept', '-b', baseline]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Accepted: the batch of 'orders' of [^\n]+, 120 rows/),
    ]);
    const { stdout: again } = await sluice(['screen', '--json', '-b', baseline, '-s', 'orders', broken]);
    const service = new Service({ now: Date.now });
    await service.post(await Bun.file(clean).text());
    const { body } = await service.post(await Bun.file(broken).text());
    await say(service, 'accept', { job_id: body.request_id });
    const served = await service.post(await Bun.file(broken).text());
    expect(judgement(JSON.parse(again))).toEqual(judgement(served.body));
    expect(JSON.parse(again).status).toBe('WARN');
  });

  test('is accepted once', async () => {
    const baseline = await blocked('once.sqlite');
    await sluice(['accept', '-b', baseline]);
    const { code, stderr } = await sluice(['accept', '-b', baseline, '-s', 'orders']);
    expect([code, stderr]).toEqual([
      3,
      `sluice: No batch of 'orders' is BLOCKed: there is nothing to accept\n`,
    ]);
  });

  test('is kept without values of its rows', async () => {
    const baseline = await blocked('values.sqlite');
    const bytes = Buffer.concat(
      await Promise.all(
        [baseline, `${baseline}-wal`]
          .filter(existsSync)
          .map(async file => Buffer.from(await Bun.file(file).arrayBuffer())),
      ),
    );
    expect(await Bun.file(broken).text()).toContain('61,95 EUR');
    expect(bytes.includes('61,95 EUR')).toBe(false);
    expect(bytes.includes('null_rate')).toBe(true);
  });

  test('is not a dry run', async () => {
    const baseline = folder.at('dry.sqlite');
    await sluice(['screen', '-q', '-b', baseline, clean]);
    expect((await sluice(['screen', '-q', '--dry-run', '-b', baseline, '-s', 'orders', broken])).code).toBe(
      2,
    );
    expect((await sluice(['accept', '-b', baseline])).stderr).toContain('No batch is BLOCKed here');
  });
});

describe('what still blocks such batches is said', () => {
  test('thresholds, with the options that let them pass', async () => {
    const full = await folder.write(
      'full.json',
      rows(i => ({ id: i, note: 'a' })),
    );
    const empty = await folder.write(
      'empty.json',
      rows(i => ({ id: i, note: i < 80 ? null : 'a' })),
    );
    const baseline = await blocked('nulls.sqlite', [full, empty]);
    const { stdout } = await sluice(['accept', '-b', baseline]);
    const [, options] = /Screen them with (--null.*) or --mode adaptive\n$/.exec(stdout)!;
    const screen = ['screen', '-q', '--dry-run', '-b', baseline, '-s', 'orders', empty];
    expect((await sluice(screen)).code).toBe(2);
    expect((await sluice([...screen, ...options!.split(' ')])).code).toBe(0);
    expect((await sluice([...screen, '--mode', 'adaptive'])).code).toBe(0);
  });

  test('declared rules', async () => {
    const low = await folder.write(
      'low.json',
      rows(i => ({ id: -i - 1 })),
    );
    const rules = await folder.write('rules.yaml', 'fields: { id: { minimum: 0 } }');
    const baseline = folder.at('rules.sqlite');
    expect((await sluice(['screen', '-q', '-b', baseline, '-s', 'a', '-r', rules, low])).code).toBe(2);
    expect((await sluice(['accept', '-b', baseline])).stdout).toContain(
      'Declared rules still block such batches',
    );
  });
});

test.each([
  ['INSERT', ['screen', '-s', 'orders', broken]],
  ['DELETE', ['accept']],
])('where the file cannot be written (%s), that is said', async (statement, args) => {
  const baseline = await blocked(`${statement}.sqlite`);
  const database = new Database(baseline);
  database.exec(`CREATE TRIGGER full BEFORE ${statement} ON blocked BEGIN SELECT RAISE(FAIL, 'full'); END`);
  database.close();
  const { code, stderr } = await sluice([args[0]!, '-b', baseline, ...args.slice(1)]);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/^sluice: \S+: The file of --baseline cannot be read or written: full\n$/),
  ]);
});

describe('which batch', () => {
  test('of several sources must be said', async () => {
    const baseline = await blocked('two.sqlite');
    await blocked('two.sqlite', [clean, broken], 'returns');
    const { code, stderr } = await sluice(['accept', '-b', baseline]);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining("add --source with one of 'orders', 'returns'"),
    ]);
    expect((await sluice(['accept', '-b', baseline, '-s', 'returns'])).code).toBe(0);
    expect((await sluice(['accept', '-b', baseline])).stdout).toContain("'orders'");
  });

  test('is not found in a file that does not exist, and none is created', async () => {
    const missing = folder.at('missing.sqlite');
    const { code, stderr } = await sluice(['accept', '-b', missing]);
    expect([code, stderr]).toEqual([3, `sluice: ${missing}: There is no such file of baselines\n`]);
    expect(existsSync(missing)).toBe(false);
    expect((await sluice(['accept'])).stderr).toContain('--baseline FILE');
  });
});
