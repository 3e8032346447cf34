import { describe, expect, test } from 'bun:test';
import { Fault, Format, Status } from '../../assembly/abi.ts';
import { type Envelope, MAX_MEMBER_BYTES, TOO_LONG } from '../../src/engine/engine.ts';
import { cellsOf } from './cells.ts';
import { ENGINE, screenBytes } from './screen-bytes.ts';

const engine = ENGINE;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const screen = (text: string) => screenBytes(engine, bytesOf(text));
const rowsBody = (rows: string[]): string => `{"source":"s","rows":[${rows.join()}]}`;

/** The refusal of a body, with the name of its fault. */
function refusalOf(text: string): { fault: string; offset: number; row: number } | undefined {
  const { refused } = screen(text);
  return refused && { fault: Fault[refused.fault], offset: refused.offset, row: refused.row };
}

test('space before a value is accepted where the row before had none', () => {
  const { profile } = screen(rowsBody(['{"a":1,"b":2}', '{"a": 3,"b":\t4}', '{"a":\n5 ,"b":6}']));
  expect(cellsOf(engine, 0).map(cell => cell?.value)).toEqual([1, 3, 5]);
  expect(cellsOf(engine, 1).map(cell => cell?.value)).toEqual([2, 4, 6]);
  expect(profile!.fields.map(field => field.name)).toEqual(['a', 'b']);
});

test.each([
  ['"Größe"', '"Gr\\u00f6\\u00dfe"', 'Größe'],
  ['"\\ud83d\\ude00"', '"😀"', '😀'],
  ['"\\u0061"', '"a"', 'a'],
  ['"中\\u6587"', '"\\u4e2d文"', '中文'],
])('%s and %s are one field', (first, second, name) => {
  const { profile } = screen(rowsBody([`{${first}:1}`, `{${second}:2}`]));
  expect(profile!.fields.map(field => [field.name, field.present])).toEqual([[name, 2]]);
});

test('when a row repeats a key, the last value counts and the field is reported', () => {
  const { profile } = screen(rowsBody(['{"a":1,"a":"x"}', '{"a":2}']));
  expect(cellsOf(engine, 0).map(cell => cell?.value)).toEqual(['x', 2]);
  expect(profile!.repeatedNames).toEqual(['a']);
  expect(profile!.fields[0]!.present).toBe(2);
});

test('when the body has two `rows`, the last one counts', () => {
  const { profile } = screen('{"rows":[{"a":1},{"a":2}],"rows":[{"b":true}],"source":"s"}');
  expect(profile!.rows).toBe(1);
  expect(profile!.fields.map(field => field.name)).toEqual(['b']);
});

test('a refused `rows` stays refused when the body repeats the key', () => {
  expect(refusalOf('{"rows":[],"rows":[{"a":1}]}')?.fault).toBe('ROWS_EMPTY');
  expect(refusalOf('{"rows":5,"rows":[{"a":1}]}')?.fault).toBe('ROWS_NOT_ARRAY');
});

test('an offset counts from the first byte and includes the byte-order mark', () => {
  expect(refusalOf('{"rows":[{"a":x}]}')).toMatchObject({ fault: 'SYNTAX', offset: 14 });
  expect(refusalOf('\uFEFF{"rows":[{"a":x}]}')).toMatchObject({ fault: 'SYNTAX', offset: 17 });
});

test.each(['g', '"', ']', '\\n'])('the second half of a pair of escapes is refused at a digit %j', digit => {
  const before = '{"rows":[{"a":"\\ud83d\\ude0';
  expect(refusalOf(`${before}${digit}0","b":"\\ud83d\\ude00"}]}`)).toMatchObject({
    fault: 'SYNTAX',
    offset: before.length,
  });
});

test('an item that is not an object is refused with its index', () => {
  expect(refusalOf('{"rows":[{"a":1},{},[1]]}')).toMatchObject({ fault: 'ROW_NOT_OBJECT', row: 2 });
});

describe('limits', () => {
  const rows = (count: number): string[] => Array.from({ length: count }, (_, i) => `{"i":${i}}`);
  const fields = (count: number): string =>
    `{${Array.from({ length: count }, (_, i) => `"f${i}":1`).join()}}`;

  test('10,000 rows are read, the next one is refused as soon as it begins', () => {
    expect(screen(rowsBody(rows(10_000))).profile!.rows).toBe(10_000);
    engine.begin({ format: Format.JSON, delimiter: 0x2c, salt: new Uint8Array(32) });
    expect(engine.write(bytesOf(`{"rows":[${rows(10_000).join()},`))).toBe(Status.MORE);
    expect(engine.write(bytesOf('{'))).toBe(Status.FAILED);
    expect(engine.refusal()).toMatchObject({ fault: Fault.ROWS, row: 10_000 });
  });

  test('2,000 fields are read, one more is refused', () => {
    expect(screen(rowsBody([fields(2000)])).profile!.fields.length).toBe(2000);
    expect(refusalOf(rowsBody([fields(2001)]))?.fault).toBe('FIELDS');
    expect(refusalOf(rowsBody([fields(2000), '{"more":null}']))?.fault).toBe('FIELDS');
  });

  test('2,000,000 cells are read, nulls included, one more is refused', () => {
    const row = `{${Array.from({ length: 200 }, (_, i) => `"${i}":null`).join()}}`;
    const full = Array.from({ length: 10_000 }, () => row);
    expect(screen(rowsBody(full)).profile!.rows).toBe(10_000);
    expect(refusalOf(rowsBody([...full.slice(0, -1), row.replace('}', ',"x":1}')]))?.fault).toBe('CELLS');
  });

  test('64 open brackets are read, one more is refused, within a row and around the rows', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(screen(rowsBody([`{"a":${nested(61)}}`])).profile!.rows).toBe(1);
    expect(refusalOf(rowsBody([`{"a":${nested(62)}}`]))?.fault).toBe('DEPTH');
    expect(refusalOf(`{"note":${nested(63)},"rows":[{}]}`)).toBeUndefined();
    expect(refusalOf(`{"note":${nested(64)},"rows":[{}]}`)?.fault).toBe('DEPTH');
  });

  test('a million opening brackets are refused at the 65th', () => {
    expect(refusalOf('['.repeat(1_000_000))).toMatchObject({ fault: 'DEPTH', offset: 64 });
  });
});

function envelopeOf(text: string): Envelope {
  screen(text);
  return engine.envelope();
}

test('names around the rows may be written with escapes', () => {
  const envelope = envelopeOf(
    '{"s\\u006furce":"s","\\u006fptions":{"note":"\\n","full_scan":true},"r\\u006fws":[{"a":1}]}',
  );
  expect(envelope).toMatchObject({ source: 's', options: { full_scan: true }, hasRows: true });
});

test('a source or options of 64 KiB are read, longer ones are only marked as too long', () => {
  const optionsOf = (length: number) => {
    const options = `{"note":"${'x'.repeat(length - '{"note":""}'.length)}"}`;
    return envelopeOf(`{"source":"s","options":${options},"rows":[{"a":1}]}`).options;
  };
  expect(optionsOf(MAX_MEMBER_BYTES)).toBeObject();
  expect(optionsOf(MAX_MEMBER_BYTES + 1)).toBe(TOO_LONG);
});

test('a column without strings lists none, one with too many lists null', () => {
  const listed = (rows: string[]) => screen(rowsBody(rows)).profile!.fields[0]!.measured.listed;
  expect(listed(['{"a":null}'])).toEqual([]);
  expect(listed(['{"a":1}'])).toEqual([]);
  expect(listed(Array.from({ length: 50 }, (_, i) => `{"a":"v${i}"}`))).toHaveLength(50);
  expect(listed(Array.from({ length: 51 }, (_, i) => `{"a":"v${i}"}`))).toBeNull();
});

test('an example is cut at 1,000 characters, and a long object becomes its text', () => {
  const exampleOf = (value: string) => {
    screen(rowsBody([`{"a":${value}}`]));
    return engine.queries.example(0, 'number');
  };
  expect(exampleOf(`"${'x'.repeat(1000)}"`)).toBe('x'.repeat(1000));
  expect(exampleOf(`"${'x'.repeat(1001)}"`)).toBe(`${'x'.repeat(1000)}…`);
  expect(exampleOf('{"b":[1]}')).toEqual({ b: [1] });
  expect(exampleOf(`["${'x'.repeat(1000)}"]`)).toBe(`["${'x'.repeat(998)}…`);
});
