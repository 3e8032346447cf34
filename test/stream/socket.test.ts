/** `/v1/stream` on a real socket, over the real engine and stores. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { secretSha256 } from '../../src/account/keys.ts';
import { Listener } from '../../src/http/serve.ts';
import { MAX_TEXT_BYTES } from '../../src/http/wire/websocket.ts';
import { get } from '../http/asking.ts';
import { KEY, MAX_BODY_BYTES, SCALE_KEY, Service } from '../http/service.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { eventually } from '../servers/process.ts';
import { BINARY, frameOf, RawSocket, TEXT } from './socket-client.ts';

const KEYED = `X-API-Key: ${SCALE_KEY}\r\n`;
const OPEN = { type: 'open', source: 'orders', window: { rows: 100, ms: 3_600_000 } };
const END = { type: 'end' };
const rowOf = (i: number) => `${JSON.stringify({ id: i, amount: i * 1.5 })}\n`;
const rowsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => rowOf(from + i)).join('');

let service: Service;
let listener: Listener;
const listeners: Listener[] = [];

function listen(of: Service): Listener {
  const one = new Listener(of.app, { port: 0, host: '127.0.0.1', bodyStallSeconds: 10 });
  listeners.push(one);
  return one;
}

beforeAll(() => {
  service = new Service();
  listener = listen(service);
});

afterAll(async () => {
  await Promise.all(listeners.map(each => Promise.race([each.stop(), Bun.sleep(100)])));
});

const connectTo = (headers = KEYED, to = listener) => new RawSocket(to.server.port, headers);

async function opened(frame: object = OPEN, headers = KEYED): Promise<RawSocket> {
  const socket = connectTo(headers);
  socket.say(frame);
  await socket.frame('opened');
  return socket;
}

const jobsOf = async (source: string) =>
  (await get(service, `/v1/jobs?limit=200&source=${source}`, SCALE_KEY)).body.jobs as {
    rows_received: number;
  }[];

describe('a stream', () => {
  test('answers each window with its rows and report, and the last one at the end', async () => {
    const socket = await opened({ ...OPEN, source: 'windows' });
    const bytes = Buffer.from(rowsOf(0, 250));
    for (let at = 0; at < bytes.length; at += 333)
      socket.write(frameOf(BINARY, bytes.subarray(at, at + 333)));
    await socket.frame('verdict', 2);
    expect(socket.verdicts).toHaveLength(2);
    socket.say(END);
    await socket.frame('closed');
    expect(socket.verdicts.map(({ window, first_row, last_row }) => [window, first_row, last_row])).toEqual([
      [1, 0, 99],
      [2, 100, 199],
      [3, 200, 249],
    ]);
    expect(socket.verdicts.map(({ report }) => report!.stats.rows_received)).toEqual([100, 100, 50]);
    expect(await socket.ended()).toEqual({ code: 1000, reason: 'closed' });
    expect((await jobsOf('windows')).map(each => each.rows_received).sort()).toEqual([100, 100, 50]);
  });

  test('reads CSV with a delimiter, whose header is sent once', async () => {
    const socket = await opened({
      ...OPEN,
      source: 'csv',
      format: 'csv',
      delimiter: ';',
      window: { rows: 2 },
    });
    socket.rows('id;note\n1;a\n2;"b\nc"\n3;d');
    socket.say(END);
    await socket.frame('closed');
    expect(socket.verdicts.map(({ first_row, last_row }) => [first_row, last_row])).toEqual([
      [0, 1],
      [2, 2],
    ]);
  });

  test('ends a window by its time', async () => {
    const socket = await opened({ ...OPEN, source: 'time', window: { rows: 100, ms: 10 } });
    socket.rows(rowsOf(0, 7));
    expect(await socket.frame('verdict')).toMatchObject({ first_row: 0, last_row: 6 });
    socket.cut();
  });

  test('that is empty ends without a verdict', async () => {
    const socket = await opened();
    socket.say(END);
    await socket.frame('closed');
    expect(socket.verdicts).toEqual([]);
  });

  test('takes the key from the first frame', async () => {
    const socket = await opened({ ...OPEN, source: 'browser', key: SCALE_KEY }, '');
    socket.rows(rowsOf(0, 100));
    expect(await socket.frame('verdict')).toMatchObject({ last_row: 99 });
    socket.cut();
  });

  test('says where a row is wrong, and goes on from that window when it is resumed with a right one', async () => {
    const socket = await opened({ ...OPEN, source: 'wrong' });
    socket.rows(`${rowsOf(0, 100)}${rowsOf(100, 3)}{"id": \n${rowsOf(104, 96)}`);
    const { code, message } = await socket.frame('error');
    expect(code).toBe('INVALID_JSON');
    expect(message).toMatch(/^Line 4 .*window 2, from row 100\)$/);
    const { stream } = await socket.frame('opened');
    expect((await socket.ended())!.code).toBe(1008);
    const again = await opened({ ...OPEN, source: 'wrong', resume: { stream, window: 1 } });
    expect(await again.frame('opened')).toMatchObject({ stream, next_row: 100 });
    again.rows(rowsOf(100, 100));
    expect(await again.frame('verdict')).toMatchObject({ window: 2, first_row: 100, last_row: 199 });
    again.cut();
  });
});

describe('after a break', () => {
  test('no row is judged twice, wherever the connection was cut and however windows are cut now', async () => {
    const TOTAL = 2000;
    const seen: [number, number][] = [];
    let resume: object | undefined;
    let next = 0;
    for (let round = 0; next < TOTAL; round++) {
      const rows = [100, 37, 250, 64][round % 4]!;
      const socket = await opened({ ...OPEN, source: 'cut', window: { ...OPEN.window, rows }, resume });
      const { stream, next_row } = await socket.frame('opened');
      expect(next_row).toBe(next);
      socket.rows(rowsOf(next, Math.min(TOTAL - next, 400)));
      if (next + 400 >= TOTAL) {
        socket.say(END);
        await socket.frame('closed');
      } else if (round % 3 > 0) await socket.frame('verdict', Math.min(round % 3, Math.floor(400 / rows)));
      // What the client has not read by now may have been judged, or is being judged.
      socket.cut();
      for (const { first_row, last_row } of socket.verdicts) seen.push([first_row!, last_row!]);
      const last = socket.verdicts.at(-1);
      next = last === undefined ? next : last.last_row! + 1;
      resume = { stream, window: last?.window ?? (resume as { window: number } | undefined)?.window ?? 0 };
    }
    expect(seen.reduce((sum, [first, last]) => sum + last - first + 1, 0)).toBe(TOTAL);
    expect(seen.every(([first], i) => first === (i === 0 ? 0 : seen[i - 1]![1] + 1))).toBe(true);
    const jobs = await jobsOf('cut');
    expect(jobs.reduce((sum, { rows_received }) => sum + rows_received, 0)).toBe(TOTAL);
  });

  test.each([
    [
      'a stream that nobody has begun',
      { resume: { stream: `str_${'0'.repeat(26)}`, window: 3 } },
      'NOT_FOUND',
    ],
    ['no id of a stream', { resume: { stream: 'str_1', window: 1 } }, 'INVALID_PARAMETER'],
    ['no window', { resume: { stream: `str_${'0'.repeat(26)}` } }, 'INVALID_PARAMETER'],
  ])('%s is refused', async (_, change, code) => {
    const socket = connectTo();
    socket.say({ ...OPEN, ...change });
    expect(await socket.frame('error')).toMatchObject({ code });
  });

  test('a stream goes on only with the options that it began with', async () => {
    const socket = await opened({ ...OPEN, source: 'same' });
    socket.rows(rowsOf(0, 100));
    await socket.frame('verdict');
    const { stream } = await socket.frame('opened');
    socket.cut();
    const other = connectTo();
    other.say({ ...OPEN, source: 'same', options: { full_scan: true }, resume: { stream, window: 1 } });
    expect(await other.frame('error')).toMatchObject({
      code: 'INVALID_PARAMETER',
      message: expect.stringContaining('source, format and options'),
    });
  });

  test.each([
    [
      'with other options',
      { options: { full_scan: true } },
      'another source, format or options',
      async () => {},
    ],
    [
      'whose answer was deleted',
      {},
      'its answer was deleted',
      async () => {
        const { account } = (await service.identities.ownerOfKey(secretSha256(SCALE_KEY)))!;
        await new SqlJobs(service.database).pruneOldest(account.id, 0, 1000);
      },
    ],
  ])('a window %s is a conflict in words of streams', async (_, change, words, before) => {
    const socket = await opened({ ...OPEN, source: 'conflict' });
    socket.rows(rowsOf(0, 100));
    await socket.frame('verdict');
    const { stream } = await socket.frame('opened');
    socket.cut();
    await before();
    const again = await opened({ ...OPEN, source: 'conflict', ...change, resume: { stream, window: 0 } });
    again.rows(rowsOf(0, 100));
    const { code, message } = await again.frame('error');
    expect(code).toBe('IDEMPOTENCY_CONFLICT');
    expect(message).toContain(words);
    expect(message).toContain(`'${stream}', window 1`);
    expect(message).not.toContain('Idempotency-Key');
  });

  test('nobody goes on with the stream of another account', async () => {
    const socket = await opened({ ...OPEN, source: 'own' });
    socket.rows(rowsOf(0, 100));
    await socket.frame('verdict');
    const { stream } = await socket.frame('opened');
    socket.cut();
    const stranger = connectTo(`X-API-Key: ${KEY}\r\n`);
    stranger.say({ ...OPEN, source: 'own', resume: { stream, window: 1 } });
    expect(await stranger.frame('error')).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a process that stops answers what it screens and says so; another one goes on', async () => {
    const stopping = listen(service);
    const socket = connectTo(KEYED, stopping);
    socket.say({ ...OPEN, source: 'moved' });
    socket.rows(rowsOf(0, 150));
    await socket.frame('verdict');
    const stopped = stopping.drain(5);
    expect(await socket.frame('error')).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect((await socket.ended())!.code).toBe(1013);
    await stopped;
    const { stream } = await socket.frame('opened');
    const other = await opened({ ...OPEN, source: 'moved', resume: { stream, window: 1 } });
    expect(await other.frame('opened')).toMatchObject({ next_row: 100 });
    other.cut();
  });
});

describe('limits', () => {
  test.each([
    ['rows of a window', { window: { rows: 10_000 } }, { window: { rows: 10_001 } }],
    [
      'bytes of a window',
      { window: { bytes: MAX_BODY_BYTES / 2 } },
      { window: { bytes: MAX_BODY_BYTES / 2 + 1 } },
    ],
    ['time of a window', { window: { ms: 3_600_000 } }, { window: { ms: 3_600_001 } }],
  ])('%s', async (_, at, past) => {
    (await opened({ ...OPEN, ...at })).cut();
    const socket = connectTo();
    socket.say({ ...OPEN, ...past });
    expect(await socket.frame('error')).toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  test('a row of more bytes than a window may have is refused before its end', async () => {
    const socket = await opened({ ...OPEN, window: { bytes: 1024 } });
    socket.rows(`{"a":"${'x'.repeat(2000)}`);
    expect(await socket.frame('error')).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect((await socket.ended())!.code).toBe(1009);
  });

  test('a text message may have 256 KiB, not one byte more', async () => {
    const padded = (bytes: number) => {
      const text = JSON.stringify(OPEN);
      return Buffer.from(text + ' '.repeat(bytes - text.length));
    };
    const socket = connectTo();
    socket.write(frameOf(TEXT, padded(MAX_TEXT_BYTES)));
    await socket.frame('opened');
    socket.cut();
    const other = connectTo();
    other.write(frameOf(TEXT, padded(MAX_TEXT_BYTES + 1)));
    expect((await other.ended())!.code).toBe(1009);
  });

  test('streams of a process share 256 MiB: one that finds no room is told to come again', async () => {
    const large = new Service({ maxBodyBytes: 128 * 1024 * 1024 });
    const at = listen(large);
    const frame = { ...OPEN, window: { bytes: 63 * 1024 * 1024 } };
    const sockets = [KEYED, `X-API-Key: ${KEY}\r\n`].map(headers => connectTo(headers, at));
    for (const socket of sockets) {
      socket.say(frame);
      await socket.frame('opened');
    }
    const refused = connectTo(KEYED, at);
    refused.say(frame);
    expect(await refused.frame('error')).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    sockets[0]!.cut();
    await eventually(async () => {
      const next = connectTo(KEYED, at);
      next.say(frame);
      const answer = await Promise.race([next.frame('opened'), next.frame('error')]);
      expect(answer.type).toBe('opened');
    });
  });
});

describe('who may open one', () => {
  test.each([
    ['no key', OPEN],
    ['a key that nobody has', { ...OPEN, key: `sluice_live_${'x'.repeat(43)}` }],
    ['no key at all', { ...OPEN, key: 'a\nb' }],
  ])('%s', async (_, frame) => {
    const socket = connectTo('');
    socket.say(frame);
    expect(await socket.frame('error')).toMatchObject({ code: 'AUTH_INVALID' });
    expect((await socket.ended())!.code).toBe(1008);
  });

  test('a wrong key in a header is answered before the connection changes', async () => {
    const socket = connectTo('X-API-Key: sluice_live_wrong\r\n');
    await eventually(async () => expect(socket.head).toStartWith('HTTP/1.1 401 '));
    socket.cut();
  });

  test('a request that is no handshake is told what this address speaks', async () => {
    const url = `http://127.0.0.1:${listener.server.port}/v1/stream`;
    const headers = { 'X-API-Key': SCALE_KEY };
    const plain = await fetch(url, { headers });
    expect(plain.status).toBe(426);
    expect(plain.headers.get('Upgrade')).toBe('websocket');
    expect(await plain.json()).toEqual({
      code: 'UPGRADE_REQUIRED',
      message: 'This address speaks WebSocket: connect with ws:// or wss://',
    });
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(405);
  });
});

describe('hostile frames', () => {
  const bytes = Buffer.from('abc');
  test.each([
    ['without a mask', frameOf(BINARY, bytes, { isMasked: false }), 1002],
    ['of an extension', frameOf(BINARY | 0x40, bytes), 1002],
    ['of an unknown kind', frameOf(0x83, bytes), 1002],
    ['of unknown control', frameOf(0x8b, bytes), 1002],
    ['that go on with nothing', frameOf(0x80, bytes), 1002],
    ['that begin a message within one', Buffer.concat([frameOf(0x01, bytes), frameOf(TEXT, bytes)]), 1002],
    ['of control in parts', frameOf(0x09, bytes), 1002],
    ['of control that are too long', frameOf(0x89, Buffer.alloc(126)), 1002],
    ['of text that is no UTF-8', frameOf(TEXT, Buffer.from([0xff, 0xfe])), 1007],
    ['of 2^63 bytes', Buffer.from([BINARY, 255, 127, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]), 1009],
  ])('%s end the connection', async (_, frame, code) => {
    const socket = await opened();
    socket.write(frame);
    expect((await socket.ended())!.code).toBe(code);
  });

  test.each([
    ['no JSON', 'open', 'INVALID_JSON'],
    ['a list', '[]', 'INVALID_JSON'],
    ['no type', '{}', 'INVALID_PARAMETER'],
    ['a member that does not exist', JSON.stringify({ ...OPEN, sources: 1 }), 'INVALID_PARAMETER'],
    ['no source', '{"type":"open"}', 'MISSING_SOURCE'],
    ['an option that does not exist', JSON.stringify({ ...OPEN, options: { mode: 'x' } }), 'INVALID_OPTIONS'],
    ['a dry run', JSON.stringify({ ...OPEN, options: { dry_run: true } }), 'INVALID_OPTIONS'],
    ['a delimiter of NDJSON', JSON.stringify({ ...OPEN, delimiter: ';' }), 'INVALID_PARAMETER'],
    ['an end before the open', '{"type":"end"}', 'INVALID_PARAMETER'],
    [
      'two rules of one name',
      '{"type":"open","source":"a","options":{"rules":{"fields":{"a":{"minimum":0,"minimum":1}}}}}',
      'INVALID_PARAMETER',
    ],
    ['a prototype', '{"type":"open","source":"a","__proto__":{"key":1}}', 'INVALID_PARAMETER'],
  ])('text with %s is an error', async (_, text, code) => {
    const socket = connectTo();
    socket.write(frameOf(TEXT, Buffer.from(text)));
    expect(await socket.frame('error')).toMatchObject({ code });
  });

  test.each([
    ['is unknown', '', (name: string) => `${name}:1`],
    [
      'is there twice',
      'options.rules.fields.',
      (name: string) => `"options":{"rules":{"fields":{${name}:{"minimum":0},${name}:{"minimum":1}}}}`,
    ],
  ])('the name of a member that %s is escaped and shortened in the error', async (_, around, textOf) => {
    const socket = connectTo();
    const name = JSON.stringify(`\u001b[31m${'x'.repeat(500)}`);
    socket.write(frameOf(TEXT, Buffer.from(`{"type":"open","source":"a",${textOf(name)}}`)));
    const { message } = (await socket.frame('error')) as { message: string };
    expect(message).toStartWith(`${around}\\u001b[31mxxx`);
    expect(message.length).toBeLessThan(1000);
  });

  test('rows before the open, or a second open, are errors', async () => {
    const early = connectTo();
    early.rows(rowOf(1));
    expect(await early.frame('error')).toMatchObject({ code: 'INVALID_PARAMETER' });
    const twice = await opened();
    twice.say(OPEN);
    expect(await twice.frame('error')).toMatchObject({ message: expect.stringContaining('open already') });
  });

  test('a ping between the parts of a message is answered, and the message is read', async () => {
    const socket = connectTo();
    const text = Buffer.from(JSON.stringify(OPEN));
    socket.write(frameOf(0x01, text.subarray(0, 10)));
    socket.write(frameOf(0x89, Buffer.from('there?')));
    for (const byte of text.subarray(10)) socket.write(frameOf(0x00, Buffer.from([byte])));
    socket.write(frameOf(0x80, Buffer.alloc(0)));
    await socket.frame('opened');
    expect(socket.pongs).toEqual(['there?']);
    socket.cut();
  });

  test('frames that come byte by byte, together with the request, are read', async () => {
    const socket = connectTo();
    const all = Buffer.concat([
      frameOf(TEXT, Buffer.from(JSON.stringify({ ...OPEN, source: 'bytes' }))),
      frameOf(BINARY, Buffer.from(rowsOf(0, 5))),
      frameOf(TEXT, Buffer.from(JSON.stringify(END))),
    ]);
    for (const byte of all) socket.write(Buffer.from([byte]));
    await socket.frame('closed');
    expect(socket.verdicts).toMatchObject([{ first_row: 0, last_row: 4 }]);
  });
});

test('a client that reads nothing is not read from either, and goes on when it reads', async () => {
  const socket = await opened({
    ...OPEN,
    source: 'slow',
    window: { rows: 10, bytes: 4096, ms: 3_600_000 },
    options: { row_verdicts: true },
  });
  socket.pause();
  // Verdicts of many fields fill what the kernel holds for the client; then the server stops reading.
  const wide = `${JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, i])))}\n`;
  let rows = 0;
  const isHeldUp = () => socket.unsentBytes > 4 * 1024 * 1024;
  while (!isHeldUp() && rows < 400_000) {
    socket.rows(wide.repeat(500));
    rows += 500;
    await Bun.sleep(0);
  }
  expect(isHeldUp()).toBe(true);
  const before = (await jobsOf('slow')).length;
  expect(before * 10).toBeLessThan(rows);
  socket.resume();
  await eventually(async () => expect(socket.verdicts.length).toBeGreaterThan(20));
  socket.cut();
});
