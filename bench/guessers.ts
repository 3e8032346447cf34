/**
 * Clients that guess `RATE` times a second, in their own process: `bun bench/guessers.ts PORT codes|keys RATE MS`.
 * Prints a line when the first answers have come, and one with the answers of the following `MS` milliseconds. Each guessed code
 * claims a different client address, through a trusted proxy, so that no limit of a client saves the server the work. A batch with
 * a wrong key is refused before its body is read, and the connection closes: each such guess uses a new connection.
 */
import { Connection } from './connection.ts';

export interface Guessed {
  ms: number;
  /** Answers by status. */
  statuses: Record<string, number>;
}

const CONNECTIONS = 16;
const TICK_MS = 10;
const [port, kind, rate, ms] = process.argv.slice(2) as [string, 'codes' | 'keys', string, string];
const connections = await Promise.all(
  Array.from({ length: CONNECTIONS }, () => Connection.open(Number(port))),
);
let statuses: Record<string, number> = {};
let asked = 0;

/** Every guess is different. */
const guess = { codes: wrongCode, keys: wrongKey }[kind];

function wrongCode(turn: number): [head: string, body: Buffer] {
  const body = Buffer.from(
    JSON.stringify({ email: `user${turn}@corp.com`, code: String(turn).padStart(6, '0') }),
  );
  const client = `198.18.${(turn >> 8) & 255}.${turn & 255}`;
  return [
    `POST /v1/auth/session HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    body,
  ];
}

function wrongKey(turn: number): [head: string, body: Buffer] {
  const body = Buffer.from('{"source":"guess","rows":[{"id":1}]}');
  const key = `sluice_live_${String(turn).padStart(43, 'x')}`;
  return [
    `POST /v1/screen HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    body,
  ];
}

async function ask(kept: Connection): Promise<void> {
  const connection = kind === 'keys' ? await Connection.open(Number(port)) : kept;
  const { status } = await connection.request(...guess(asked++));
  if (connection !== kept) connection.close();
  statuses[status] = (statuses[status] ?? 0) + 1;
}

await Promise.all(connections.map(ask));
console.log('guessing');
asked = connections.length;
statuses = {};
const begun = performance.now();
const elapsed = () => performance.now() - begun;
const due = () => connections.length + (Number(rate) * elapsed()) / 1000;
await Promise.all(
  connections.map(async connection => {
    while (elapsed() < Number(ms)) {
      if (asked < due()) await ask(connection);
      else await Bun.sleep(TICK_MS);
    }
  }),
);
console.log(JSON.stringify({ ms: elapsed(), statuses } satisfies Guessed));
process.exit(0);
