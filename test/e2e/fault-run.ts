/**
 * A fault run: clients post batches to replicas whose ways to Redis and Postgres fail at random, through Toxiproxy. In the
 * end every batch that was answered with 200 must have been counted exactly once, and no other. As a command:
 *
 *     npm run faults -- --seconds 145 --seed 7 --clients 12 --replicas 2
 *
 * Every client repeats a batch under its Idempotency-Key until it is answered with 200, as clients should.
 */
import '../../scripts/built.ts';
import { parseArgs } from 'node:util';
import { eventually } from '../servers/process.ts';
import { type Toxic, Toxiproxy, toxiproxyProgram } from '../servers/toxiproxy.ts';
import { type Books, Fleet } from './fleet.ts';
import { Load } from './load.ts';

export interface FaultRun {
  seconds: number;
  /** It takes longer where so many batches have not been screened yet: a busy machine is slow. */
  batches?: number;
  seed: number;
  clients: number;
  replicas: number;
}

export interface FaultRunResult {
  faults: Record<string, number>;
  batches: number;
  batchesPerSecond: number;
  /** Answers by status, or by code where it is a refusal. */
  answers: Record<string, number>;
  longestMs: number;
  /** Batches that baselines know beside those of jobs: Postgres went away after they were learnt. */
  beside: number;
  /** What does not add up; empty in a run that held. */
  wrong: string[];
}

type Store = 'redis' | 'postgres';
type Random = () => number;
interface Fault {
  name: string;
  begin(toxiproxy: Toxiproxy, store: Store, random: Random): Promise<void>;
}

const SETTLE_MS = 20_000;

/** Both ways, or one of them, each with its own share of connections. */
const toxic = (
  name: string,
  type: Toxic['type'],
  attributes: (random: Random) => Toxic['attributes'],
): Fault => ({
  name,
  async begin(toxiproxy, store, random) {
    const streams = (['upstream', 'downstream'] as const).filter(() => random() < 0.7);
    for (const stream of streams.length > 0 ? streams : (['downstream'] as const))
      await toxiproxy.poison(store, {
        type,
        stream,
        attributes: attributes(random),
        toxicity: 0.3 + 0.7 * random(),
      });
  },
});

const within = (random: Random, from: number, to: number): number =>
  Math.round(from + random() * (to - from));

const FAULTS: readonly Fault[] = [
  toxic('slow', 'latency', random => ({ latency: within(random, 50, 300), jitter: 50 })),
  toxic('too slow', 'latency', random => ({ latency: within(random, 700, 3000), jitter: 200 })),
  toxic('narrow', 'bandwidth', random => ({ rate: within(random, 5, 50) })),
  toxic('in slices', 'slicer', random => ({
    average_size: within(random, 1, 64),
    size_variation: 0,
    delay: 100,
  })),
  toxic('silent', 'timeout', () => ({ timeout: 0 })),
  toxic('silent, then closed', 'timeout', random => ({ timeout: within(random, 50, 1500) })),
  toxic('reset', 'reset_peer', random => ({ timeout: within(random, 0, 500) })),
  toxic('cut within an answer', 'limit_data', random => ({ bytes: within(random, 1, 5000) })),
  { name: 'gone', begin: (toxiproxy, store) => toxiproxy.close(store) },
];

export async function faultRun(
  program: string,
  { seconds, batches = 0, seed, clients, replicas }: FaultRun,
): Promise<FaultRunResult> {
  const toxiproxy = await Toxiproxy.start(program);
  const fleet = await Fleet.start(replicas, false, {}, (store, port) => toxiproxy.wayTo(store, port));
  try {
    const load = new Load(clients, () => fleet.next(), 'every');
    const begin = performance.now();
    const isEnough = () => performance.now() >= begin + seconds * 1000 && load.receipts.length >= batches;
    const faults = await playFaults(toxiproxy, isEnough, mulberry32(seed));
    await load.end();
    const took = (performance.now() - begin) / 1000;
    const wrong = [...wrongAnswers(load), ...(await settledBooks(fleet, load, clients * total(faults)))];
    return {
      faults,
      batches: load.receipts.length,
      batchesPerSecond: Math.round((load.receipts.length / took) * 10) / 10,
      answers: countBy(load.replies.map(({ status, code }) => code ?? String(status))),
      longestMs: Math.round(Math.max(...load.replies.map(({ ms }) => ms))),
      beside: besideJobs(await fleet.books()).reduce((sum, count) => sum + count, 0),
      wrong,
    };
  } finally {
    await fleet[Symbol.asyncDispose]();
    await toxiproxy.process.remove();
  }
}

/** Begins and ends faults until it is enough; how many there were of each. */
async function playFaults(
  toxiproxy: Toxiproxy,
  isEnough: () => boolean,
  random: Random,
): Promise<Record<string, number>> {
  const names: string[] = [];
  while (!isEnough()) {
    for (const store of (['redis', 'postgres'] as const).filter(() => random() < 0.6)) {
      const fault = FAULTS[Math.floor(random() * FAULTS.length)]!;
      await fault.begin(toxiproxy, store, random);
      names.push(`${store} ${fault.name}`);
    }
    await Bun.sleep(within(random, 200, 2500));
    await toxiproxy.heal();
    await Bun.sleep(within(random, 0, 1500));
  }
  return countBy(names);
}

/** Faults of stores are 503s that say when to come again; a 409 says that the first request is still on its way. */
function wrongAnswers({ replies, failures }: Load): string[] {
  const isExpected = ({ status, code, retryAfter }: Load['replies'][number]) =>
    status === 200 || ((status === 503 || code === 'IDEMPOTENCY_CONFLICT') && retryAfter !== null);
  const others = replies.filter(reply => !isExpected(reply));
  return [...failures.map(failure => `no answer: ${failure}`), ...others.map(reply => JSON.stringify(reply))];
}

/** What still does not add up when all that was under way has come to its end. */
async function settledBooks(fleet: Fleet, load: Load, mostBeside: number): Promise<string[]> {
  let wrong: string[] = [];
  const check = async () => {
    wrong = wrongBooks(await fleet.books(), load, mostBeside);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  };
  await eventually(check, SETTLE_MS).catch(error => {
    if (wrong.length === 0) wrong = [String(error)];
  });
  return wrong;
}

/** Each batch was answered with 200 once, so jobs and receipts are the same, and all that counts says so. */
function wrongBooks(books: Books, { receipts }: Load, mostBeside: number): string[] {
  const { jobs, jobRows, ledgerRows, ledgerRequests, reports, counted } = books;
  const lost = receipts.filter(({ id, rows }) => jobs.get(id) !== rows);
  // The fleet's start posts a batch of its own.
  const surplus = jobs.size - new Set(receipts.map(({ id }) => id)).size - 1;
  const facts: [string, number, number][] = [
    ['batches that were answered with 200 but have no job of as many rows', lost.length, 0],
    [
      'batches answered under the id of another',
      receipts.length - new Set(receipts.map(({ id }) => id)).size,
      0,
    ],
    ['jobs that no answer names', surplus, 0],
    ['rows in the ledger', ledgerRows, jobRows],
    ['requests in the ledger', ledgerRequests, jobs.size],
    ['reports', reports, jobs.size],
    ['rows counted against the allowance', counted, jobRows],
    ['sources whose baseline lacks a batch', besideJobs(books).filter(count => count < 0).length, 0],
    [
      'batches in baselines beyond what faults explain',
      Math.max(0, besideJobs(books).reduce((sum, count) => sum + count, 0) - mostBeside),
      0,
    ],
  ];
  return facts.flatMap(([what, found, expected]) =>
    found === expected ? [] : [`${what}: ${found}, not ${expected}`],
  );
}

const besideJobs = ({ batches }: Books): number[] =>
  Object.entries(batches.baselines).map(([source, count]) => count - batches.jobs[source]!);

const total = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

function countBy(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort());
}

/** Tommy Ettinger's mulberry32 (public domain): the same faults for the same seed. */
function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function main(): Promise<number> {
  const program = toxiproxyProgram();
  if (program === null) {
    console.error('Toxiproxy is built by Go: install Go, and let it reach a module proxy');
    return 2;
  }
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      clients: { type: 'string', default: '12' },
      replicas: { type: 'string', default: '2' },
    },
  });
  const run = {
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    clients: Number(values.clients),
    replicas: Number(values.replicas),
  };
  console.log(JSON.stringify(run));
  const result = await faultRun(program, run);
  console.log(JSON.stringify(result, null, 2));
  console.log(result.wrong.length === 0 ? 'Nothing lost, nothing doubled.' : 'It does NOT add up.');
  return result.wrong.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exit(await main());
