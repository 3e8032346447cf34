/**
 * Three replicas take one batch in parts, from many clients, in any order, each part perhaps twice, while replicas are killed and replaced. The verdict, what the source has learned and
 * what is counted are those of the same batch that nothing disturbed. `ROUNDS`, `PARTS` and `CLIENTS` make it larger.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeWithBoth } from '../servers/suites.ts';
import { Fleet } from './fleet.ts';
import { KEY, type Server } from './server.ts';

const { ROUNDS = '2', PARTS = '60', CLIENTS = '8' } = process.env;
const ROWS = 400;
const REPLICAS = 3;
/** Of a request that a kill broke off, or that met a replica that starts. */
const TRIES = 60;

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests ask
type Json = Record<string, any>;

let fleet: Fleet;

/** Asks any replica until one answers. */
async function ask(
  method: string,
  path: string,
  body: string | null,
  type = 'application/json',
): Promise<Json> {
  let last: unknown;
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const headers = { 'X-API-Key': KEY, 'Content-Type': type };
      const response = await fetch(`${fleet.next().url}${path}`, { method, headers, body });
      const said = (await response.json()) as Json;
      if (response.ok) return said;
      last = said;
      if (response.status < 429 && said.code !== 'IDEMPOTENCY_CONFLICT') break;
    } catch (error) {
      last = error;
    }
    await Bun.sleep(100);
  }
  throw new Error(`${method} ${path}: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
}

const partOf = (round: number, part: number): string =>
  `id,amount,town\n${Array.from({ length: ROWS }, (_, i) => {
    const id = part * ROWS + i;
    return `${id},${(id * 7919) % (1000 + 100 * round)},town ${id % 40}\n`;
  }).join('')}`;

const count = Number(PARTS);

async function finished(source: string, round: number, order: readonly number[]): Promise<Json> {
  const { batch_id: id } = await ask('POST', '/v1/batches', JSON.stringify({ source }));
  const queue = [...order];
  const client = async () => {
    for (let part = queue.shift(); part !== undefined; part = queue.shift())
      await ask('PUT', `/v1/batches/${id}/parts/${part}`, partOf(round, part), 'text/csv');
  };
  await Promise.all(Array.from({ length: Number(CLIENTS) }, client));
  return ask('POST', `/v1/batches/${id}/finish`, JSON.stringify({ parts: count }));
}

/** Every part once or twice, in any order. */
function disorder(): number[] {
  const all = Array.from({ length: count }, (_, part) =>
    Math.random() < 0.3 ? [part, part] : [part],
  ).flat();
  return all
    .map(part => [Math.random(), part] as const)
    .sort(([a], [b]) => a - b)
    .map(([, part]) => part);
}

/** Kills one replica after the other, and starts another in its place. */
async function killing(until: Promise<unknown>): Promise<number> {
  let isOver = false;
  let kills = 0;
  until
    .finally(() => {
      isOver = true;
    })
    .catch(() => {});
  while (!isOver) {
    await Bun.sleep(300 + Math.random() * 700);
    if (isOver) break;
    const at = Math.floor(Math.random() * REPLICAS);
    const killed: Server = fleet.replicas[at]!;
    const successor = await fleet.add();
    fleet.replicas.pop();
    fleet.replicas[at] = successor;
    await killed[Symbol.asyncDispose]();
    kills++;
  }
  return kills;
}

/** What the source has learned; when it was learned and under which ids differs. */
async function learned(source: string): Promise<Json> {
  const { fields, batches, rows } = await ask('GET', `/v1/schema/${source}`, null);
  return { fields, batches, rows };
}

const judged = ({
  request_id: _,
  batch_id: __,
  timestamp: ___,
  latency_ms: ____,
  stats,
  ...report
}: Json) => ({
  ...report,
  stats: { ...stats, source: '', latency_ms: 0 },
});

describeWithBoth('a batch on three replicas', () => {
  beforeAll(async () => {
    fleet = await Fleet.start(REPLICAS, false);
  }, 240_000);
  afterAll(() => fleet[Symbol.asyncDispose]());

  test('is judged, learned and counted as if nothing had been killed', async () => {
    let kills = 0;
    for (let round = 0; round < Number(ROUNDS); round++) {
      const before = await fleet.books();
      const disturbed = finished('disturbed', round, disorder());
      kills += await killing(disturbed);
      const undisturbed = await finished(
        'calm',
        round,
        Array.from({ length: count }, (_, part) => part),
      );
      expect(judged(await disturbed)).toEqual(judged(undisturbed));
      expect(await learned('disturbed')).toEqual(await learned('calm'));
      const after = await fleet.books();
      expect(after.ledgerRows - before.ledgerRows).toBe(2 * count * ROWS);
      expect(after.ledgerRequests - before.ledgerRequests).toBe(2);
      expect(after.jobs.size - before.jobs.size).toBe(2);
    }
    console.log(`${ROUNDS} rounds of ${PARTS} parts, ${kills} kills`);
    expect(kills).toBeGreaterThan(0);
  }, 1_800_000);
});
