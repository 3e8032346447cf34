/** A private Postgres server on a free port. */
import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SQL } from 'bun';
import { asChild, mustChangeUser, POSTGRES_USER, postgresBinaries } from './binaries.ts';
import { eventually, freePort, newFolder, ServerProcess } from './process.ts';

/** Commits do not wait for the disk: the data need not survive a crash of the machine. */
export const IN_HASTE = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];

const ROOT = join(import.meta.dir, '../..');
/** Made by `initdb` for the first server of a version, and copied for all others: that takes a tenth of the time. */
const MADE = join(ROOT, 'build/postgres');

async function makeData(binaries: string, data: string): Promise<void> {
  const initdb = join(binaries, 'initdb');
  const made = join(MADE, (await ran([initdb, '--version'])).trim().replaceAll(/\W+/g, '-'));
  if (existsSync(made)) return void (await ran(['cp', '-a', made, data]));
  const command = [initdb, '-D', data, '-A', 'trust', '-U', 'postgres', '-N'];
  await ran(asChild(command, POSTGRES_USER), dirname(data));
  mkdirSync(MADE, { recursive: true });
  const unfinished = `${made}.${process.pid}`;
  await ran(['cp', '-a', data, unfinished]);
  try {
    renameSync(unfinished, made);
  } catch {
    // Another process was first.
    rmSync(unfinished, { recursive: true });
  }
}

async function ran(command: string[], cwd = ROOT): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${errors}`);
  return out;
}

export class PostgresServer {
  #databases = 0;

  private constructor(
    readonly process: ServerProcess,
    readonly port: number,
  ) {}

  static async start(more: readonly string[] = []): Promise<PostgresServer> {
    const binaries = postgresBinaries()!;
    const folder = newFolder('postgres');
    if (mustChangeUser()) chownSync(folder, idOf('-u'), idOf('-g'));
    const data = join(folder, 'data');
    await makeData(binaries, data);
    const port = await freePort();
    const own = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
    const settings = [...own, ...more];
    const command = [join(binaries, 'postgres'), '-D', data, ...settings.flatMap(each => ['-c', each])];
    const server = new PostgresServer(
      new ServerProcess(asChild(command, POSTGRES_USER), folder, 'SIGQUIT'),
      port,
    );
    server.process.start();
    await server.ready();
    return server;
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async ready(): Promise<void> {
    await this.process.answers(() => this.query('SELECT 1'));
  }

  /** Creates an empty database; returns its address. */
  async newDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  async query(text: string, database?: string): Promise<Record<string, unknown>[]> {
    const client = new SQL({ url: this.url(database), max: 1, connectionTimeout: 1 });
    try {
      return await client.unsafe(text);
    } finally {
      await client.close();
    }
  }

  /** Sends SIGSTOP or SIGCONT to the server and all its processes. */
  async signalAll(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const children = Bun.spawnSync(['pgrep', '-P', String(this.process.pid)]).stdout.toString();
    for (const pid of [this.process.pid, ...children.split('\n').filter(Boolean).map(Number)])
      process.kill(pid, signal);
  }

  async restart(): Promise<void> {
    this.process.start();
    await this.ready();
  }
}

/** Ends all connections. The database accepts none until it has its new name: replicas that connect again at once would keep it in use. */
export async function renameDatabase(server: PostgresServer, from: string, to: string): Promise<void> {
  await server.query(`ALTER DATABASE ${from} ALLOW_CONNECTIONS false`);
  // Again for a connection that was being made, and is not listed yet.
  await eventually(async () => {
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}'`);
    await server.query(`ALTER DATABASE ${from} RENAME TO ${to}`);
  });
  await server.query(`ALTER DATABASE ${to} ALLOW_CONNECTIONS true`);
}

const idOf = (flag: '-u' | '-g'): number =>
  Number(Bun.spawnSync(['id', flag, POSTGRES_USER]).stdout.toString());
