/** Sends the bytes of an input to a server, on each of its connections, and reads what comes. */
import { connect } from 'node:net';
import { bytesOf, type Input } from './input.ts';

/** Once nothing has come for so long the client ends what it sends. */
const QUIET_MS = 25;
/** Then the server has so long to close. */
const CLOSE_MS = 1000;
/** Answers that are looked at; behind them only the statuses count. */
const KEPT_BYTES = 64 * 1024;

/** A bug of a stream. The API's document names the code too. */
const INTERNAL = /"type":"error","message":"[^"]*","code":"INTERNAL"/;

/** The documented ones, apart from 500, which is a bug. */
const STATUSES: ReadonlySet<number> = new Set([
  100, 101, 200, 201, 202, 204, 304, 400, 401, 402, 404, 405, 408, 409, 413, 415, 417, 426, 429, 431, 501,
  503, 505,
]);

/** What the server did wrong; null: nothing. Throws where it cannot be reached. */
export async function exchange(port: number, input: Input): Promise<string | null> {
  const bytes = bytesOf(input);
  const problems = await Promise.all(Array.from({ length: input.connections }, () => exchanged(port, bytes)));
  return problems.find(problem => problem !== null) ?? null;
}

function exchanged(port: number, bytes: Uint8Array): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let [received, statuses, begun] = ['', new Set<number>(), performance.now()];
    let [isSent, hasEnded] = [false, false];
    const timer = setInterval(() => {
      const quietMs = performance.now() - begun;
      if (hasEnded && quietMs > CLOSE_MS) socket.destroy();
      else if (!hasEnded && isSent && quietMs > QUIET_MS) {
        hasEnded = true;
        begun = performance.now();
        socket.end();
      }
    }, QUIET_MS / 2);
    socket.on('connect', () => {
      socket.write(bytes, () => {
        isSent = true;
        begun = performance.now();
      });
    });
    socket.on('data', data => {
      begun = performance.now();
      const text = data.toString('latin1');
      for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) statuses.add(Number(status));
      if (received.length < KEPT_BYTES) received += text;
    });
    socket.on('end', () => socket.end());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
    });
    socket.on('close', () => {
      clearInterval(timer);
      statuses = new Set([...statuses].filter(status => !STATUSES.has(status)));
      const isInternal = INTERNAL.test(received);
      if (statuses.size === 0 && !isInternal) resolve(null);
      else resolve(`answers ${[...statuses].join()} ${received.slice(-300)}`);
    });
  });
}
