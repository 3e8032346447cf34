/**
 * How long `GET /v1/health` and a `POST /v1/screen` of ten rows of another account take while one tenant does its worst (the widest batches
 * with the longest names, reads of the largest jobs, and bodies that arrive byte by byte, all at once), and beside each flood of a stranger
 * (strangers.ts). As a command:
 *
 *     npm run tenant -- --posts 20 --reads 100 --uploads 300 --rounds 3
 *     npm run tenant -- --strangers --seconds 5 --flood pings
 *
 * It prints percentiles in ms, without the others and beside them, and the most resident memory in MiB. Each side is a process of its own,
 * and they share the machine: on few processors part of the time is the attackers'.
 */
import '../../scripts/built.ts';
import { parseArgs } from 'node:util';
import { MIB, peakBytesOf } from './most-memory.ts';
import { type Felt, feltDuring } from './neighbour.ts';
import { KEY, Server } from './server.ts';
import { FLOODS, type Flood, Stranger } from './strangers.ts';

export interface Tenant {
  /** Batches at once, and how often. */
  posts: number;
  rounds: number;
  /** Reads of the largest job at once. */
  reads: number;
  /** Bodies that arrive slowly. */
  uploads: number;
}

export interface TenantResult {
  idle: Felt;
  /** While batches were posted and jobs read, and slow bodies arrived. */
  beside: Felt;
  /** Answers to the tenant by status. */
  answers: Record<string, number>;
  /** Largest answers, in bytes. */
  reportBytes: number;
  jobBytes: number;
}

const FIELDS = 2000;
const NAME_BYTES = 1024;
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
  await using server = await Server.start(TWO_ACCOUNTS);
  const neighbour = await secondKey(server);
  // The first batches are compiled, and are not measured.
  const attack = new Attack(server);
  for (let turn = 0; turn < 2; turn++) await attack.post(-1, turn);
  const idle = await feltDuring(server.url, neighbour, () => Bun.sleep(IDLE_MS));
  const beside = await feltDuring(server.url, neighbour, async () => {
    const ends = await times(uploads, () => attack.trickle());
    for (let turn = 0; turn < rounds; turn++)
      await Promise.all([times(posts, i => attack.post(i, turn)), times(reads, () => attack.read())]);
    for (const end of ends) end();
  });
  const { answers, reportBytes, jobBytes } = attack;
  return { idle, beside, answers, reportBytes, jobBytes };
}

/** The first address that signs in gets the account of the first key, unless that one has an address. */
const TWO_ACCOUNTS = { BOOTSTRAP_EMAIL: 'tenant@example.com', SIGNUP_PLAN: 'scale' };

/** A key of another account. */
async function secondKey(server: Server): Promise<string> {
  const email = 'neighbour@example.com';
  const post = async (path: string, body: object, headers = {}) => {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { ...JSON_BODY, ...headers } };
    return (await (await fetch(server.url + path, init)).json()) as { token: string; key: string };
  };
  await post('/v1/auth/otp', { email });
  const [, code] = await server.prints(/neighbour@example\.com\D*\b(\d{6})\b[^\n]*\n/);
  const { token } = await post('/v1/auth/session', { email, code });
  const { key } = await post('/v1/keys', { name: 'neighbour' }, { Authorization: `Bearer ${token}` });
  return key;
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** What another account feels beside a flood of so many seconds, and the most resident memory of the process in MiB. */
export async function besideStranger(flood: Flood, seconds: number): Promise<Felt & { mostMiB: number }> {
  await using server = await Server.start(TWO_ACCOUNTS);
  const neighbour = await secondKey(server);
  const stranger = new Stranger(server.port, flood);
  const felt = await feltDuring(server.url, neighbour, async () => {
    void stranger.start();
    await Bun.sleep(seconds * 1000);
  });
  stranger.end();
  return { ...felt, mostMiB: Math.round(peakBytesOf(server.child.pid) / MIB) };
}

async function strangers(seconds: number, named: string): Promise<void> {
  for (const [name, flood] of Object.entries(FLOODS)) {
    if (!name.includes(named)) continue;
    const { health, screen, failed, mostMiB } = await besideStranger(flood, seconds);
    console.log(JSON.stringify({ name, health, screen, failed, mostMiB }));
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      posts: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
      reads: { type: 'string', default: '100' },
      uploads: { type: 'string', default: '300' },
      strangers: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '5' },
      flood: { type: 'string', default: '' },
    },
  });
  if (values.strangers) return strangers(Number(values.seconds), values.flood);
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
