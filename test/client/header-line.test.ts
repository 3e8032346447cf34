/** `headerLine`: what stands before the header is not sent in parts, and said of whole bodies. */
import { expect, test } from 'bun:test';
import { requestsOf } from '../../src/client/any-length.ts';
import { fromLine } from '../../src/client/content.ts';
import { divided } from '../../src/client/input.ts';

const SETTINGS = { maxBodyBytes: 1e6, compress: undefined, signal: undefined };
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test.each([1, 2, 3, 5, 100])('however the text arrives: %d bytes at a time', async size => {
  const all = 'a\r\nb\rc\nd,e\r\n1,2\n';
  for (const [line, rest] of [
    [1, all],
    [2, 'b\rc\nd,e\r\n1,2\n'],
    [3, 'c\nd,e\r\n1,2\n'],
    [4, 'd,e\r\n1,2\n'],
    [9, ''],
  ] as const) {
    const pieces = async function* () {
      for (let at = 0; at < all.length; at += size) yield new TextEncoder().encode(all.slice(at, at + size));
    };
    expect((await Array.fromAsync(fromLine(pieces(), line))).map(text).join('')).toBe(rest);
  }
});

test('a whole body is sent as it is', async () => {
  const csv = 'Title\nid,n\n1,2\n';
  const { headers, body } = (await requestsOf({ source: 's', csv, headerLine: 2 }, SETTINGS)).one!;
  expect(headers['X-CSV-Header-Line']).toBe('2');
  expect(text(body as Uint8Array)).toBe(csv);
  expect((await requestsOf({ source: 's', csv }, SETTINGS)).one!.headers).not.toHaveProperty(
    'X-CSV-Header-Line',
  );
});

test('parts begin with the header', async () => {
  const input = { source: 's', csv: 'Title\n\nid,n\n1,2\n3,4\n', headerLine: 3 };
  const { groups, wrap } = await divided(input, SETTINGS);
  for await (const group of groups) {
    const { headers, body } = await wrap(group, { source: 's' });
    expect(headers['X-CSV-Header-Line']).toBe('1');
    expect(text(body as Uint8Array)).toBe('id,n\n1,2\n3,4\n');
  }
});
