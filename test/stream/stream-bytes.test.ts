import { expect, test } from 'bun:test';
import { Listener } from '../../src/http/serve.ts';
import { reservedBytes } from '../../src/stream/socket/row-buffer.ts';
import { MAX_ACCOUNT_BYTES, MAX_STREAM_BYTES, StreamBytes } from '../../src/stream/socket/stream-bytes.ts';
import { KEY, MAX_BODY_BYTES, SCALE_KEY, Service } from '../http/service.ts';
import { eventually } from '../servers/process.ts';
import { RawSocket } from './socket-client.ts';

test('an account may hold a quarter of the bytes and not one more, and gets back what it gives', () => {
  const bytes = new StreamBytes();
  expect(bytes.assign('a', MAX_ACCOUNT_BYTES)).toBe(true);
  expect([bytes.assign('a', 1), bytes.assign('b', 1)]).toEqual([false, true]);
  bytes.give('a', 1);
  expect([bytes.assign('a', 1), bytes.assign('a', 1)]).toEqual([true, false]);
});

test('one stream may have any size', () => {
  const bytes = new StreamBytes();
  expect([bytes.assign('a', MAX_ACCOUNT_BYTES + 1), bytes.assign('a', 1)]).toEqual([true, false]);
  expect([bytes.take(MAX_STREAM_BYTES + 1), bytes.take(1)]).toEqual([true, false]);
});

test('idle streams of one account leave room for those of another', async () => {
  const { app } = new Service();
  const listener = new Listener(app, { port: 0, host: '127.0.0.1', bodyStallSeconds: 10 });
  const window = { bytes: MAX_BODY_BYTES / 2, ms: 3_600_000 };
  const open = (key: string) => {
    const socket = new RawSocket(listener.server.port, `X-API-Key: ${key}\r\n`);
    socket.say({ type: 'open', source: 'idle', window });
    return socket;
  };
  const most = Math.floor(MAX_ACCOUNT_BYTES / reservedBytes(window));
  const idle = Array.from({ length: most }, () => open(SCALE_KEY));
  await Promise.all(idle.map(each => each.frame('opened')));
  const refused = open(SCALE_KEY);
  expect(await refused.frame('error')).toMatchObject({ code: 'RATE_LIMITED' });
  // Trying again may help.
  expect((await refused.ended())!.code).toBe(1013);
  await open(KEY).frame('opened');
  // One that ends makes room for the next.
  idle[0]!.say({ type: 'end' });
  await idle[0]!.ended();
  await eventually(() => open(SCALE_KEY).frame('opened'));
  await Promise.race([listener.stop(), Bun.sleep(100)]);
}, 240_000);
