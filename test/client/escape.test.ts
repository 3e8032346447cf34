/** `escape`: a backslash before what is text. */
import { expect, test } from 'bun:test';
import { requestsOf } from '../../src/client/any-length.ts';
import { type CsvInput, divided, streamable } from '../../src/client/input.ts';
import { CsvScanner } from '../../src/client/records.ts';

const SETTINGS = { maxBodyBytes: 1e6, compress: undefined, signal: undefined };
const RECORDS = ['a,b\n', '1,"x\\"\n,y"\n', '2,p\\\nq\n', '3,"\\\\"\n', '4,\\"z\n'];
const input: { source: string } & CsvInput = { source: 's', csv: RECORDS.join(''), escape: '\\' };
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test.each([1, 2, 3, 100])('records end where they do for the service: %d bytes at a time', size => {
  const all = new TextEncoder().encode(RECORDS.join(''));
  const scanner = new CsvScanner(0x2c, 0x5c);
  const ends: number[] = [];
  for (let at = 0; at < all.length; at += size)
    ends.push(...scanner.ends(all.subarray(at, at + size)).map(end => end + at));
  expect(ends.map((end, i) => text(all.subarray(ends[i - 1] ?? 0, end)))).toEqual(RECORDS);
});

test('whole bodies and their parts say so', async () => {
  const { headers, body } = (await requestsOf(input, SETTINGS)).one!;
  expect([headers['X-CSV-Escape'], text(body as Uint8Array)]).toEqual(['\\', RECORDS.join('')]);
  const { groups, wrap } = await divided(input, SETTINGS);
  for await (const group of groups) {
    const part = await wrap(group, { source: 's' });
    expect([part.headers['X-CSV-Escape'], group.length]).toEqual(['\\', 4]);
  }
  const { escape: _, ...plain } = input;
  expect((await requestsOf(plain, SETTINGS)).one!.headers).not.toHaveProperty('X-CSV-Escape');
});

test('a stream refuses it', () => {
  expect(streamable(input, SETTINGS)).rejects.toThrow('A stream takes no escape');
});
