/** What POST /v1/screen refuses, by code. */
import { describe, expect, test } from 'bun:test';
import { ERRORS, type ErrorCode } from '../../src/terms/errors.ts';
import { ENCODE } from '../intake/codings.ts';
import { get } from './asking.ts';
import { type Answer, batch, KEY, Service } from './service.ts';

const service = new Service();
const ROW = { a: 1 };
const GOOD = batch([ROW]);

function expectRefusal({ status, body }: Answer, code: ErrorCode, says: RegExp | string = ''): void {
  expect(body.code).toBe(code);
  expect(status).toBe(ERRORS[code]);
  expect(Object.keys(body).sort()).toEqual(['code', 'message']);
  expect(body.message).toMatch(says);
}

describe('AUTH_INVALID', () => {
  test.each([
    ['a key nobody has', `sluice_live_${'z9'.repeat(16)}`],
    ['something else', 'constructor'],
    ['nothing', ''],
    ['a prefix only', 'sluice_live_'],
    ['a key with more behind it', `${KEY}, ${KEY}`],
  ])('%s', async (_, key) => {
    expectRefusal(await service.post(GOOD, { 'X-API-Key': key }), 'AUTH_INVALID');
  });

  test('no key, before content type and body are checked', async () => {
    const request = new Request('http://localhost/v1/screen', { method: 'POST', body: '{' });
    const response = await service.app.handle(request);
    expect(response.status).toBe(401);
  });

  test('a malformed key is rejected without a query', async () => {
    const service = new Service();
    await service.post(GOOD, { 'X-API-Key': `sluice_live_${'x'.repeat(100_000)}` });
    expect(service.identities.asked).toEqual([]);
  });
});

describe('UNSUPPORTED_MEDIA_TYPE', () => {
  test.each([
    'text/plain',
    'application/jsonp',
    'application/problem+json',
    'multipart/form-data',
    'application/x-json-stream',
    ';',
    'text/csv; charset=klingon',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/x-ndjson; charset=latin1',
  ])('%s', async type => {
    expectRefusal(await service.post(GOOD, { 'Content-Type': type }), 'UNSUPPORTED_MEDIA_TYPE');
  });

  test.each(['application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"', 'application/json; a=b'])(
    '%s is fine',
    async type => {
      expect((await service.post(GOOD, { 'Content-Type': type })).status).toBe(200);
    },
  );

  test.each(['compress', 'gzip, br'])('a body with the Content-Encoding %p', async coding => {
    const answer = await service.post(GOOD, { 'Content-Encoding': coding });
    expectRefusal(answer, 'UNSUPPORTED_MEDIA_TYPE', /gzip, deflate, br, zstd/);
    expect(answer.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd');
  });
});

describe('RATE_LIMITED', () => {
  test('beyond the burst of the plan, with the time to wait, before the headers are checked', async () => {
    const service = new Service();
    for (let i = 0; i < 20; i++) expect((await service.post(GOOD, { 'X-API-Key': KEY })).status).toBe(200);
    const answer = await service.csv('', { 'X-API-Key': KEY, 'X-Source': '' });
    expectRefusal(answer, 'RATE_LIMITED');
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  test('beyond 100 other calls at once, on any plan', async () => {
    const service = new Service();
    const call = () => get(service, '/v1/keys');
    for (let calls = 0; calls < 100; calls++) expect((await call()).status).toBe(200);
    expectRefusal(await call(), 'RATE_LIMITED', /50 per second, 100 at once/);
    expect((await service.post(GOOD, { 'X-API-Key': KEY })).status).toBe(200);
  });

  test('applies to each account', async () => {
    const service = new Service();
    for (let i = 0; i < 21; i++) await service.post(GOOD, { 'X-API-Key': KEY });
    expect((await service.post(GOOD)).status).toBe(200);
  });
});

describe('INVALID_JSON', () => {
  test.each([
    ['', 0],
    ['{"source":"s","rows":[{"a":1},]}', 30],
    ['nul', 3],
    ['[1]x', 3],
  ])('%p, with the byte offset', async (text, offset) => {
    expectRefusal(await service.post(text), 'INVALID_JSON', new RegExp(`offset ${offset}(:|$)`));
  });

  test('bytes that are not UTF-8', async () => {
    const bytes = Uint8Array.from('{"source":"\xff"}', character => character.charCodeAt(0));
    expectRefusal(await service.post(bytes), 'INVALID_JSON', /UTF-8.*11/);
  });
});

describe('INVALID_JSON of NDJSON', () => {
  test.each([
    ['{"a":1}\nword\n', 2, 8],
    ['{"a":1}\n\n{"a":1,\n"b":2}\n', 3, 16],
    ['{"a":1}\n{"a":[1,\n', 2, 16],
    ['{"a":1} {"a":2}\n', 1, 8],
    ['{"a":1}\n{"a":1', 2, 14],
    ['[1\n', 1, 2],
  ])('%p, with line and byte offset', async (text, line, offset) => {
    const says = new RegExp(`^Line ${line} is not JSON.* offset ${offset};`);
    expectRefusal(await service.lines(text), 'INVALID_JSON', says);
  });

  test('bytes that are not UTF-8', async () => {
    const bytes = Uint8Array.from('{"a":1}\n{"a":"\xff"}', character => character.charCodeAt(0));
    expectRefusal(await service.lines(bytes), 'INVALID_JSON', /UTF-8.*14/);
  });
});

describe('INVALID_ENCODING', () => {
  const gzip = ENCODE.gzip(GOOD);
  const header = { 'Content-Encoding': 'gzip' };

  test.each([
    ['a body that is not compressed', new TextEncoder().encode(GOOD), 'damaged'],
    ['nothing', new Uint8Array(), 'ends before'],
    ['the begin of a stream', gzip.slice(0, -1), 'ends before'],
    [
      'a stream with a wrong sum',
      gzip.map((byte, i) => (i === gzip.length - 8 ? byte ^ 1 : byte)),
      'damaged',
    ],
    ['a stream with more behind it', new Uint8Array([...gzip, 0x7b, 0x7d]), 'damaged'],
  ])('%s', async (_, bytes, says) => {
    expectRefusal(await service.post(bytes, header), 'INVALID_ENCODING', says);
  });

  test('bytes after the end of a stream', async () => {
    const bytes = new Uint8Array([...ENCODE.br(GOOD), 1]);
    expectRefusal(
      await service.post(bytes, { 'Content-Encoding': 'br' }),
      'INVALID_ENCODING',
      'bytes after the end',
    );
  });

  test('a truncated stream with bad rows is rejected for its rows', async () => {
    expectRefusal(await service.post(ENCODE.gzip('{{').slice(0, -1), header), 'INVALID_JSON', 'offset 1');
  });
});

describe('MISSING_SOURCE', () => {
  const sources: [string, unknown][] = [
    ['absent', undefined],
    ['null', null],
    ['a number', 5],
    ['blank', ' \t'],
    ['too long', 'x'.repeat(201)],
    ['with a control character', 'a\u0007b'],
    ['.', '.'],
    ['..', '..'],
  ];
  test.each(sources)('%s', async (_, source) => {
    expectRefusal(await service.post(batch([ROW], { source })), 'MISSING_SOURCE', /^source /);
  });

  test.each(['[1]', '"text"', 'null', '17'])('a body that is %s', async text => {
    expectRefusal(await service.post(text), 'MISSING_SOURCE');
  });

  test.each([
    ['', 'blank'],
    ['%20', 'blank'],
    ['100%', 'percent'],
    ['%zz', 'percent'],
    ['%ff', 'percent'],
    ['a%00b', 'control'],
    ['%2E%2E', 'URL'],
  ])('X-Source %p', async (source, says) => {
    expectRefusal(await service.csv('a\n1\n', { 'X-Source': source }), 'MISSING_SOURCE', says);
  });

  test.each(['text/csv', 'application/x-ndjson'])(
    '%s without X-Source, before the body is read',
    async type => {
      const answer = await service.post('"', { 'Content-Type': type });
      expectRefusal(answer, 'MISSING_SOURCE', 'X-Source');
    },
  );

  test('but not 200 characters outside the basic plane', async () => {
    expect((await service.post(batch([ROW], { source: '😀'.repeat(200) }))).status).toBe(200);
  });

  test('is reported before wrong rows and options', async () => {
    expectRefusal(await service.post('{"options":1}'), 'MISSING_SOURCE');
  });
});

describe('INVALID_ROWS', () => {
  test('rows that are missing, not an array, empty, or not objects', async () => {
    expectRefusal(await service.post('{"source":"s"}'), 'INVALID_ROWS', 'missing');
    expectRefusal(await service.post('{"source":"s","rows":{}}'), 'INVALID_ROWS', 'array');
    expectRefusal(await service.post(batch([])), 'INVALID_ROWS', 'at least one');
    expectRefusal(await service.post(batch([ROW, 5])), 'INVALID_ROWS', 'index 1');
  });

  test('is reported before wrong options', async () => {
    expectRefusal(await service.post('{"source":"s","options":1}'), 'INVALID_ROWS');
  });

  test.each([
    ['', 'header'],
    ['a,b\n', 'no rows of data'],
    ['a\n1\n"x"y\n', 'line 3'],
    ['a\n1\n\n"x\n', 'line 4'],
  ])('CSV %p', async (text, says) => {
    expectRefusal(await service.csv(text), 'INVALID_ROWS', says);
  });

  test.each([
    ['', 'no line'],
    ['\r\n \n', 'no line'],
    ['{"a":1}\n\n[{"a":1}]\n', 'line 3'],
    ['null', 'line 1'],
  ])('NDJSON %p', async (text, says) => {
    expectRefusal(await service.lines(text), 'INVALID_ROWS', says);
  });

  test('CSV bytes that are not UTF-8, with the line and a hint', async () => {
    const bytes = Uint8Array.from('a\nb\ncaf\xe9\n', character => character.charCodeAt(0));
    expectRefusal(await service.csv(bytes), 'INVALID_ROWS', /^Line 3 .*utf-8.*charset/);
  });

  test('CSV bytes that are invalid in the given charset, with the line', async () => {
    const bytes = Uint8Array.from('a\r\nb\r\n\xaa\r\n', character => character.charCodeAt(0));
    const answer = await service.csv(bytes, { 'Content-Type': 'text/csv; charset=windows-1253' });
    expectRefusal(answer, 'INVALID_ROWS', /^Line 3 .*windows-1253/);
  });
});

describe('INVALID_OPTIONS', () => {
  test('in a JSON body', async () => {
    expectRefusal(
      await service.post(batch([ROW], { options: { thresholds: { speed: 1 } } })),
      'INVALID_OPTIONS',
    );
  });

  test.each(['{', '5', '[]', '{"thresholds":{"null_rate_warn":2}}'])('X-Options %p', async options => {
    expectRefusal(await service.csv('a\n1\n', { 'X-Options': options }), 'INVALID_OPTIONS');
  });
});

describe('INVALID_PARAMETER', () => {
  test.each(['', ':', ',,', 'comma', 'constructor'])('X-CSV-Delimiter %p', async delimiter => {
    const answer = await service.csv('a\n1\n', { 'X-CSV-Delimiter': delimiter });
    expectRefusal(answer, 'INVALID_PARAMETER', 'X-CSV-Delimiter');
  });
});

describe('PAYLOAD_TOO_LARGE', () => {
  const rows = (count: number) => `{"source":"s","rows":[${Array(count).fill('{"a":1}').join()}]}`;

  test('10,001 rows, but not 10,000', async () => {
    expect((await service.post(rows(10_000))).body.stats.rows_received).toBe(10_000);
    expectRefusal(await service.post(rows(10_001)), 'PAYLOAD_TOO_LARGE', '10,000 rows');
    expect((await service.csv(`a\n${'1\n'.repeat(10_000)}`)).body.stats.rows_received).toBe(10_000);
    expectRefusal(await service.csv(`a\n${'1\n'.repeat(10_001)}`), 'PAYLOAD_TOO_LARGE', '10,000 rows');
    expect((await service.lines('{"a":1}\n'.repeat(10_000))).body.stats.rows_received).toBe(10_000);
    expectRefusal(await service.lines('{"a":1}\n'.repeat(10_001)), 'PAYLOAD_TOO_LARGE', '10,000 rows');
  });

  test('2,001 fields', async () => {
    const row = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`f${i}`, 1]));
    expectRefusal(await service.post(batch([row])), 'PAYLOAD_TOO_LARGE', '2,000 fields');
  });

  test('a name of 1,025 bytes, but not of 1,024', async () => {
    const name = 'é'.repeat(512);
    expect((await service.post(batch([{ [name]: 1 }]))).status).toBe(200);
    for (const answer of [
      await service.post(batch([{ a: 1 }, { [`${name}n`]: 1 }])),
      await service.lines(`{"a":1}\n{"${name}n":1}`),
      await service.csv(`a,${name}n\n1,2`),
      await service.csv(`${name},${name}\n1,2`),
    ])
      expectRefusal(answer, 'PAYLOAD_TOO_LARGE', 'a field name may have at most 1,024 bytes of UTF-8');
  });

  test('brackets 65 deep', async () => {
    const text = `{"source":"s","rows":[{"a":${'['.repeat(62)}`;
    expectRefusal(await service.post(text), 'PAYLOAD_TOO_LARGE', '64');
    expectRefusal(await service.lines(`{"a":${'['.repeat(64)}`), 'PAYLOAD_TOO_LARGE', '64');
  });

  test('a body over the limit, with or without Content-Length', async () => {
    const text = batch([{ a: 'x'.repeat(1024 * 1024) }]);
    expectRefusal(await service.post(text), 'PAYLOAD_TOO_LARGE', '1,048,576 bytes');
    expectRefusal(await service.post(new Response(text).body!), 'PAYLOAD_TOO_LARGE', '1,048,576 bytes');
  });

  test('a body that exceeds the limit only after decoding', async () => {
    // A header and a row of euro signs.
    const bytes = new Uint8Array(600_000).fill(0x80);
    bytes[1] = 0x0a;
    const answer = await service.csv(bytes, { 'Content-Type': 'text/csv; charset=windows-1252' });
    expectRefusal(answer, 'PAYLOAD_TOO_LARGE', '1,048,576 bytes');
  });

  test('a body that exceeds the limit only after decompression, for any size of pieces', async () => {
    const text = batch([{ a: 'x'.repeat(1024 * 1024) }]);
    const bytes = ENCODE.zstd(text);
    expect(bytes.length).toBeLessThan(1000);
    const answer = await service.post(bytes, { 'Content-Encoding': 'zstd' });
    expectRefusal(answer, 'PAYLOAD_TOO_LARGE', '1,048,576 bytes');
  });

  test('a compressed body that exceeds the limit before decompression', async () => {
    const nothing = Buffer.concat(Array(60_000).fill(ENCODE.gzip('')));
    expect(nothing.length).toBeGreaterThan(1024 * 1024);
    const answer = await service.post(new Response(nothing).body!, { 'Content-Encoding': 'gzip' });
    expectRefusal(answer, 'PAYLOAD_TOO_LARGE', '1,048,576 bytes');
  });

  test('a body up to the limit is not too large', async () => {
    const frame = batch([{ a: '' }]).length;
    const text = batch([{ a: 'x'.repeat(1024 * 1024 - frame) }]);
    expect((await service.post(text)).status).toBe(200);
    expect((await service.post(ENCODE.br(text), { 'Content-Encoding': 'br' })).status).toBe(200);
  });
});

/** A body whose client sends the text, and then nothing. */
const withoutEnd = (text: string) =>
  new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(new TextEncoder().encode(text)),
  });

test('a rejection in the middle of a body closes the connection', async () => {
  const { headers } = await service.post(withoutEnd('{"source":"s","rows":[5'));
  expect(headers.get('connection')).toBe('close');
});

test('a rejection at the end of a body keeps the connection open', async () => {
  const { headers } = await service.post('{"source":"s"}');
  expect(headers.get('connection')).toBeNull();
});
