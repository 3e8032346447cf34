/** Peers to compare with, as simple as possible: `bun bench/peers.ts NAME` listens on a free port and prints its address. */
import { Elysia } from 'elysia';
import { durablePeer } from './durable.ts';

const ADDRESS = { port: 0, hostname: '127.0.0.1' };

/** Only reads the bytes: the cost of the transport. */
async function drain(request: Request): Promise<Response> {
  let bytes = 0;
  for await (const piece of request.body!) bytes += piece.length;
  return Response.json({ bytes });
}

/** Parses the body: what a handler must do before it can read a row. */
async function reqJson(request: Request): Promise<Response> {
  const { rows } = (await request.json()) as { rows: unknown[] };
  return Response.json({ rows: rows.length });
}

const PEERS: Record<string, () => { port?: number | undefined }> = {
  drain: () => Bun.serve({ ...ADDRESS, fetch: drain }),
  req_json: () => Bun.serve({ ...ADDRESS, fetch: reqJson }),
  elysia_echo: () => new Elysia().post('/v1/screen', ({ body }) => body).listen(ADDRESS).server!,
  durable: () => durablePeer(process.env.DATA_DIR!).listen(ADDRESS).server!,
};

const peer = PEERS[process.argv[2] ?? ''];
if (peer === undefined) throw new Error(`the peers are ${Object.keys(PEERS).join(', ')}`);
console.log(JSON.stringify({ url: `http://127.0.0.1:${peer().port}` }));
