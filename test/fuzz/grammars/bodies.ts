/** Bodies of every format in every coding, posted to the real server: single ones, and many at once. */
import type { Choices } from '../choices.ts';
import { FUZZ_KEY } from '../hosts.ts';
import { bytesOf, type Input } from '../input.ts';
import { arrow } from './arrow.ts';
import { Bytes, CODINGS, type Coding, compressed, damaged, joined } from './bytes.ts';
import { parquet } from './parquet.ts';
import { yaml } from './yaml.ts';

/** Before it is compressed: few bytes, or as many as a body may have. */
const PLAIN_BYTES = [20_000, 1_000_000, 33_000_000];
/** As it is sent. */
const SENT_BYTES = 4_000_000;

type Make = (c: Choices, most: number) => Uint8Array<ArrayBuffer>;

const CELLS = [
  '1',
  '"a"',
  'null',
  '""',
  '1e999',
  '-0.0',
  '"\\u0000"',
  '[1]',
  '{"b":{}}',
  'true',
  '"2024-01-01"',
  '"\\ud800"',
  '',
];
/** Delimiters more often: each makes a cell. */
const TEXTS = [
  ',',
  ',',
  ';',
  '\t',
  'a',
  '1',
  '"',
  '\n',
  ';',
  '\t',
  '|',
  '""',
  ' ',
  'a,b\n',
  '1,2\n',
  '\r\n',
  '\u0000',
  '\u00ff',
  '"a\nb",',
  ',,\n',
  '-1.5e3,',
];

/** Cells as often as it is chosen, in rows as often as it is chosen. */
const json: Make = (c, most) => {
  const cells = c.list(
    3,
    i => `"${c.pick(['a', 'b', 'id', '__proto__', 'n'.repeat(1024)])}${i}":${c.pick(CELLS)}`,
  );
  const bytes = new Bytes(most).add(c.pick(['{"source":"s","rows":[', '[', '{"rows":[', '']));
  const row = joined(`{${cells.join()}}`);
  bytes.add(joined(row, c.pick([',', '\n', ''])), c.count(10_000)).add(row);
  if (c.once(3)) bytes.add(c.pick(['[', '{"a":', '"', '\\', ' ', '"a"', '9']), c.largely(most));
  return bytes.add(c.pick([']}', ']', ''])).whole();
};

const csv: Make = (c, most) => {
  const bytes = new Bytes(most);
  for (const { piece, times } of c.list(4, () => ({ piece: c.pick(TEXTS), times: c.largely(most) })))
    bytes.add(piece, times);
  return bytes.whole();
};

const FORMATS: Record<string, { type: string; make: Make }> = {
  json: { type: 'application/json', make: json },
  ndjson: { type: 'application/x-ndjson', make: json },
  csv: { type: 'text/csv', make: csv },
  tsv: { type: 'text/tab-separated-values', make: csv },
  latin: { type: 'text/csv; charset=iso-8859-1', make: csv },
  utf16: { type: 'text/csv; charset=utf-16le', make: csv },
  parquet: { type: 'application/vnd.apache.parquet', make: c => bytesOf(parquet(c)) },
  arrow: { type: 'application/vnd.apache.arrow.stream', make: c => bytesOf(arrow(c)) },
};

const TEXTUAL = ['json', 'ndjson', 'csv', 'csv', 'tsv', 'latin', 'utf16'];

/** Bodies of text, plain and compressed. */
export const texts = (c: Choices): Input => bodyOf(c, c.pick([1, 1, 8]), TEXTUAL);

export function bodies(c: Choices): Input {
  const connections = c.pick([1, 1, 8]);
  if (c.once(12))
    return sent(
      connections,
      'POST',
      '/v1/schema/s/rules/import?format=dbt',
      'text/yaml',
      null,
      bytesOf(yaml(c)),
    );
  // Many at once take memory where each is small and becomes large.
  const names =
    connections > 1 && c.once(2) ? ['parquet', 'arrow'] : [...Object.keys(FORMATS), 'csv', 'json', 'parquet'];
  return bodyOf(c, connections, names);
}

function bodyOf(c: Choices, connections: number, names: readonly string[]): Input {
  const { type, make } = FORMATS[c.pick(names)]!;
  const coding = c.once(2) ? c.pick(CODINGS) : null;
  let body = make(c, c.pick(coding === null ? [20_000, 20_000, 1_000_000] : PLAIN_BYTES));
  // Each member is decompressed.
  if (coding !== null)
    body = new Bytes(SENT_BYTES).add(compressed(body, coding), c.once(4) ? c.count(10_000) : 1).whole();
  if (c.once(12)) body = damaged(body, count => c.below(count));
  return sent(connections, 'POST', '/v1/screen', type, coding, body);
}

function sent(
  connections: number,
  method: string,
  path: string,
  type: string,
  coding: Coding | null,
  body: Uint8Array,
): Input {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: a',
    `X-API-Key: ${FUZZ_KEY}`,
    'X-Source: s',
    `Content-Type: ${type}`,
    ...(coding === null ? [] : [`Content-Encoding: ${coding === 'deflate-raw' ? 'deflate' : coding}`]),
    `Content-Length: ${body.length}`,
    '\r\n',
  ];
  const segments = [
    { bytes: joined(head.join('\r\n')), times: 1 },
    { bytes: body, times: 1 },
  ];
  return { connections, segments };
}
