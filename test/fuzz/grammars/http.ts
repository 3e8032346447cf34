/** Requests as bytes on a socket: pipelines, bodies by length and in chunks, and heads that are nearly valid. */
import type { Choices } from '../choices.ts';
import { FUZZ_KEY } from '../hosts.ts';
import type { Input } from '../input.ts';
import { Bytes, damaged, joined } from './bytes.ts';

/** Of one connection. */
const MAX_BYTES = 2_000_000;
const MOST_TIMES = 16_383;

export const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'get'];
const PATHS = [
  '/v1/health',
  '/x',
  '/v1/screen',
  '/v1/ready',
  '/v1/stats',
  '/v1/jobs?limit=1',
  '/v1/schema/s/rules',
  '/v1/schema/s/rules/import?format=dbt',
  '/v1/stream',
  '/',
  '/docs',
  '/openapi.json',
  '*',
  'http://other/v1/health',
  '/v1/%73creen',
  '/v1/../v1/health',
  `/${'a/'.repeat(4000)}`,
  `/v1/health?${'a=b&'.repeat(3000)}`,
];
const HEADERS = [
  'Host: a',
  `X-API-Key: ${FUZZ_KEY}`,
  'X-API-Key: wrong',
  'Authorization: Bearer x',
  'Content-Type: application/json',
  'Content-Type: text/csv',
  'Connection: close',
  'Connection: keep-alive, upgrade',
  'Expect: 100-continue',
  'Expect: x',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: 0',
  'Content-Length: 99999999999',
  'Content-Length: -1',
  'Content-Encoding: gzip',
  'Accept-Encoding: gzip, br',
  'Origin: http://a',
  'Cookie: a=b',
  'X-Source: s',
  'X-Options: {}',
  'Idempotency-Key: k',
  'X-Forwarded-For: 1.2.3.4, 5.6.7.8',
  'Range: bytes=0-1',
  'If-None-Match: *',
  ' folded',
  'No colon',
  ': no name',
  'Name : space',
  'Host:',
];

export function http(c: Choices): Input {
  const bytes = new Bytes(c.pick([64_000, 512_000, MAX_BYTES]));
  const requests = c.list(4, () => ({ request: requestOf(c), times: c.largely(MOST_TIMES) }));
  for (const { request, times } of requests) bytes.append(repeated(request, times));
  if (c.once(6)) bytes.add('GET /v1/health HTTP/1.1\r\nHost: a');
  const connections = c.pick([1, 1, 2, 8]);
  if (!c.once(8)) return { connections, segments: bytes.segments };
  const whole = damaged(bytes.whole(), count => c.below(count));
  return { connections, segments: [{ bytes: whole, times: 1 }] };
}

const repeated = (request: Bytes, times: number): Bytes => {
  if (times === 1 || request.length > MAX_BYTES) return request;
  return new Bytes().add(request.whole(), times);
};

function requestOf(c: Choices): Bytes {
  const method = c.pick(METHODS);
  const version = c.once(12) ? c.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', '']) : 'HTTP/1.1';
  const request = new Bytes(MAX_BYTES).add(`${method} ${c.pick(PATHS)} ${version}\r\n`);
  if (!c.once(12)) request.add('Host: a\r\n');
  for (let left = c.below(4); left > 0; left--) {
    const isMany = c.once(12);
    request.add(`${c.pick(HEADERS)}\r\n`, isMany ? c.count(10_000) : 1);
  }
  if (c.once(12)) request.add(`X-Long: ${'a'.repeat(c.count(65_536))}\r\n`);
  const body = c.below(4);
  if (body === 1) {
    const length = c.count(300_000);
    request.add(`Content-Length: ${c.once(8) ? c.edge() : length}\r\n\r\n`).add('{', length);
  } else if (body === 2) chunksOf(c, request.add('Transfer-Encoding: chunked\r\n\r\n'));
  else request.add('\r\n', c.once(12) ? c.count(100_000) : 1);
  return request;
}

function chunksOf(c: Choices, request: Bytes): void {
  for (const { size, times, extension } of c.list(3, () => ({
    size: c.count(65_536),
    times: c.count(300_000),
    extension: c.once(6) ? `;${'e'.repeat(c.count(8_000_000) % 5000)}` : '',
  }))) {
    if (size === 0) continue;
    const head = c.once(12) ? c.pick(['-1', 'fffffffffffff', '0x1', '', 'g']) : size.toString(16);
    request.add(joined(`${head}${extension}\r\n`, 'a'.repeat(size), c.once(16) ? '\n' : '\r\n'), times);
  }
  request.add('0\r\n');
  if (c.once(4)) request.add('Trailer: x\r\n', c.count(10_000));
  request.add('\r\n');
}
