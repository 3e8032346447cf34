/** Headers as their producers wrote them. */
import { describe, expect, test } from 'bun:test';
import { MessageHeaders } from '../../src/stream/headers.ts';
import type { Message } from '../../src/stream/port.ts';
import { sorted } from '../../src/stream/rows.ts';
import type { Input } from '../../src/stream/config.ts';

const NONE = MessageHeaders.NONE;
const INPUT = { format: 'json', source: { kind: 'header', name: 'x' } } as Input;
const message = (headers: MessageHeaders): Message => ({
  offset: 0,
  next: 1,
  key: null,
  value: Buffer.from('{}'),
  headers,
  timestamp: 0n,
  fault: null,
});
/** The source of a message with these headers, or why it has none. */
function sourceOf(headers: MessageHeaders): string {
  const { sources, unreadable } = sorted([message(headers)], INPUT, 1000);
  return sources[0]?.source ?? [...unreadable.values()][0]!;
}

test.each(['a', '__proto__', 'constructor', ''])('the last header of a name is found: %p', name => {
  const headers = NONE.with([
    [name, '1'],
    ['b', '2'],
    [name, '3'],
    ['c', '4'],
  ]);
  expect(String(headers.last(name))).toBe('3');
  expect(headers.last('d')).toBeUndefined();
  expect(NONE.last(name)).toBeUndefined();
});

test('a header of null is there, and has no value', () => {
  const headers = new MessageHeaders(1, Buffer.from([2, 0x61, 1]));
  expect(headers.last('a')).toBeNull();
});

test('headers that are added come after the bytes that were there', () => {
  const strange = new MessageHeaders(1, Buffer.from([4, 0xff, 0xfe, 1]));
  const { count, bytes } = strange.with([['a', 'é']]);
  expect(count).toBe(2);
  expect([...bytes]).toEqual([4, 0xff, 0xfe, 1, 2, 0x61, 4, 0xc3, 0xa9]);
  expect([...strange.bytes]).toEqual([4, 0xff, 0xfe, 1]);
});

describe('a source in a header', () => {
  const padding = (length: number) => 'p'.repeat(length);
  /** `x: orders`, and a name and value that fill 1 MiB: two bytes of lengths, three for the longer one. */
  const filled = (more: number) =>
    NONE.with([
      ['x', 'orders'],
      ['y', padding(1024 * 1024 - 9 - 5 + more)],
    ]);

  test('is looked for in 1 MiB of headers, and not in more', () => {
    expect(filled(0).bytes).toHaveLength(1024 * 1024);
    expect(sourceOf(filled(0))).toBe('orders');
    expect(sourceOf(filled(1))).toBe(
      "the header 'x' is looked for in at most 1,048,576 bytes of headers; the message has 1,048,577",
    );
  });

  test('is missing where the bytes are no headers', () => {
    expect(sourceOf(new MessageHeaders(1, Buffer.from([20, 0x61])))).toBe('its headers are damaged');
    expect(sourceOf(NONE)).toStartWith("the header 'x' is missing");
  });
});
