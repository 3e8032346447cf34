/** Frames of WebSocket (RFC 6455), and the messages of a stream inside them. */
import type { Choices } from '../choices.ts';
import { FUZZ_KEY } from '../hosts.ts';
import type { Input } from '../input.ts';
import { big, Bytes, damaged, joined } from './bytes.ts';

/** Of one connection. */
const MAX_BYTES = 4_000_000;
const MOST_TIMES = 1_000_000;

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10] as const;
const OPCODES = [BINARY, TEXT, CONTINUATION, PING, PONG, CLOSE, 3, 15];
const FINAL = 128;

const OPENS = [
  '{"type":"open","source":"s"}',
  '{"type":"open","source":"s","format":"csv"}',
  '{"type":"open","source":"s","window":{"rows":1,"ms":1}}',
  '{"type":"open","source":"s","window":{"rows":10000,"bytes":8000000,"ms":60000}}',
  '{"type":"open","source":"s","options":{"row_verdicts":true}}',
  `{"type":"open","source":"s","key":"${FUZZ_KEY}"}`,
  '{"type":"open","source":"s","resume":{"stream":"str_01ARZ3NDEKTSV4RRFFQ69G5FAV","window":1}}',
  '{"type":"open","source":1}',
  '{"type":"open"',
  '[]',
];
const TEXTS = [
  '{"type":"end"}',
  '{}',
  '{"type":"x"}',
  'null',
  '\u00ff',
  '{"a":1,"a":2}',
  `${'['.repeat(5000)}`,
  ...OPENS,
];
const ROWS = [
  '{"a":1}\n',
  'a\n1\n',
  '\n',
  '{"a":"x"}',
  '"',
  ',',
  '\r\n',
  '{"a":',
  '\ufeff',
  '{}\n',
  `{"a":"${'x'.repeat(3000)}"}\n`,
  '\u0000',
];

export function websocket(c: Choices): Input {
  const bytes = new Bytes(c.pick([64_000, 64_000, 512_000, MAX_BYTES])).add(
    [
      'GET /v1/stream HTTP/1.1',
      'Host: a',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...(c.once(3) ? [] : [`X-API-Key: ${FUZZ_KEY}`]),
      '\r\n',
    ].join('\r\n'),
  );
  if (!c.once(3)) bytes.add(frame(c, FINAL | TEXT, joined(c.pick(OPENS))));
  for (const { each, times } of c.list(5, () => ({ each: anyFrame(c), times: c.count(MOST_TIMES) })))
    bytes.add(each, times);
  const connections = c.pick([1, 1, 2, 8]);
  if (!c.once(8)) return { connections, segments: bytes.segments };
  const whole = damaged(bytes.whole(), count => c.below(count));
  return { connections, segments: [{ bytes: whole, times: 1 }] };
}

function anyFrame(c: Choices): Uint8Array {
  const opcode = c.pick(OPCODES);
  const first = opcode | (c.once(3) ? 0 : FINAL) | (c.once(24) ? 0x40 : 0);
  const payload = new Bytes(MAX_BYTES);
  if (opcode === TEXT) payload.add(c.pick(TEXTS), c.once(6) ? c.count(100_000) : 1);
  else if (opcode === CLOSE) payload.add(big(c.pick([1000, 1001, 0, 65_535]), 2));
  else if (opcode < CLOSE) payload.add(c.once(3) ? '' : c.pick(ROWS), c.count(300_000));
  else payload.add('p', c.pick([0, 1, 125, 126]));
  return frame(c, first, payload.whole());
}

/** With the shortest length mostly, and with any length rarely. */
function frame(c: Choices, first: number, payload: Uint8Array): Uint8Array {
  const length = c.once(24) ? c.edge() : BigInt(payload.length);
  const size = c.once(24) ? 8 : length < 126n ? 0 : length < 65_536n ? 2 : 8;
  const masked = c.once(48) ? 0 : 128;
  const second = masked | (size === 0 ? Number(length & 127n) : size === 2 ? 126 : 127);
  const mask = masked === 0 ? [] : [0, 0, 0, 0];
  return joined([first, second], big(length, size), mask, payload);
}
