/** Requests with an Idempotency-Key that the killed process answered, or had under way, are repeated to the next one. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { KEY, newFolder, Server } from './server.ts';

const CLIENTS = 16;
const ANSWERS = 100;

interface Posted {
  key: string;
  rows: number;
  body: string;
  /** As it came from the process that was killed; null when none came. */
  answer: string | null;
}

const postedAs = (index: number): Posted => {
  const rows = 1 + (index % 40);
  const items = Array.from({ length: rows }, (_, id) => ({ id, amount: id / 4 }));
  return {
    key: `load-${index}`,
    rows,
    body: JSON.stringify({ source: 'orders', rows: items }),
    answer: null,
  };
};

/** Retries a conflict when the answer says so, at most four times, as a client does. */
async function answerTo({ key, body }: Posted, server: Server): Promise<string> {
  for (let retries = 0; ; retries++) {
    const response = await server.post(body, { 'Idempotency-Key': key });
    const text = await response.text();
    if (response.status !== 409 || retries === 4) {
      expect([response.status, text]).toEqual([200, text]);
      return text;
    }
    await Bun.sleep(1000 * Number(response.headers.get('retry-after')));
  }
}

/** A request whose body has begun and does not end: whenever the server is killed, this one is under way. */
async function beginPost({ key, body }: Posted, server: Server): Promise<Socket> {
  const head = [
    'POST /v1/screen HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${KEY}`,
    'Content-Type: application/json',
    `Idempotency-Key: ${key}`,
    `Content-Length: ${body.length}`,
  ];
  const socket = connect(server.port, '127.0.0.1');
  // The end of the server is a reset, and what this test wants.
  socket.on('error', () => {});
  await new Promise<void>(resolve =>
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 20)}`, () => resolve()),
  );
  return socket;
}

/** Posts from all clients until the server, having given enough answers, is killed. */
async function postUntilKilled(server: Server): Promise<Posted[]> {
  const all: Posted[] = [postedAs(0)];
  const begun = await beginPost(all[0]!, server);
  let answers = 0;
  let killed: Promise<number> | undefined;
  const client = async (): Promise<void> => {
    while (!killed) {
      const posted = postedAs(all.length);
      all.push(posted);
      posted.answer = await answerTo(posted, server).catch(error => {
        if (killed) return null;
        throw error;
      });
      if (posted.answer !== null && ++answers === ANSWERS) killed = server.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await killed;
  begun.destroy();
  return all;
}

function inDatabase<T>(folder: string, use: (database: Database) => T): T {
  const database = new Database(join(folder, 'sluice.sqlite'));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

test('what was answered is answered alike, and what was under way runs once', async () => {
  const folder = newFolder();
  const all = await postUntilKilled(await Server.start({}, folder));
  await using server = await Server.start({}, folder);
  const repeated = await Promise.all(all.map(posted => answerTo(posted, server)));
  for (const [index, { answer }] of all.entries()) expect(repeated[index]).toBe(answer ?? repeated[index]!);
  expect(all[0]!.answer).toBeNull();
  const ids = repeated.map(text => JSON.parse(text).request_id as string);
  const rows = all.reduce((sum, posted) => sum + posted.rows, 0);
  inDatabase(folder, database => {
    const jobs = database.query<{ id: string }, []>('SELECT id FROM jobs').all();
    expect(jobs.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const ledger = database.query('SELECT sum(rows) AS rows, sum(requests) AS requests FROM ledger').get();
    expect(ledger).toEqual({ rows, requests: all.length });
  });
});
