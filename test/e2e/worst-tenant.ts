/**
 * How long `GET /v1/health` takes while one tenant does its worst: the widest batches with the longest names, reads of the largest jobs,
 * and bodies that arrive byte by byte, all at once. As a command:
 *
 *     npm run tenant -- --posts 20 --reads 100 --uploads 300 --rounds 3
 *
 * It prints percentiles in ms, without the tenant and beside it. A process of its own asks for the health, so that what the tenant's clients
 * do is not measured. The processes share the machine: on few processors part of the time is the clients'.
 */
import { parseArgs } from 'node:util';
import { eventually } from '../servers/process.ts';
import { KEY, Server } from './server.ts';

export interface Tenant {
  /** Batches at once, and how often. */
  posts: number;
  rounds: number;
  /** Reads of the largest job at once. */
  reads: number;
  /** Bodies that arrive slowly. */
  uploads: number;
}

interface Percentiles {
  count: number;
  p50: number;
  p99: number;
  most: number;
}

export interface TenantResult {
  idle: Percentiles;
  /** While batches were posted and jobs read, and slow bodies arrived. */
  beside: Percentiles;
  /** Answers to the tenant by status. */
  answers: Record<string, number>;
  /** Largest answers, in bytes. */
  reportBytes: number;
  jobBytes: number;
}

const FIELDS = 2000;
const NAME_BYTES = 1024;
const PROBE_EVERY_MS = 5;
const IDLE_MS = 500;
const TRICKLE_MS = 500;

/** Names that have no long beginning in common and do not compress. */
const nameOf = (field: number): string => {
  let [name, state] = [`${field}_`, field + 1];
  while (name.length < NAME_BYTES) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    name += (state >>> 4).toString(36);
  }
  return name.slice(0, NAME_BYTES);
};

/** Every second batch of a source changes the type of every field. */
function widest(source: number, turn: number): string {
  const value = turn % 2 === 0 ? 1 : 'x'.repeat(900);
  const row = Object.fromEntries(Array.from({ length: FIELDS }, (_, field) => [nameOf(field), value]));
  return JSON.stringify({ source: `wide-${source}`, rows: [row], options: { row_verdicts: true } });
}

const HEADERS = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };

class Attack {
  readonly answers: Record<string, number> = {};
  reportBytes = 0;
  jobBytes = 0;
  readonly #server: Server;
  #job = '';

  constructor(server: Server) {
    this.#server = server;
  }

  async post(source: number, turn: number): Promise<void> {
    const text = await this.#fetch('/v1/screen', { method: 'POST', body: widest(source, turn) });
    this.reportBytes = Math.max(this.reportBytes, Buffer.byteLength(text));
    this.#job = /^\{"request_id":"(\w+)"/.exec(text)?.[1] ?? this.#job;
  }

  async read(): Promise<void> {
    const text = await this.#fetch(`/v1/jobs/${this.#job}`, {});
    this.jobBytes = Math.max(this.jobBytes, Buffer.byteLength(text));
  }

  /** A body of a megabyte that arrives two bytes a second. Returns how to end it. */
  async trickle(): Promise<() => void> {
    const head = `POST /v1/screen HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`;
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: this.#server.port,
      socket: { open: opened => void opened.write(head), data() {}, error() {} },
    });
    const timer = setInterval(() => socket.write(' '), TRICKLE_MS);
    return () => {
      clearInterval(timer);
      socket.terminate();
    };
  }

  async #fetch(path: string, init: RequestInit): Promise<string> {
    const response = await fetch(this.#server.url + path, { ...init, headers: HEADERS });
    this.answers[response.status] = (this.answers[response.status] ?? 0) + 1;
    return response.text();
  }
}

const times = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

export async function worstTenant({ posts, rounds, reads, uploads }: Tenant): Promise<TenantResult> {
  await using server = await Server.start();
  // The first batches are compiled, and are not measured.
  const attack = new Attack(server);
  for (let turn = 0; turn < 2; turn++) await attack.post(-1, turn);
  const idle = await probing(server.url, () => Bun.sleep(IDLE_MS));
  const beside = await probing(server.url, async () => {
    const ends = await times(uploads, () => attack.trickle());
    for (let turn = 0; turn < rounds; turn++)
      await Promise.all([times(posts, i => attack.post(i, turn)), times(reads, () => attack.read())]);
    for (const end of ends) end();
  });
  const { answers, reportBytes, jobBytes } = attack;
  return { idle, beside, answers, reportBytes, jobBytes };
}

/** What the health took while `work` ran. */
async function probing(url: string, work: () => Promise<unknown>): Promise<Percentiles> {
  const prober = Bun.spawn([process.execPath, import.meta.path, '--probe', url], {
    stdin: 'pipe',
    stdout: 'pipe',
  });
  let said = '';
  const read = (async () => {
    for await (const bytes of prober.stdout) said += Buffer.from(bytes).toString();
  })();
  await eventually(async () => said.startsWith('probing'));
  await work();
  prober.stdin.end();
  await read;
  return percentilesOf(JSON.parse(said.slice(said.indexOf('['))) as number[]);
}

async function probe(url: string): Promise<void> {
  let asked = true;
  void Bun.stdin.text().then(() => {
    asked = false;
  });
  const took: number[] = [];
  console.log('probing');
  while (asked) {
    const since = performance.now();
    await (await fetch(`${url}/v1/health`)).text();
    took.push(performance.now() - since);
    await Bun.sleep(PROBE_EVERY_MS);
  }
  console.log(JSON.stringify(took));
}

function percentilesOf(took: readonly number[]): Percentiles {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Number(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1));
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      probe: { type: 'string' },
      posts: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
      reads: { type: 'string', default: '100' },
      uploads: { type: 'string', default: '300' },
    },
  });
  if (values.probe !== undefined) return probe(values.probe);
  const { posts, rounds, reads, uploads } = values;
  const tenant = {
    posts: Number(posts),
    rounds: Number(rounds),
    reads: Number(reads),
    uploads: Number(uploads),
  };
  console.log(JSON.stringify(tenant));
  console.log(JSON.stringify(await worstTenant(tenant), null, 2));
}

if (import.meta.main) await main();
