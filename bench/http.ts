/**
 * How long does a client wait for a verdict, compared with a handler that only parses, and do small requests still get through?
 *
 * Over loopback, against the real program with authentication, limits, log and baselines. Client and servers are separate
 * processes. There is one request at a time, timed from the first byte sent to the last byte received. For health, four clients
 * in another process post wide batches back to back, and each probe follows the last answer after a pause.
 */
import { Child, postHead } from './child.ts';
import type { Connection } from './connection.ts';
import { type Figure, figuresOf } from './figures.ts';
import { fullScan, named, type Payload, payloadsOf, type Table, type Write } from './payloads.ts';
import { startPosting } from './posting.ts';
import { type Effort, ratioOf, rounded, shareOf } from './race.ts';
import { Random } from './random.ts';
import { narrowTable, noisyTable, wideTable } from './tables.ts';

export interface HttpEffort {
  rows: number;
  payloads: number;
  /** Of ten rows: so many that a source has forgotten each before it comes again. */
  smallPayloads: number;
  wide: Effort;
  narrow: Effort;
  /** Few enough for the plan's burst and rate: a refusal would end the bench. During the first thousand, code is still being compiled on both servers. */
  small: Effort;
  posters: number;
  postingMs: number;
}

export const HTTP_EFFORT: HttpEffort = {
  rows: 10_000,
  payloads: 3,
  smallPayloads: 500,
  wide: { warmRounds: 20, rounds: 100, budgetMs: 15_000 },
  narrow: { warmRounds: 40, rounds: 200, budgetMs: 15_000 },
  small: { warmRounds: 1500, rounds: 1500, budgetMs: 15_000 },
  posters: 4,
  postingMs: 8000,
};

export interface HttpResult {
  ratios: Record<
    'wide_req_json' | 'wide_drain' | 'narrow_req_json' | 'narrow_drain' | 'small_elysia_echo',
    number
  >;
  wide: Record<string, Figure>;
  narrow: Record<string, Figure>;
  small: Record<string, Figure>;
  health: Probes & { idle: Probes };
  /** Batches posted while health was probed. */
  posted: { batches: number; mb_per_s: number; rows_per_s: number };
  server_peak_rss_mb: number;
}

interface Probes {
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
  probes: number;
}

const SMALL_ROWS = 10;
const IDLE_PROBES = 200;
const MAX_PAUSE_MS = 10;
const HEALTH = 'GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n';

export async function benchHttp(seed: number, effort = HTTP_EFFORT): Promise<HttpResult> {
  await using sluice = await Child.sluice();
  const wide = await overLarge(seed, effort, effort.wide, wideTable, fullScan(), sluice);
  const narrowBody = named('bench-narrow', { full_scan: true });
  const narrow = await overLarge(seed, effort, effort.narrow, narrowTable, narrowBody, sluice);
  const small = await overSmall(seed, effort, sluice);
  const { health, posted } = await overHealth(seed, effort, sluice);
  return {
    ratios: {
      wide_req_json: ratioOf(wide.sluice!, wide.req_json!),
      wide_drain: ratioOf(wide.sluice!, wide.drain!),
      narrow_req_json: ratioOf(narrow.sluice!, narrow.req_json!),
      narrow_drain: ratioOf(narrow.sluice!, narrow.drain!),
      small_elysia_echo: ratioOf(small.sluice!, small.elysia_echo!),
    },
    wide,
    narrow,
    small,
    health,
    posted,
    server_peak_rss_mb: sluice.peakRssMb(),
  };
}

type Contestants = Record<string, Connection>;
type AnswerCheck = (payload: Payload, answer: string) => boolean;

async function overLarge(
  seed: number,
  size: HttpEffort,
  effort: Effort,
  table: Table,
  body: Write,
  sluice: Child,
): Promise<Record<string, Figure>> {
  await using drain = await Child.peer('drain');
  await using reqJson = await Child.peer('req_json');
  const payloads = payloadsOf(seed, size, table, body);
  const contestants = {
    sluice: await sluice.connect(),
    drain: await drain.connect(),
    req_json: await reqJson.connect(),
  };
  await checkAnswers(contestants, payloads, {
    sluice: isFullReport,
    drain: ({ bytes }, answer) => JSON.parse(answer).bytes === bytes.length,
    req_json: ({ rows }, answer) => JSON.parse(answer).rows === rows,
  });
  // Awaited here: the peers end with this function.
  return await figuresOf(posting(contestants), payloads, effort);
}

async function overSmall(seed: number, effort: HttpEffort, sluice: Child): Promise<Record<string, Figure>> {
  await using echo = await Child.peer('elysia_echo');
  const size = { payloads: effort.smallPayloads, rows: SMALL_ROWS };
  const payloads = payloadsOf(seed, size, noisyTable, named('bench-small'));
  const contestants = { sluice: await sluice.connect(), elysia_echo: await echo.connect() };
  await checkAnswers(contestants, payloads, {
    sluice: isFullReport,
    elysia_echo: ({ text }, answer) => answer === text,
  });
  return await figuresOf(posting(contestants), payloads, effort.small);
}

/** Every row must be received and measured, and the baseline must have learned the batch. */
function isFullReport({ rows }: Payload, answer: string): boolean {
  const { status, stats } = JSON.parse(answer);
  return status !== 'BLOCK' && stats.rows_received === rows && stats.rows_sampled === rows;
}

async function checkAnswers(
  contestants: Contestants,
  payloads: Payload[],
  checks: Record<string, AnswerCheck>,
): Promise<void> {
  for (const [name, connection] of Object.entries(contestants)) {
    for (const payload of payloads) {
      const answer = await post(connection, payload);
      if (!checks[name]!(payload, answer))
        throw new Error(`${name} answers wrongly: ${answer.slice(0, 2000)}`);
    }
  }
}

const post = (connection: Connection, { bytes }: Payload): Promise<string> =>
  connection.ok(postHead(bytes.length), bytes);

const posting = (contestants: Contestants) =>
  Object.fromEntries(
    Object.entries(contestants).map(([name, connection]) => [
      name,
      (payload: Payload) => post(connection, payload),
    ]),
  );

async function overHealth(seed: number, effort: HttpEffort, sluice: Child) {
  const { rows, posters, postingMs } = effort;
  const connection = await sluice.connect();
  const random = new Random(seed);
  let asked = 0;
  const idle = await probe(connection, random, () => asked++ < IDLE_PROBES);
  const result = await startPosting({ port: sluice.port, clients: posters, rows, seed, ms: postingMs });
  let posting = true;
  const ended = result().finally(() => {
    posting = false;
  });
  const busy = await probe(connection, random, () => posting);
  const { batches, bytes, ms } = await ended;
  const posted = {
    batches,
    mb_per_s: rounded(bytes / 1e3 / ms),
    rows_per_s: Math.round((1000 * rows * batches) / ms),
  };
  return { health: { ...busy, idle }, posted };
}

async function probe(connection: Connection, random: Random, goesOn: () => boolean): Promise<Probes> {
  const times: number[] = [];
  while (goesOn()) {
    const begun = performance.now();
    await connection.ok(HEALTH);
    times.push(performance.now() - begun);
    // At random moments, independent of the server's own rhythm.
    await Bun.sleep(random.unit() * MAX_PAUSE_MS);
  }
  return {
    p50_ms: rounded(shareOf(times, 0.5)),
    p99_ms: rounded(shareOf(times, 0.99)),
    max_ms: rounded(shareOf(times, 1)),
    probes: times.length,
  };
}
