/**
 * A folder with many sources and jobs, written straight into its databases: screening as many batches would take minutes. The rows are those of real
 * screenings, under other names and times.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { requestId } from '../../src/names/request-id.ts';
import { eventually } from '../servers/process.ts';
import { KEY, newFolder, Server } from '../e2e/server.ts';

const HOUR_MS = 3_600_000;
const BATCH = Array.from({ length: 40 }, (_, i) => ({ id: i, amount: i / 2, country: i % 3 ? 'DE' : 'FR' }));
const DAMAGED = BATCH.map((row, i) => ({ ...row, amount: i % 2 ? 'broken' : row.amount }));
/** Batches of the source that is copied. */
const SCREENED = 5;

/** A folder with so many sources, the newest jobs of each an hour apart, up to now. Every tenth source has an open incident. */
export async function folderOfMany(sources: number, jobs: number, now: number): Promise<string> {
  const folder = newFolder();
  const server = await Server.start({ BOOTSTRAP_EMAIL: 'ann@corp.com' }, folder);
  for (let i = 0; i < SCREENED - 1; i++)
    await server.report(
      JSON.stringify({ source: 'copied', rows: BATCH.map(row => ({ ...row, id: row.id + i * 40 })) }),
    );
  await server.report(JSON.stringify({ source: 'copied', rows: DAMAGED }));
  // The incident is made behind the answer.
  await eventually(() => checkIncident(server));
  await server.kill('SIGTERM');
  copyJobs(folder, sources, jobs, now);
  copyBaselines(folder, sources);
  return folder;
}

async function checkIncident(server: Server): Promise<void> {
  const answer = await fetch(`${server.url}/v1/incidents`, { headers: { 'X-API-Key': KEY } });
  const { incidents } = (await answer.json()) as { incidents: unknown[] };
  if (incidents.length === 0) throw new Error('no incident yet');
}

const nameOf = (source: number): string => `team-${source % 20}/table-${String(source).padStart(4, '0')}`;

/** The columns of a table but for some. */
const columnsOf = (database: Database, table: string, ...without: string[]): string[] =>
  database
    .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => name)
    .filter(name => !without.includes(name));

interface Screened {
  id: string;
  status: string;
}

function copyJobs(folder: string, sources: number, jobs: number, now: number): void {
  const database = new Database(join(folder, 'sluice.sqlite'), { strict: true });
  const templates = database.query<Screened, []>('SELECT id, status FROM jobs ORDER BY id').all();
  const [passed, damaged] = [templates.find(({ status }) => status === 'PASS')!, templates.at(-1)!];
  const kept = columnsOf(database, 'jobs', 'id', 'source', 'created_at');
  const job = database.prepare(
    `INSERT INTO jobs (id, source, created_at, ${kept}) SELECT $id, $source, $at, ${kept} FROM jobs WHERE id = $of`,
  );
  const report = database.prepare(
    'INSERT INTO reports (job, document, trend) SELECT $id, document, trend FROM reports WHERE job = $of',
  );
  const opened = columnsOf(database, 'incidents', 'id', 'source', 'first_job', 'last_job', 'last_at');
  const incident = database.prepare(
    `INSERT INTO incidents (id, source, first_job, last_job, last_at, ${opened})
     SELECT $incident, $source, $id, $id, $at, ${opened} FROM incidents WHERE first_job = $of`,
  );
  database.transaction(() => {
    for (let i = jobs - 1; i >= 0; i--) {
      const [source, round] = [i % sources, Math.floor(i / sources)];
      const isOpen = round === 0 && source % 10 === 3;
      const of = isOpen || (source + round) % 17 === 0 ? damaged.id : passed.id;
      const at = now - round * HOUR_MS - source;
      const id = requestId(at, noiseOf(i));
      const name = JSON.stringify(nameOf(source));
      job.run({ id, source: name, at, of });
      report.run({ id, of });
      if (isOpen) incident.run({ incident: id.replace('req', 'inc'), source: name, id, at, of });
    }
  })();
  database.close();
}

function noiseOf(index: number): Uint8Array {
  const noise = new Uint8Array(10);
  new DataView(noise.buffer).setUint32(6, index);
  return noise;
}

function copyBaselines(folder: string, sources: number): void {
  const database = new Database(join(folder, 'baselines.sqlite'), { strict: true });
  const kept = columnsOf(database, 'baseline', 'key', 'source', 'generation');
  const copied = JSON.stringify('copied');
  const baseline = database.prepare<{ key: number }, [Record<string, string>]>(
    `INSERT INTO baseline (source, generation, ${kept}) SELECT $source, $source, ${kept} FROM baseline WHERE source = $copied
     RETURNING key`,
  );
  const state = database.prepare(
    `INSERT INTO state (baseline, sequence, id, bytes) SELECT $key, sequence, id, bytes FROM state
     WHERE baseline = (SELECT key FROM baseline WHERE source = $copied)`,
  );
  const noted = columnsOf(database, 'note', 'key', 'source', 'settings');
  const note = database.prepare(
    `INSERT INTO note (source, settings, ${noted}) SELECT $source, $settings, ${noted} FROM note WHERE source = $copied`,
  );
  database.transaction(() => {
    for (let i = 0; i < sources; i++) {
      const source = JSON.stringify(nameOf(i));
      const { key } = baseline.get({ source, copied })!;
      state.run({ key, copied });
      const settings = JSON.stringify({ owner: `team-${i % 20}`, tags: [i % 2 ? 'daily' : 'hourly'] });
      note.run({ source, settings, copied });
    }
  })();
  database.close();
}
