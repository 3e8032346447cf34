/** The public Python client, from its package registry, with nothing changed but its base URL. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEY, newFolder, Server } from './server.ts';

/** The client and all that it needs, as they were when this was written. */
const PACKAGES = [
  'datascreeniq==1.0.12',
  'requests==2.34.2',
  'urllib3==2.8.0',
  'idna==3.20',
  'certifi==2026.10.18',
  'charset-normalizer==3.5.2',
  'pandas==2.3.3',
  'openpyxl==3.1.5',
];
const SCRIPT = join(import.meta.dir, 'drop-in.py');
const ALLOWANCE = 500_000;

const folder = mkdtempSync(join(tmpdir(), 'sluice-python-'));
const python = join(folder, 'venv/bin/python');

/** Null, or why the client cannot be installed here. */
function installed(): string | null {
  if (!Bun.which('python3')) return 'python3 is not there';
  const made = Bun.spawnSync(['python3', '-m', 'venv', join(folder, 'venv')]);
  if (made.exitCode !== 0) return 'python3 has no venv';
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES];
  const { exitCode, stderr } = Bun.spawnSync([python, ...pip], { timeout: 300_000 });
  return exitCode === 0 ? null : `pip could not install it: ${stderr.toString().trim().split('\n').at(-1)}`;
}

const reason = installed();
const name = reason === null ? 'the public Python client' : `the public Python client (${reason})`;

/** A server whose plan has one row left. */
async function nearlyUsedUp(): Promise<Server> {
  const data = newFolder();
  const before = await Server.start({ BOOTSTRAP_PLAN: 'developer' }, data);
  await before.report('{"source":"orders","rows":[{"id":1}]}');
  await before.kill('SIGTERM');
  const database = new Database(join(data, 'sluice.sqlite'));
  database.run('UPDATE ledger SET rows = ?', [ALLOWANCE - 1]);
  database.close();
  return Server.start({ BOOTSTRAP_PLAN: 'developer' }, data);
}

interface Facts {
  status: string;
  rows: number;
  request_id: string;
  batch_id: string;
}

interface Failure {
  type: string;
  message: string;
  /** Seconds for which the client slept before it raised. */
  slept: number;
}

describe.skipIf(reason !== null)(name, () => {
  // biome-ignore lint/suspicious/noExplicitAny: what the script prints.
  let seen: any;
  beforeAll(async () => {
    await using large = await Server.start();
    await using small = await nearlyUsedUp();
    const child = Bun.spawn([python, SCRIPT, large.url, KEY, small.url, folder], {
      stdout: 'pipe',
      stderr: 'pipe',
      env: { PATH: process.env.PATH! },
    });
    const [output, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) throw new Error(errors);
    seen = JSON.parse(output);
  }, 240_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('reads the health', () => {
    expect(seen.health).toMatchObject({ status: 'ok', version: expect.any(String) });
  });

  test.each([
    ['screen', 20],
    ['options', 20],
    ['chunked', 25_000],
    ['csv', 2],
    ['json', 20],
    ['xml', 2],
    ['dataframe', 20],
    ['excel', 20],
    ['environment', 20],
  ])('screens by %s', (method, rows) => {
    const { status, rows: screened, request_id, batch_id } = seen[method] as Facts;
    expect([status, screened, batch_id]).toEqual(['PASS', rows, request_id]);
    expect(request_id).toMatch(/^req_/);
  });

  test('reads the issues of a blocked batch, and raises when asked to', () => {
    const { status, null_rates, type_mismatches, fingerprint, summary } = seen.blocked;
    expect(status).toBe('BLOCK');
    expect(null_rates).toEqual({ email: 0.5 });
    expect(type_mismatches).toEqual(['amount']);
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(summary).toContain('Null rate: email=50%');
    expect(seen.raise_on_block.type).toBe('DataQualityError');
  });

  test('reads every member of a report', () => {
    expect(seen.members).toEqual({
      is: [false, false, true],
      health_pct: expect.stringMatching(/^[\d.]+%$/),
      rows: [20, 20],
      null_rate_details: { email: expect.objectContaining({ actual: 0.5 }) },
      type_mismatch_details: { amount: expect.objectContaining({ severity: 'critical' }) },
      outlier_fields: [],
      has_drift: false,
      status_of_dict: 'BLOCK',
      repr: expect.stringContaining('BLOCK'),
    });
    expect(seen.outliers).toEqual(['amount']);
    expect(seen.drift).toEqual({ has: true, count: 1, kinds: ['field_added'] });
    expect(seen.merged).toEqual(['PASS', 40]);
    expect(seen.passed_on).toBe(true);
  });

  test('resets one source although it does not encode its slash, and no other', () => {
    expect(seen.reset).toMatchObject({ ok: true, reset: 'raw/orders' });
    expect(seen.sources_before).toContain('raw');
    expect(seen.sources_before).not.toContain('raw/orders');
  });

  test('resets nothing when the source has a question mark that it does not encode', () => {
    expect(seen.reset_odd).toMatchObject({ type: 'APIError', message: 'Reset failed (HTTP 400)' });
    expect(seen.sources_before).toEqual(expect.arrayContaining(['a', 'a?b']));
  });

  test('resets all sources', () => {
    expect(seen.reset_all).toMatchObject({ ok: true, reset: 'all' });
    expect(seen.sources_after).toEqual([]);
  });

  test.each([
    ['no_source', 'ValidationError', 'source'],
    ['bad_options', 'ValidationError', 'null_rate_warn'],
    ['too_many', 'APIError', '10,000 rows'],
    ['stranger', 'AuthenticationError', 'API key'],
    ['stranger_reset', 'AuthenticationError', 'API key'],
    ['no_key', 'AuthenticationError', 'No API key'],
    ['no_rows', 'ValidationError', 'non-empty'],
    ['no_file', 'ValidationError', 'File not found'],
    ['odd_file', 'ValidationError', 'Unsupported file type'],
    ['no_frame', 'ValidationError', 'pandas DataFrame'],
  ])('raises its own error at once: %s', (call, type, message) => {
    const failure = seen[call] as Failure;
    expect(failure).toMatchObject({ type, message: expect.stringContaining(message) });
    expect(failure.slept).toBe(0);
  });

  test('raises an error where no server listens', () => {
    expect(seen.no_server).toMatchObject({
      type: 'RuntimeError',
      message: expect.stringContaining('Request failed'),
    });
  });

  test('raises PlanLimitError at once, and does not sleep until the next month', () => {
    const failure = seen.plan as Failure;
    expect(failure.type).toBe('PlanLimitError');
    expect(failure.message).toContain('1 of 500,000');
    expect(failure.slept).toBe(0);
  });

  test('waits out a burst by itself', () => {
    expect(new Set(seen.burst)).toEqual(new Set(['PlanLimitError']));
  });
});
