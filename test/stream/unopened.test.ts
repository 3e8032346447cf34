/** Connections whose open frame does not come, made without sockets. */
import { expect, test } from 'bun:test';
import { MAX_UNOPENED } from '../../src/http/stream.ts';
import { parseHead } from '../../src/http/wire/head.ts';
import { WireRequest } from '../../src/http/wire/request.ts';
import type { Channel } from '../../src/http/wire/websocket.ts';
import { SCALE_KEY, Service } from '../http/service.ts';

const HEAD =
  'GET /v1/stream HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
const CHANNEL = { send() {}, pause() {}, resume() {}, close() {}, flushed: async () => {} };

test('1000 connections may wait for their key, and not one more; those with a key do not count', async () => {
  const { app } = new Service();
  const users: { closed(): void }[] = [];
  const connect = async (more = ''): Promise<number> => {
    const request = new WireRequest(parseHead(HEAD + more), null, { remoteAddress: '127.0.0.1' });
    const { status } = await app.handle(request as unknown as Request);
    if (request.upgrade !== null) users.push(request.upgrade(CHANNEL as unknown as Channel));
    return status;
  };
  for (let i = 0; i < MAX_UNOPENED - 1; i++) expect(await connect()).toBe(101);
  for (let i = 0; i < 3; i++) expect(await connect(`\r\nX-API-Key: ${SCALE_KEY}`)).toBe(101);
  expect(await connect()).toBe(101);
  expect(await connect()).toBe(503);
  expect(await connect(`\r\nX-API-Key: ${SCALE_KEY}`)).toBe(101);
  // One that goes makes room for the next.
  users[0]!.closed();
  expect(await connect()).toBe(101);
  for (const user of users) user.closed();
});
