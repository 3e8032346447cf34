/**
 * The longest time that each request holds the event loop of the program, in ms of processor time. As a command:
 *
 *     npm run holds -- --repeats 5
 *
 * Requests go out one at a time: the widest batches with the longest names, the deepest history, and reads and changes of what they
 * leave. Of the repeats the median and the maximum count. Collections of all garbage are in the maximum.
 */
import '../../scripts/built.ts';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Dictionary, Float64, Int32, Utf8 } from 'apache-arrow';
import { T } from '../../src/columns/parquet/thrift.ts';
import { joined, list, wideParquet } from '../columns/parquet-bytes.ts';
import { arrowOf } from '../columns/tables.ts';
import { KEY, Server } from './server.ts';

const NAME_BYTES = 1024;
const MAX_ROWS = 10_000;
const HEADERS = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };

export interface HoldsEffort {
  repeats: number;
  fields: number;
  /** Batches before. */
  history: number;
  /** Of one batch. */
  cells: number;
  textBytes: number;
  /** How long to wait for what follows an answer: the merge into the baseline, and the next fit. */
  afterMs: number;
}

const EFFORT: HoldsEffort = {
  repeats: 5,
  fields: 2000,
  history: 12,
  cells: 2_000_000,
  textBytes: 33_000_000,
  afterMs: 500,
};

export interface Hold {
  request: string;
  median: number;
  most: number;
}

const long = (field: number): string => `${field}_`.padEnd(NAME_BYTES, 'n');
const short = (field: number): string => `field_${field}`;

type Name = (field: number) => string;

const batchesOf =
  (fields: number) =>
  (source: string, rows: number, name: Name, value: (i: number) => unknown): string => {
    const row = (at: number) =>
      Object.fromEntries(Array.from({ length: fields }, (_, field) => [name(field), value(field + at * 7)]));
    const all = Array.from({ length: rows }, (_, at) => row(at));
    return JSON.stringify({ source, rows: all, options: { row_verdicts: true, full_scan: true } });
  };

const usual = (i: number): unknown => (i % 2 ? (i * 7919) % 1000 : `text ${i % 50}`);
const other = (i: number): unknown => (i % 3 ? `${'x'.repeat(400)}${i}` : null);

class Driver {
  readonly holds: Hold[] = [];
  readonly #server: Server;
  readonly #clock: string;
  readonly #effort: HoldsEffort;

  constructor(server: Server, clock: string, effort: HoldsEffort) {
    this.#server = server;
    this.#clock = clock;
    this.#effort = effort;
  }

  async send(method: string, path: string, text?: string | Blob, headers: object = {}): Promise<string> {
    const init = { method, headers: { ...HEADERS, ...headers }, ...(text !== undefined && { body: text }) };
    const response = await fetch(this.#server.url + path, init);
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.slice(0, 200)}`);
    return answer;
  }

  /** Measures what `run` makes the program do. */
  async measure(request: string, run: (turn: number) => Promise<unknown>): Promise<void> {
    const took: number[] = [];
    for (let turn = 0; turn < this.#effort.repeats; turn++) {
      await this.#longest();
      await run(turn);
      await Bun.sleep(this.#effort.afterMs);
      took.push(await this.#longest());
    }
    const sorted = took.toSorted((a, b) => a - b);
    this.holds.push({ request, median: sorted[sorted.length >> 1]!, most: sorted.at(-1)! });
  }

  async #longest(): Promise<number> {
    return Number(await (await fetch(this.#clock)).text());
  }
}

export async function loopHolds(effort: HoldsEffort = EFFORT): Promise<Hold[]> {
  const { fields, history } = effort;
  const body = batchesOf(fields);
  const preload = join(import.meta.dir, 'loop-clock.ts');
  await using server = await Server.start({ BUN_OPTIONS: `--preload=${preload}` });
  const [, port] = await server.prints(/loop clock (\d+)/);
  const driver = new Driver(server, `http://127.0.0.1:${port}`, effort);
  const screen = (text: string) => driver.send('POST', '/v1/screen', text);
  for (let turn = 0; turn < history; turn++) await screen(body('deep', 40, short, i => usual(i + turn)));
  for (const text of [body('wide', 1, long, usual), body('wide', 1, long, other)]) await screen(text);
  const job = /^\{"request_id":"(\w+)"/.exec(await screen(body('wide', 1, long, other)))![1]!;
  await measureScreens(driver, effort);
  await measureColumns(driver, effort);
  await measureRules(driver, effort);
  await measureOthers(driver, job, body('deep', 1, short, usual));
  return driver.holds;
}

async function measureScreens(driver: Driver, { fields, cells, textBytes }: HoldsEffort): Promise<void> {
  const body = batchesOf(fields);
  const screen = (text: string, headers = {}) => driver.send('POST', '/v1/screen', text, headers);
  await driver.measure('POST /v1/screen, 2,000 long names, a new source', turn =>
    screen(body(`new ${turn}`, 1, long, usual)),
  );
  await driver.measure('POST /v1/screen, 2,000 long names, all of another type', () =>
    screen(body('wide', 1, long, other)),
  );
  await driver.measure('POST /v1/screen, 2,000 fields like 12 batches before', turn =>
    screen(body('deep', 40, short, i => usual(i + turn))),
  );
  await driver.measure('POST /v1/screen, 2,000 fields unlike 12 batches before', () =>
    screen(body('deep', 40, short, i => (i % 2 ? 1e9 * i : `other ${i}`))),
  );
  await driver.measure('POST /v1/screen, 2,000,000 cells', turn =>
    screen(body(`cells ${turn}`, cells / fields, short, i => i % 10)),
  );
  const large = `{"source":"text","rows":[{"a":"${'x'.repeat(textBytes)}"}]}`;
  await driver.measure('POST /v1/screen, one text of 33 MB', () => screen(large));
  const keyed = body('wide', 1, long, other);
  await driver.measure('POST /v1/screen, a repeat of an Idempotency-Key', () =>
    screen(keyed, { 'Idempotency-Key': 'holds' }),
  );
}

const PARQUET = { 'Content-Type': 'application/vnd.apache.parquet', 'X-Source': 'parquet' };
const ARROW = { 'Content-Type': 'application/vnd.apache.arrow.stream', 'X-Source': 'arrow' };

async function measureColumns(driver: Driver, { fields, cells, textBytes }: HoldsEffort): Promise<void> {
  const rows = cells / fields;
  const numbers = { type: () => new Float64(), cells: Array.from({ length: rows }, (_, i) => i % 10) };
  const wide = arrowOf(Object.fromEntries(Array.from({ length: fields }, (_, i) => [short(i), numbers])));
  const screen = (bytes: Uint8Array) =>
    driver.send('POST', '/v1/screen', new Blob([bytes as Uint8Array<ArrayBuffer>]), ARROW);
  await driver.measure('POST /v1/screen, 2,000,000 cells as Arrow', () => screen(wide));
  // As many texts as a batch may have, all of them one entry.
  const text = 'x'.repeat(Math.floor((4 * textBytes) / MAX_ROWS));
  const dictionary = arrowOf({
    a: { type: () => new Dictionary(new Utf8(), new Int32()), cells: Array(MAX_ROWS).fill(text) },
  });
  const parquet = new Blob([wideParquet(fields, rows, long)]);
  await driver.measure('POST /v1/screen, 2,000,000 cells and 2,000 long names as Parquet', () =>
    driver.send('POST', '/v1/screen', parquet, PARQUET),
  );
  // A list of empty lists, which no reader of the directory needs.
  const lists = textBytes >> 1;
  const emptyLists = joined([list(T.LIST, [], lists).bytes, new Uint8Array(lists).fill(T.LIST)]);
  const directory = new Blob([wideParquet(1, 1, short, { 5: { type: T.LIST, bytes: emptyLists } })]);
  await driver.measure('POST /v1/screen, a Parquet directory of 16,500,000 lists', () =>
    driver.send('POST', '/v1/screen', directory, PARQUET),
  );
  await driver.measure('POST /v1/screen, a dictionary of 130 MB of texts as Arrow', () => screen(dictionary));
}

async function measureRules(driver: Driver, { fields, textBytes }: HoldsEffort): Promise<void> {
  const path = '/v1/schema/ruled/rules';
  const put = (rules: object) => driver.send('PUT', path, JSON.stringify(rules));
  const named = (count: number, rule: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [short(i), rule]));
  const most = Math.min(fields, 1000);
  await driver.measure('PUT /v1/schema/{source}/rules, 1,000 rules', turn =>
    put({ fields: named(most, { minimum: turn + 1 }) }),
  );
  const patterns = (turn: number) =>
    Array.from({ length: Math.min(fields, 20) }, (_, i) => [
      short(i),
      { pattern: '\\p{L}'.repeat(190) + turn },
    ]);
  await driver.measure('PUT /v1/schema/{source}/rules, 20 patterns of 1,000 characters', turn =>
    put({ fields: Object.fromEntries(patterns(turn)) }),
  );
  const body = batchesOf(Math.min(fields, 20))('ruled', 1000, short, i => `text ${i}`);
  await driver.measure('POST /v1/screen, 20 new patterns of 1,000 characters', async turn => {
    await put({ fields: Object.fromEntries(patterns(-1 - turn)) });
    await driver.send('POST', '/v1/screen', body);
  });
  // Found nowhere, and every character reaches places that none before it reached.
  await put({ fields: { a: { pattern: '[xy]*y[xy]{400}z' } } });
  const letters = Array.from({ length: Math.min(textBytes, 40_000) }, (_, i) =>
    (Math.imul(i, i + 7919) >>> 9) % 2 ? 'x' : 'y',
  ).join('');
  await driver.measure('POST /v1/screen, a pattern without a table', () =>
    driver.send('POST', '/v1/screen', JSON.stringify({ source: 'ruled', rows: [{ a: letters }] })),
  );
  await driver.measure('POST /v1/screen, 1,000 comparisons of 1,000 rows', async () => {
    const compare = Array.from({ length: most }, (_, i) => ({
      left: short(i % 20),
      op: '>',
      right: short((i + 1) % 20),
    }));
    await put({ compare });
    await driver.send('POST', '/v1/screen', body);
  });
  const schema = JSON.stringify({ properties: named(most, { minimum: 1 }) });
  await driver.measure('POST /v1/schema/{source}/rules/import, 1,000 rules', () =>
    driver.send('POST', `${path}/import?format=json-schema`, schema),
  );
  await driver.measure('GET /v1/schema/{source}/rules/history', () => driver.send('GET', `${path}/history`));
  await driver.measure('GET /v1/schema/{source}/rules/suggested, 2,000 fields', () =>
    driver.send('GET', '/v1/schema/deep/rules/suggested'),
  );
}

async function measureOthers(driver: Driver, job: string, deep: string): Promise<void> {
  const send: Driver['send'] = (...call) => driver.send(...call);
  await driver.measure('GET /v1/jobs/{id}', () => send('GET', `/v1/jobs/${job}`));
  await driver.measure('GET /v1/jobs', () => send('GET', '/v1/jobs?limit=200'));
  await driver.measure('GET /v1/schema/{source}', () => send('GET', '/v1/schema/wide'));
  await driver.measure('GET /v1/schema/{source}/history', () =>
    send('GET', '/v1/schema/deep/history?limit=200'),
  );
  await driver.measure('GET /v1/schema', () => send('GET', '/v1/schema?limit=200'));
  await driver.measure('GET /v1/stats', () => send('GET', '/v1/stats'));
  const accept = JSON.stringify({ job_id: job });
  await driver.measure('POST /v1/schema/{source}/accept', () =>
    send('POST', '/v1/schema/wide/accept', accept),
  );
  await driver.measure('DELETE /v1/schema/{source}', async turn => {
    if (turn > 0) await send('POST', '/v1/screen', deep);
    await send('DELETE', '/v1/schema/deep');
  });
  await driver.measure('DELETE /v1/schema', () => send('DELETE', '/v1/schema'));
  await driver.measure('GET /openapi.json', () => send('GET', '/openapi.json'));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { repeats: { type: 'string', default: String(EFFORT.repeats) } } });
  for (const { request, median, most } of await loopHolds({ ...EFFORT, repeats: Number(values.repeats) }))
    console.log(`| ${request} | ${median.toFixed(0)} ms | ${most.toFixed(0)} ms |`);
}
