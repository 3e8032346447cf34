/** With STORE_VALUES=false nothing that is stored of a job holds a value of its rows. Looked for in the database file itself. */
import { expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { openSql } from '../../src/stores/sql/sqlite.ts';
import { Clock, get } from './asking.ts';
import { KEY, NOW, Service } from './service.ts';
import { foldersOfATest } from '../folders.ts';

const newFolder = foldersOfATest();

const PLANTED = [
  'planted-status',
  'planted-mismatch',
  'planted-note',
  '987654321',
  '-123456789',
  '31337.5',
  '271828182',
];

const first = Array.from({ length: 120 }, (_, i) => ({
  status: i % 2 ? 'open' : 'paid',
  amount: i,
  note: 'planted-note',
  single: 271828182,
  least: 31337.5 + i,
}));
/** A new value in more than 5% of the rows, a type mismatch, two outliers. */
const second = first.map((row, i) => ({
  ...row,
  status: i % 10 === 0 ? 'planted-status' : row.status,
  amount: i % 4 === 0 ? (['planted-mismatch'] as unknown) : i === 1 ? 987654321 : i === 2 ? -123456789 : i,
}));

/** Screens both batches into a file; the answers, and everything that the file holds, blobs unpacked. */
async function stored(storeValues: boolean) {
  const folder = newFolder();
  const database = openSql(join(folder, 'sluice.sqlite'));
  const clock = new Clock(NOW);
  const service = new Service({ storeValues, jobs: new SqlJobs(database), now: () => clock.now++ });
  const post = (rows: unknown[]) =>
    service.post(JSON.stringify({ source: 'orders', rows, options: { full_scan: true } }), {
      'X-API-Key': KEY,
    });
  const answers = [await post(first), await post(second)].map(({ body }) => body);
  const job = (await get(service, `/v1/jobs/${answers[1].request_id}`)).body;
  const history = (await get(service, '/v1/schema/orders/history')).body;
  const texts = [...plain(folder), ...unpacked(join(folder, 'sluice.sqlite'))].join('\n');
  database.close();
  return { answers, job, history, texts };
}

const plain = (folder: string): string[] =>
  readdirSync(folder).map(name => readFileSync(join(folder, name)).toString('latin1'));

/** Every column of every row of every table as text. */
function unpacked(path: string): string[] {
  const database = new Database(path, { readonly: true });
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all();
  const cells = tables.flatMap(({ name }) =>
    database
      .query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`)
      .all()
      .flatMap(row => Object.values(row)),
  );
  database.close();
  return cells.map(cell => (cell instanceof Uint8Array ? textOf(cell) : String(cell)));
}

function textOf(bytes: Uint8Array): string {
  try {
    return Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>).toString();
  } catch {
    return Buffer.from(bytes).toString();
  }
}

const found = (text: string): string[] => PLANTED.filter(value => text.includes(value));

test('by default values are in the stored report and profile (a check of the search itself)', async () => {
  const { answers, job, texts } = await stored(true);
  expect(found(texts)).toEqual(PLANTED);
  expect(job.report).toEqual(answers[1]);
});

test('with STORE_VALUES off no planted value is in the file, but responses have them', async () => {
  const { answers, job, history, texts } = await stored(false);
  expect(found(texts)).toEqual([]);
  const [, sent] = answers;
  expect(sent.issues.new_enum_values.status).toEqual(['planted-status']);
  expect(sent.issues.type_mismatches.amount.sample_value).toEqual(['planted-mismatch']);
  expect(sent.issues.outliers.amount).toMatchObject({ min: -123456789, max: 987654321 });
  expect(JSON.stringify(sent.drift)).toContain('planted-status');
  expect(texts).toContain(sent.request_id);

  const { report, profile } = job;
  expect(report.issues.new_enum_values).toEqual({ status: [] });
  expect(report.decision.reason).toContain("New values in 'status' (10% of rows)");
  expect({ ...report, issues: 0, drift: 0, decision: 0 }).toEqual({
    ...sent,
    issues: 0,
    drift: 0,
    decision: 0,
  });
  expect(history.batches[0].drift).toEqual(report.drift);
  expect(history.batches[0].drift).toHaveLength(sent.drift.length);
  expect(profile.fields.single).toEqual({
    present: 120,
    nulls: 0,
    null_rate: 0,
    empties: 0,
    types: { number: 120, boolean: 0, object: 0, array: 0, string: 0 },
    values: 120,
    distinct: 1,
    numbers: { count: 120 },
    statistics: { integer_share: 1 },
  });
});

test('with STORE_VALUES off a replay has no values', async () => {
  const service = new Service({ storeValues: false });
  const rows = [{ a: 1 }, { a: 2 }, { a: 'planted-mismatch' }];
  const post = () =>
    service.post(JSON.stringify({ source: 'orders', rows }), { 'X-API-Key': KEY, 'Idempotency-Key': 'one' });
  const [sent, repeated] = [await post(), await post()];
  const { sample_value, ...kept } = sent.body.issues.type_mismatches.a;
  expect(sample_value).toBe('planted-mismatch');
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  const issues = { ...sent.body.issues, type_mismatches: { a: kept } };
  expect(repeated.body).toEqual({ ...sent.body, issues });
});
