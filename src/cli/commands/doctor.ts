/**
 * `sluice doctor`: checks what a service with this configuration depends on. The checks are independent: a failed one hides no
 * other. They change nothing, except that Redis gets a key that expires after one second.
 */
import { Database } from 'bun:sqlite';
import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SQL } from 'bun';
import { type Config, ConfigError, readConfig } from '../../config/config.ts';
import { compileEngine, Engine } from '../../engine/engine.ts';
import { warmUp } from '../../engine/warm.ts';
import { SmtpMailer } from '../../mail/smtp.ts';
import { urlOf } from '../../http/first-steps.ts';
import { RedisConnection } from '../../stores/redis/connection.ts';
import { withTimeout } from '../../time/with-timeout.ts';
import { EXIT, type Command, type Given, isOn } from '../command.ts';
import { Failure } from '../failure.ts';
import { ENGINE_FILE } from '../screening/open-engine.ts';
import type { Style, Terminal } from '../terminal.ts';

const MIN_FREE_BYTES = 1e9;
const MIN_POSTGRES = 15;
const CONNECT_SECONDS = 3;
/** For one check. */
const CHECK_TIMEOUT_MS = 15_000;

export interface CheckResult {
  name: string;
  state: 'ok' | 'note' | 'wrong';
  found: string;
  /** What to do. */
  advice?: string;
}

const ok = (name: string, found: string): CheckResult => ({ name, state: 'ok', found });
const note = (name: string, found: string, advice: string): CheckResult => ({
  name,
  state: 'note',
  found,
  advice,
});
const wrong = (name: string, found: string, advice: string): CheckResult => ({
  name,
  state: 'wrong',
  found,
  advice,
});

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the configuration and everything the service depends on',
  words: '',
  about: [
    'Checks the environment variables, the engine, the data folder, Postgres, Redis, the mail server and the ports. Says what is',
    'wrong and how to fix it. Changes nothing. Exit code: 0, or 3 if anything is wrong.',
  ],
  options: { json: { type: 'boolean', help: 'Print the results as JSON' } },
  examples: [
    ['sluice doctor', 'Check before you start the service, or when something fails'],
    ['docker compose exec sluice bun src/cli/main.ts doctor', 'Check inside a container'],
    ['sluice doctor --json | jq \'.findings[] | select(.state != "ok")\'', 'Show only what needs attention'],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  if (given.words.length > 0) throw new Failure('This command takes no arguments. See sluice doctor --help');
  const findings = await allChecks();
  const isWell = findings.every(({ state }) => state !== 'wrong');
  if (isOn(given, 'json')) await terminal.write(`${JSON.stringify({ ok: isWell, findings })}\n`);
  else await terminal.write(textOf(findings, terminal));
  return isWell ? EXIT.pass : EXIT.error;
}

const STYLES: Record<CheckResult['state'], Style> = { ok: 'green', note: 'yellow', wrong: 'red' };

function textOf(findings: readonly CheckResult[], terminal: Terminal): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, found, advice }) => [
    `${terminal.styled(STYLES[state], state.padEnd(5))}  ${name.padEnd(width)}  ${found}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 9)}→ ${advice}`]),
  ]);
  const count = findings.filter(({ state }) => state === 'wrong').length;
  const end = count === 0 ? 'Nothing is wrong.' : `${count} thing${count === 1 ? ' is' : 's are'} wrong.`;
  return `${[...lines, '', end].join('\n')}\n`;
}

async function allChecks(): Promise<CheckResult[]> {
  const engine = checked('engine', engineFinding);
  const config = configuration();
  if (!('port' in config)) return [config, await engine];
  const checks = [
    engine,
    checked('data folder', () => folderFinding(config)),
    checked('accounts, jobs', () =>
      config.databaseUrl === null ? sqliteFinding(config) : postgresFinding(config.databaseUrl),
    ),
    checked('baselines', () =>
      config.redisUrl === null ? embeddedFinding(config) : redisFinding(config.redisUrl),
    ),
    checked('mail', () => mailFinding(config)),
    checked('port', () => portFinding(config)),
    checked('metrics port', () => metricsFinding(config)),
  ];
  return [ok('configuration', 'all variables are valid'), ...(await Promise.all(checks))];
}

function configuration(): Config | CheckResult {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return wrong(
      'configuration',
      error.message,
      'Correct the variable; docs/configuration.md lists all of them',
    );
  }
}

/** A check that throws or takes too long gives a result, too. */
async function checked(name: string, check: () => Promise<CheckResult>): Promise<CheckResult> {
  const late = new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} seconds`);
  try {
    return await withTimeout(check(), CHECK_TIMEOUT_MS, () => late);
  } catch (error) {
    const advice = error === late ? 'Check the network and the address' : 'Check its log';
    return wrong(name, firstLine(error), advice);
  }
}

const firstLine = (error: unknown): string => String((error as Error)?.message ?? error).split('\n')[0]!;

async function engineFinding(): Promise<CheckResult> {
  const name = 'engine';
  if (!(await Bun.file(ENGINE_FILE).exists()))
    return wrong(name, `${ENGINE_FILE} is missing`, 'Run npm run build (npm start does it too)');
  try {
    warmUp(new Engine(await compileEngine(await Bun.file(ENGINE_FILE).bytes()), 1024 * 1024));
    return ok(name, `runs on Bun ${Bun.version}`);
  } catch (error) {
    return wrong(name, firstLine(error), 'Run npm run build: the file is damaged, or from another version');
  }
}

/** The folder, or its nearest parent that exists. */
async function existing(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : existing(dirname(path));
}

async function folderFinding({ dataDir, databaseUrl, redisUrl }: Config): Promise<CheckResult> {
  const name = 'data folder';
  if (databaseUrl !== null && redisUrl !== null)
    return ok(name, 'not used: Postgres and Redis hold everything');
  const path = resolve(dataDir);
  const there = await existing(path);
  if (!(await stat(there)).isDirectory())
    return wrong(name, `${there} is not a directory`, 'Set DATA_DIR to a directory');
  const writable = await access(there, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable)
    return wrong(
      name,
      `${there} is not writable`,
      'Change its permissions, or set DATA_DIR to another directory',
    );
  const { bavail, bsize } = await statfs(there);
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB free`;
  if (bavail * bsize < MIN_FREE_BYTES)
    return note(name, `${path}: ${free}`, 'Free some space: a write that fails is a 503');
  return ok(name, there === path ? `${path}: ${free}` : `${path} will be created: ${free}`);
}

async function sqliteFinding({ dataDir }: Config): Promise<CheckResult> {
  const name = 'accounts, jobs';
  const path = join(resolve(dataDir), 'sluice.sqlite');
  if (!(await Bun.file(path).exists())) return ok(name, 'SQLite; the first start creates the file');
  const applied = await inSqlite(path, database => countIn(database, '__drizzle_migrations'));
  return migrated(name, 'SQLite', applied, await migrationsIn('migrations'));
}

async function embeddedFinding({ dataDir }: Config): Promise<CheckResult> {
  const name = 'baselines';
  const path = join(resolve(dataDir), 'baselines.sqlite');
  if (!(await Bun.file(path).exists())) return ok(name, 'SQLite; the first start creates the file');
  const sources = await inSqlite(path, database => countIn(database, 'baseline'));
  return ok(name, `SQLite: ${sources} source${sources === 1 ? '' : 's'}`);
}

async function inSqlite<T>(path: string, read: (database: Database) => T): Promise<T> {
  const database = new Database(path, { readonly: true });
  try {
    return read(database);
  } catch (error) {
    throw new Error(`${path}: ${firstLine(error)}`);
  } finally {
    database.close();
  }
}

const countIn = (database: Database, table: string): number =>
  database.prepare<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()!.count;

/** How many migrations this version has. */
async function migrationsIn(folder: string): Promise<number> {
  const journal = await Bun.file(
    join(import.meta.dir, '../../stores/sql', folder, 'meta/_journal.json'),
  ).json();
  return (journal as { entries: unknown[] }).entries.length;
}

function migrated(name: string, store: string, applied: number, known: number): CheckResult {
  if (applied < known)
    return note(
      name,
      `${store}: ${known - applied} of ${known} migrations are missing`,
      'The next start applies them, or run sluice migrate',
    );
  if (applied > known)
    return wrong(
      name,
      `${store} was migrated by a later version of Sluice`,
      'Run that version, or restore a backup from before',
    );
  return ok(name, `${store}: up to date`);
}

async function postgresFinding(url: string): Promise<CheckResult> {
  const name = 'accounts, jobs';
  const client = new SQL({ url, max: 1, connectionTimeout: CONNECT_SECONDS });
  try {
    const [server] = await client`SELECT current_setting('server_version_num')::int / 10000 AS version,
      current_setting('transaction_read_only') AS "readOnly",
      has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
      to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS migrated`;
    if (server.version < MIN_POSTGRES)
      return wrong(name, `Postgres ${server.version}`, `Sluice needs Postgres ${MIN_POSTGRES} or later`);
    if (server.readOnly !== 'off')
      return wrong(name, 'Postgres is read-only', 'Use the primary in DATABASE_URL');
    const store = `Postgres ${server.version}`;
    if (!server.migrated && !server.mayCreate)
      return wrong(name, `${store}: this role cannot create tables`, 'Make it the owner of the database');
    if (!server.migrated) return ok(name, `${store}; the first start creates the tables`);
    const [{ applied }] = await client`SELECT count(*)::int AS applied FROM drizzle.__drizzle_migrations`;
    return migrated(name, store, applied, await migrationsIn('migrations-postgres'));
  } catch (error) {
    return wrong(
      name,
      `Postgres: ${firstLine(error)}`,
      'Is the server running, and are host, user, password and database in DATABASE_URL right?',
    );
  } finally {
    await client.close({ timeout: 1 });
  }
}

async function redisFinding(url: string): Promise<CheckResult> {
  const name = 'baselines';
  try {
    const connection = await RedisConnection.open(url);
    await connection.ping().finally(() => connection.close());
    return ok(name, 'Redis: answers and accepts writes');
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return wrong(
      name,
      `Redis: ${firstLine(cause ?? error)}`,
      'Is the server running, and is REDIS_URL right?',
    );
  }
}

async function mailFinding({ smtpUrl, mailFrom }: Config): Promise<CheckResult> {
  const name = 'mail';
  if (smtpUrl === null)
    return note(
      name,
      'no mail server: one-time codes are in the log',
      'Set SMTP_URL if other people sign in',
    );
  try {
    await new SmtpMailer(smtpUrl, mailFrom).check();
    return ok(name, `${new URL(smtpUrl).host} accepts the login; mails come from ${mailFrom}`);
  } catch (error) {
    return wrong(
      name,
      `${new URL(smtpUrl).host}: ${firstLine(error)}`,
      'Is SMTP_URL right: host, port, user, password, smtp or smtps?',
    );
  }
}

interface Address {
  hostname: string;
  port: number;
}

const shown = ({ hostname, port }: Address): string => `${hostname}:${port}`;

async function portFinding({ host: hostname, port }: Config): Promise<CheckResult> {
  const advice = 'Another program uses it, or you may not: set PORT or HOST';
  return addressFinding('port', { hostname, port }, advice, isSluice);
}

async function metricsFinding({
  host,
  port,
  metricsHost,
  metricsPort,
  metricsToken,
}: Config): Promise<CheckResult> {
  const name = 'metrics port';
  if (metricsPort === null) return ok(name, 'not used: METRICS_PORT is not set');
  const [service, metrics] = [
    { hostname: host, port },
    { hostname: metricsHost, port: metricsPort },
  ];
  if (whyNot([service]) === null && whyNot([metrics]) === null && whyNot([service, metrics]) !== null)
    return wrong(
      name,
      `${shown(metrics)} is the port of the service`,
      'Set METRICS_PORT to another port than PORT',
    );
  const advice = 'Another program uses it, or you may not: set METRICS_PORT or METRICS_HOST';
  return addressFinding(name, metrics, advice, address => hasMetrics(address, metricsToken));
}

async function addressFinding(
  name: string,
  address: Address,
  advice: string,
  isOurs: (address: Address) => Promise<boolean>,
): Promise<CheckResult> {
  if (address.port === 0) return ok(name, 'any free port');
  const reason = whyNot([address]);
  if (reason === null) return ok(name, `${shown(address)} is free`);
  if (await isOurs(address)) return ok(name, `Sluice is running on ${shown(address)}`);
  return wrong(name, `${shown(address)}: ${reason}`, advice);
}

/** Why a program cannot listen on all these addresses at once; null if it can. */
function whyNot(addresses: readonly Address[]): string | null {
  const listeners: { stop(isForced: boolean): void }[] = [];
  try {
    for (const address of addresses) listeners.push(Bun.listen({ ...address, socket: { data() {} } }));
    return null;
  } catch (error) {
    return firstLine(error);
  } finally {
    for (const listener of listeners) listener.stop(true);
  }
}

const isSluice = (address: Address): Promise<boolean> =>
  says(`${urlOf(address)}/v1/health`, {}, text => (JSON.parse(text) as { status?: unknown }).status === 'ok');

const hasMetrics = (address: Address, token: string | null): Promise<boolean> =>
  says(`${urlOf(address)}/metrics`, token === null ? {} : { Authorization: `Bearer ${token}` }, text =>
    text.includes('\nsluice_'),
  );

async function says(
  url: string,
  headers: Record<string, string>,
  isIt: (text: string) => boolean,
): Promise<boolean> {
  try {
    return isIt(await (await fetch(url, { headers, signal: AbortSignal.timeout(1000) })).text());
  } catch {
    return false;
  }
}
