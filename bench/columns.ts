/**
 * What do columns save?
 *
 * The wide batch, 10,000 rows of 20 fields, every value measured: as our JSON, as `JSON.parse` of the same text, and as an Arrow stream, in
 * process and warm; then as JSON and as Arrow over HTTP against the real program, one request at a time. The same rows as a Parquet file with
 * Snappy beside DuckDB's `SUMMARIZE` and polars' `describe`, one thread each, in another process and in turn with ours. Text columns are plain
 * texts in all forms, dates too. Without a Python that has duckdb and polars (`BENCH_PYTHON`, default build/python), Parquet is left out.
 */
import { join } from 'node:path';
import {
  Bool,
  Field,
  Float64,
  RecordBatchStreamWriter,
  Schema,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { Format } from '../assembly/abi.ts';
import { Child, postHead } from './child.ts';
import { fullProfile, newEngine, screenJson } from './in-process.ts';
import { fullScan, type Payload, payloadsOf } from './payloads.ts';
import { type Effort, race, ratioOf, rounded, type Timing } from './race.ts';
import { Random } from './random.ts';
import { type Row, wideTable } from './tables.ts';

export interface ColumnsEffort {
  rows: number;
  payloads: number;
  inProcess: Effort;
  http: Effort;
  parquet: Effort;
}

export const COLUMNS_EFFORT: ColumnsEffort = {
  rows: 10_000,
  payloads: 3,
  inProcess: { warmRounds: 10, rounds: 100, budgetMs: 10_000 },
  http: { warmRounds: 10, rounds: 100, budgetMs: 15_000 },
  parquet: { warmRounds: 2, rounds: 20, budgetMs: 15_000 },
};

export interface ColumnsResult {
  ratios: Record<string, number>;
  in_process: Record<string, Timing>;
  http: Record<string, Timing>;
  /** Null without Python. */
  parquet: Record<string, Timing> | null;
  megabytes: { json: number; arrow: number };
}

interface Both extends Payload {
  arrow: Uint8Array;
}

export async function benchColumns(seed: number, effort = COLUMNS_EFFORT): Promise<ColumnsResult> {
  const arrows = Array.from({ length: effort.payloads }, (_, i) =>
    arrowOf(wideTable(new Random(seed + i * 1_000_003), effort.rows)),
  );
  const payloads: Both[] = payloadsOf(seed, effort, wideTable, fullScan()).map((payload, i) => ({
    ...payload,
    arrow: arrows[i]!,
  }));
  const engine = await newEngine();
  const screenArrow = (bytes: Uint8Array) => fullProfile(engine, Format.ARROW, bytes);
  for (const { bytes, arrow } of payloads) checkEqual(screenJson(engine, bytes), screenArrow(arrow));
  const inProcess = await race(
    {
      json: ({ bytes }: Both) => screenJson(engine, bytes),
      arrow: ({ arrow }: Both) => screenArrow(arrow),
      json_parse: ({ text }: Both) => JSON.parse(text),
    },
    payloads,
    effort.inProcess,
  );
  const http = await overHttp(payloads, effort.http);
  const parquet = await besideParquet(payloads[0]!, effort.parquet, bytes =>
    fullProfile(engine, Format.PARQUET, bytes),
  );
  return {
    ratios: {
      arrow_json: ratioOf(inProcess.arrow, inProcess.json),
      arrow_json_parse: ratioOf(inProcess.arrow, inProcess.json_parse),
      http_arrow_json: ratioOf(http.arrow!, http.json!),
      ...(parquet && {
        parquet_duckdb: ratioOf(parquet.sluice!, parquet.duckdb!),
        parquet_polars: ratioOf(parquet.sluice!, parquet.polars!),
      }),
    },
    in_process: inProcess,
    http,
    parquet,
    megabytes: { json: rounded(payloads[0]!.bytes.length / 1e6), arrow: rounded(arrows[0]!.length / 1e6) },
  };
}

function arrowOf(rows: Row[]): Uint8Array {
  const columns = Object.keys(rows[0]!).map(name => {
    const cells = rows.map(row => row[name]!);
    const some = cells.find(cell => cell !== null);
    const type =
      typeof some === 'number' ? new Float64() : typeof some === 'boolean' ? new Bool() : new Utf8();
    return [name, vectorFromArray(cells, type)] as const;
  });
  const schema = new Schema(columns.map(([name, { type }]) => new Field(name, type, true)));
  const writer = new RecordBatchStreamWriter();
  return writer.writeAll(new Table(schema, Object.fromEntries(columns))).toUint8Array(true);
}

type Profile = ReturnType<typeof screenJson>;

function checkEqual(json: Profile, arrow: Profile): void {
  const told = ({ rows, fields }: Profile) =>
    JSON.stringify([rows, fields.map(({ name, nulls }) => [name, nulls])]);
  if (told(json) !== told(arrow)) throw new Error('Arrow and JSON have different profiles');
}

async function overHttp(payloads: Both[], effort: Effort): Promise<Record<string, Timing>> {
  await using sluice = await Child.sluice();
  const connection = await sluice.connect();
  const head = (length: number) =>
    postHead(length, 'application/vnd.apache.arrow.stream').replace(
      '\r\n\r\n',
      '\r\nX-Source: bench\r\nX-Options: {"full_scan":true}\r\n\r\n',
    );
  const contestants = {
    json: ({ bytes }: Both) => connection.ok(postHead(bytes.length), bytes),
    arrow: ({ arrow }: Both) => connection.ok(head(arrow.length), arrow),
  };
  for (const payload of payloads)
    for (const post of Object.values(contestants)) {
      const { stats } = JSON.parse(await post(payload));
      if (stats.rows_sampled !== payload.rows) throw new Error('a batch was not measured');
    }
  return await race(contestants, payloads, effort);
}

/** Our engine, in turn with a process of Python that reads a word and answers with its milliseconds. */
async function besideParquet(
  { text }: Both,
  effort: Effort,
  screen: (bytes: Uint8Array) => unknown,
): Promise<Record<string, Timing> | null> {
  const python = process.env.BENCH_PYTHON ?? join(import.meta.dir, '../build/python/bin/python');
  if (Bun.spawnSync([python, '-c', 'import duckdb, polars, pyarrow']).exitCode !== 0) return null;
  const child = Bun.spawn([python, join(import.meta.dir, 'parquet-peers.py')], {
    stdin: 'pipe',
    stdout: 'pipe',
    env: { PATH: process.env.PATH!, POLARS_MAX_THREADS: '1' },
  });
  const lines = linesOf(child.stdout);
  const ask = async (line: string) => {
    child.stdin.write(`${line}\n`);
    await child.stdin.flush();
    return (await lines.next()).value!;
  };
  try {
    const file = await ask(text);
    const bytes = await Bun.file(file).bytes();
    const contestants = {
      sluice: () => screen(bytes),
      duckdb: () => ask('duckdb'),
      polars: () => ask('polars'),
    };
    return await race(contestants, [null], effort);
  } finally {
    child.stdin.end();
    await child.exited;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}
