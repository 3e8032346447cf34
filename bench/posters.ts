/**
 * Clients that post wide batches back to back, in their own process, so that they do not share the event loop of another
 * measurement: `bun bench/posters.ts PORT CLIENTS ROWS SEED MS`. Prints a line when each client has its first answer, and one
 * with the answers of the following `MS` milliseconds.
 */
import { postHead } from './child.ts';
import { Connection } from './connection.ts';
import { fullScan, payloadsOf } from './payloads.ts';
import { wideTable } from './tables.ts';

export interface Posted {
  batches: number;
  bytes: number;
  ms: number;
}

const PAYLOADS = 3;
const [port, clients, rows, seed, ms] = process.argv.slice(2).map(Number) as [
  number,
  number,
  number,
  number,
  number,
];
const payloads = payloadsOf(seed, { payloads: PAYLOADS, rows }, wideTable, fullScan());
const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(port)));
const total = { batches: 0, bytes: 0 };

async function post(connection: Connection, turn: number): Promise<void> {
  const { bytes } = payloads[turn % payloads.length]!;
  await connection.ok(postHead(bytes.length), bytes);
  total.batches++;
  total.bytes += bytes.length;
}

/** A Redis that was just started knows no account: on a busy machine several requests find that at once and must retry. */
async function begin(connection: Connection): Promise<void> {
  const { bytes } = payloads[0]!;
  while ((await connection.request(postHead(bytes.length), bytes)).status === 503) await Bun.sleep(100);
}

await Promise.all(connections.map(begin));
console.log('posting');
const begun = performance.now();
const elapsed = () => performance.now() - begun;
await Promise.all(
  connections.map(async (connection, i) => {
    for (let turn = i; elapsed() < ms; turn++) await post(connection, turn);
  }),
);
console.log(JSON.stringify({ ...total, ms: elapsed() } satisfies Posted));
process.exit(0);
