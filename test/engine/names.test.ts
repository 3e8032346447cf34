/** A name has at most MAX_NAME_BYTES of UTF-8. */
import { describe, expect, test } from 'bun:test';
import { Fault, Format, MAX_NAME_BYTES, Status } from '../../assembly/abi.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { rejectionOf } from '../../src/intake/refusals.ts';
import { ENGINE as engine, screenBytes } from './screen-bytes.ts';

const SALT = new Uint8Array(32);

/** Names of exactly so many bytes, by spelling: what is written and what it means. */
const SPELLINGS: Record<string, (bytes: number) => [written: string, name: string]> = {
  plain: bytes => ['n'.repeat(bytes), 'n'.repeat(bytes)],
  'multi-byte': bytes => [
    '😀'.repeat(2) + 'é'.repeat(3) + 'n'.repeat(bytes - 14),
    `😀😀ééé${'n'.repeat(bytes - 14)}`,
  ],
  escaped: bytes => [`${'\\u0041'.repeat(bytes - 7)}\\ud83d\\ude00\\u20ac`, `${'A'.repeat(bytes - 7)}😀€`],
};

const bodies = (name: string) => ({
  JSON: { format: Format.JSON, text: `{"source":"s","rows":[{"id":1},{"id":2,"${name}":3}]}` },
  NDJSON: { format: Format.NDJSON, text: `{"id":1}\n{"id":2,"${name}":3}\n` },
});

describe.each(Object.keys(SPELLINGS))('a %s name', spelling => {
  test.each(['JSON', 'NDJSON'] as const)(
    'of 1,024 bytes is read in %s, and one byte more is refused',
    kind => {
      const [written, name] = SPELLINGS[spelling]!(MAX_NAME_BYTES);
      const { format, text } = bodies(written)[kind];
      expect(screenBytes(engine, Buffer.from(text), { format }).profile?.fields[1]?.name).toBe(name);

      const [longer] = SPELLINGS[spelling]!(MAX_NAME_BYTES + 1);
      const { text: tooLong } = bodies(longer)[kind];
      for (const pieces of [[tooLong.length], [1], [7, 1000]]) {
        const { refused } = screenBytes(engine, Buffer.from(tooLong), { format, pieces });
        expect(refused).toMatchObject({ fault: Fault.NAME, row: 1, offset: tooLong.indexOf(`"${longer}`) });
      }
    },
  );
});

describe('a name of a CSV header', () => {
  const sent = (name: string) =>
    screenBytes(engine, Buffer.from(`id,${name},c\n1,2,3\n`), { format: Format.CSV });

  test.each([
    ['unquoted', (bytes: number) => 'é'.repeat(10) + 'n'.repeat(bytes - 20)],
    [
      'quoted, with doubled quotes',
      (bytes: number) => `"""${'n,'.repeat((bytes - 2) / 2)}${bytes % 2 ? 'n' : ''}"""`,
    ],
  ])('of 1,024 bytes is read, %s, and one byte more is refused', (_, named) => {
    const { profile } = sent(named(MAX_NAME_BYTES));
    expect(Buffer.byteLength(profile!.fields[1]!.name)).toBe(MAX_NAME_BYTES);
    expect(sent(named(MAX_NAME_BYTES + 1)).refused).toMatchObject({
      fault: Fault.NAME,
      column: 2,
      offset: 3,
      line: 1,
    });
  });

  test('that gets a number may not become longer than 1,024 bytes', () => {
    const name = 'n'.repeat(MAX_NAME_BYTES - 2);
    expect(sent(`${name},${name}`).profile!.fields[2]!.name).toBe(`${name}_2`);
    expect(() => sent(`${name}n,${name}n`)).toThrow(
      'Too large: a field name may have at most 1,024 bytes of UTF-8; the repeated name in column 3 of the header, which gets a number, is longer',
    );
  });
});

test('a CSV header without rows is refused for that, whatever its names', () => {
  const refused = (text: string) => screenBytes(engine, Buffer.from(text), { format: Format.CSV }).refused!;
  const header = `${'n'.repeat(5000)},b\n`;
  expect(refused(header).fault).toBe(Fault.ROWS_EMPTY);
  expect(refused(`${header}\n1,2\n`)).toMatchObject({ fault: Fault.NAME, column: 1, offset: 0 });
});

test('keys of nested values and members beside the rows are no field names', () => {
  const long = 'k'.repeat(5000);
  const text = `{"source":"s","${long}":1,"rows":[{"a":{"${long}":{"${long}":1}}}]}`;
  expect(screenBytes(engine, Buffer.from(text)).profile!.fields.map(({ name }) => name)).toEqual(['a']);
});

test.each([
  ['JSON', Format.JSON, '{"source":"s","rows":[{"', 'the one at byte offset 23 (row 0) is longer'],
  ['NDJSON', Format.NDJSON, '{"a":1}\n{"', 'the one at byte offset 9 (line 2) is longer'],
])('the rest of an endless name of %s is not waited for', (_, format, start, place) => {
  engine.begin({ format, delimiter: 0x2c, salt: SALT });
  expect(engine.write(Buffer.from(start + 'n'.repeat(MAX_NAME_BYTES)))).toBe(Status.MORE);
  expect(engine.write(Buffer.from('n'))).toBe(Status.FAILED);
  const rejection = rejectionOf(engine.refusal(), format);
  expect(rejection).toBeInstanceOf(Rejection);
  expect([rejection.code, rejection.message]).toEqual([
    'PAYLOAD_TOO_LARGE',
    `Too large: a field name may have at most 1,024 bytes of UTF-8; ${place}`,
  ]);
});
