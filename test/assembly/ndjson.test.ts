/** NDJSON: where rows begin and end. The rows themselves are compared with those of JSON bodies. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import '../property/seed.ts';
import { Fault, Format, Status } from '../../assembly/abi.ts';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { readProfile } from '../../src/profile/read.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const SALT = new Uint8Array(32).fill(3);
const wasm = join(import.meta.dir, '../../build/engine.wasm');
const engine = new Engine(await compileEngine(await Bun.file(wasm).bytes()), MAX_BODY_BYTES);
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Feeds the pieces until the first fault. Returns whether the body is refused, and after how many bytes. */
function feed(format: Format, pieces: Iterable<Uint8Array>): { status: Status; fed: number } {
  engine.begin({ format, delimiter: 0, salt: SALT });
  let fed = 0;
  for (const piece of pieces) {
    fed += piece.length;
    if (engine.write(piece) === Status.FAILED) return { status: Status.FAILED, fed };
  }
  return { status: engine.end(), fed };
}

function profileOf(format: Format, pieces: Iterable<Uint8Array>, sampleRows = 10_000): Profile {
  expect(feed(format, pieces).status).toBe(Status.DONE);
  return readProfile(engine.measure(sampleRows));
}

const ofLines = (text: string) => profileOf(Format.NDJSON, [bytesOf(text)]);
const ofJson = (rows: string[], sampleRows?: number) =>
  profileOf(Format.JSON, [bytesOf(`{"rows":[${rows.join()}]}`)], sampleRows);

function* pieces(bytes: Uint8Array, lengths: number[]): Generator<Uint8Array> {
  let at = 0;
  for (const length of lengths) {
    yield bytes.subarray(at, at + length);
    at += length;
  }
  yield bytes.subarray(at);
}

const singleBytes = (text: string) => {
  const bytes = bytesOf(text);
  return pieces(
    bytes,
    Array.from(bytes, () => 1),
  );
};

describe('a line', () => {
  const ROWS = ['{"id":1,"name":"a"}', '{"id":2,"name":null}', '{"id":3,"name":"c"}'];

  test.each([
    ['ends at LF', ROWS.map(row => `${row}\n`).join('')],
    ['ends at CRLF', ROWS.map(row => `${row}\r\n`).join('')],
    ['ends where the body does', ROWS.join('\n')],
    ['may have white space around its row', ROWS.map(row => ` \t${row}\t \r\n`).join('')],
    ['is skipped when it is blank', `\n \r\n${ROWS.join('\n\n \t\r\n')}\n\n  `],
    ['may be the first behind a byte-order mark', `\ufeff${ROWS.join('\n')}`],
    ['may be blank behind a byte-order mark', `\ufeff\n${ROWS.join('\n')}`],
    ['may have spaces and CR between its tokens', ROWS.join('\n').replaceAll(':', ' :\r ')],
  ])('%s', (_, text) => {
    expect(ofLines(text)).toEqual(ofJson(ROWS));
    expect(profileOf(Format.NDJSON, singleBytes(text))).toEqual(ofJson(ROWS));
  });

  test('may hold a row without fields', () => {
    const rows = ['{}', '{"a":1}', '{}', '{ }', '{"a":"x"}', '{}'];
    expect(ofLines(rows.join('\n'))).toEqual(ofJson(rows));
    expect(ofLines('{}')).toMatchObject({ rows: 1, fields: [] });
  });

  test('with a repeated field reports the field', () => {
    expect(ofLines('{"a":1,"b":2}\n{"a":1,"\\u0061":2}').repeatedNames).toEqual(['a']);
  });

  test('may hold line feeds in its texts, escaped', () => {
    const rows = ['{"a":"x\\ny","b":["\\n",{"\\n":1}]}'];
    expect(ofLines(rows.join('\n'))).toEqual(ofJson(rows));
  });
});

describe('a body is refused', () => {
  const deep = (brackets: number) => `{"a":1}\n{"a":${'['.repeat(brackets)}`;
  const refusals: [string, Fault, number, number, string][] = [
    ['without any line', Fault.ROWS_EMPTY, 0, 1, ''],
    ['with blank lines only', Fault.ROWS_EMPTY, 5, 3, '\n \r\n\t'],
    ['with a byte-order mark only', Fault.ROWS_EMPTY, 3, 1, '\ufeff'],
    ['where a line is no JSON', Fault.SYNTAX, 8, 2, '{"a":1}\nword\n'],
    ['where a line is a broken literal', Fault.SYNTAX, 11, 2, '{"a":1}\nnule\n'],
    ['where a line holds values without brackets', Fault.SYNTAX, 9, 2, '{"a":1}\n1,2\n'],
    ['where a second row follows on the line', Fault.SYNTAX, 8, 1, '{"a":1} {"a":2}\n'],
    ['where a comma follows a row', Fault.SYNTAX, 7, 1, '{"a":1},\n{"a":2}\n'],
    ['where rows stand in an array', Fault.SYNTAX, 1, 1, '[\n{"a":1}\n]\n'],
    ['with a row that goes on behind its comma', Fault.SYNTAX, 15, 2, '{"a":1}\n{"a":1,\n"b":2}\n'],
    ['with a row that goes on behind its colon', Fault.SYNTAX, 5, 1, '{"a":\n1}\n'],
    ['with a row that goes on behind its value', Fault.SYNTAX, 6, 1, '{"a":1\n}\n'],
    ['with a row that goes on behind its bracket', Fault.SYNTAX, 1, 1, '{\n}\n'],
    ['with an array that goes on', Fault.SYNTAX, 8, 1, '{"a":[1,\n2]}\n'],
    ['with an object that goes on', Fault.SYNTAX, 10, 1, '{"a":{"bc"\n:2}}\n'],
    ['with a text that goes on', Fault.SYNTAX, 8, 1, '{"a":"xy\nz"}\n'],
    ['that ends inside a row', Fault.TRUNCATED, 14, 2, '{"a":1}\n{"a":1'],
    ['that ends inside another line', Fault.TRUNCATED, 10, 2, '{"a":1}\n[1'],
    ['with a byte-order mark behind a space', Fault.SYNTAX, 1, 1, ' \ufeff{"a":1}'],
    ['with a byte-order mark on its second line', Fault.SYNTAX, 8, 2, '{"a":1}\n\ufeff{"a":1}'],
    ['with a NUL between rows', Fault.SYNTAX, 8, 2, '{"a":1}\n\0\n'],
    ['with a line that is a number', Fault.ROW_NOT_OBJECT, 8, 2, '{"a":1}\n17\n'],
    ['with a last line that is a number', Fault.ROW_NOT_OBJECT, 8, 2, '{"a":1}\n17'],
    ['with a line that is an array', Fault.ROW_NOT_OBJECT, 0, 1, '[{"a":1}]\r\n'],
    ['with a line that is null', Fault.ROW_NOT_OBJECT, 11, 4, '{"a":1}\n\n\n null \n'],
    ['with 65 open brackets', Fault.DEPTH, 76, 2, deep(64)],
  ];

  test.each(refusals)('%s', (_, fault, offset, line, text) => {
    expect(feed(Format.NDJSON, [bytesOf(text)]).status).toBe(Status.FAILED);
    expect(engine.refusal()).toMatchObject({ fault, offset, line });
    expect(feed(Format.NDJSON, singleBytes(text)).status).toBe(Status.FAILED);
    expect(engine.refusal()).toMatchObject({ fault, offset, line });
  });

  test('with bytes that are not UTF-8', () => {
    expect(feed(Format.NDJSON, [Buffer.from('{"a":1}\n{"a":"\xff"}\n', 'latin1')]).status).toBe(
      Status.FAILED,
    );
    expect(engine.refusal()).toMatchObject({ fault: Fault.ENCODING, offset: 14, line: 2 });
  });

  test('as soon as its 10,001st row begins', () => {
    const rows = `${'{}\n'.repeat(9999)}{"a":1}\n`;
    expect(feed(Format.NDJSON, [bytesOf(rows), bytesOf('\n ')]).status).toBe(Status.DONE);
    expect(engine.rows).toBe(10_000);
    const { fed } = feed(Format.NDJSON, [bytesOf(rows), bytesOf('\n'), bytesOf('{'), bytesOf('}')]);
    expect(engine.refusal()).toMatchObject({ fault: Fault.ROWS, row: 10_000, line: 10_002 });
    expect(fed).toBe(rows.length + 2);
  });

  test('as soon as a row goes on behind the end of its line', () => {
    const { fed } = feed(Format.NDJSON, singleBytes('{"a":1}\n{"a":[1,\n2]}\n'));
    expect(fed).toBe(17);
  });

  test('but not with 64 open brackets', () => {
    expect(ofLines(`${deep(63)}${']'.repeat(63)}}`).rows).toBe(2);
  });
});

const value = fc.jsonValue({ maxDepth: 2 });
const name = fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__', '', '\n'), fc.string({ unit: 'binary' }));
const row = fc
  .uniqueArray(fc.tuple(name, value), { maxLength: 5, selector: ([name]) => name })
  .map(
    fields => `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
  );
const rows = fc.oneof(
  fc.array(row, { minLength: 1, maxLength: 20 }),
  // Rows with the same keys in the same order, which the parser predicts.
  fc.tuple(row, fc.integer({ min: 1, max: 40 })).map(([row, times]) => Array<string>(times).fill(row)),
);
const between = fc.constantFrom('\n', '\r\n', '\n\n', ' \n\t', '\n \r\n');

test('the same rows have the same profile in lines and in an array, however the lines are cut', () => {
  fc.assert(
    fc.property(rows, between, fc.array(fc.integer({ min: 1, max: 50 })), (rows, between, lengths) => {
      const lines = pieces(bytesOf(rows.join(between)), lengths);
      expect(profileOf(Format.NDJSON, lines, 7)).toEqual(ofJson(rows, 7));
    }),
  );
});

test('a broken body is refused with the same fault and place, however it is cut', () => {
  const broken = fc.tuple(fc.array(row, { maxLength: 4 }), fc.string(), fc.array(row, { maxLength: 2 }));
  fc.assert(
    fc.property(broken, fc.array(fc.integer({ min: 1, max: 20 })), ([before, wrong, after], lengths) => {
      const bytes = bytesOf([...before, wrong, ...after].join('\n'));
      const whole = feed(Format.NDJSON, [bytes]).status;
      const { found: _, ...refusal } = engine.refusal();
      expect(feed(Format.NDJSON, pieces(bytes, lengths)).status).toBe(whole);
      // Of the text there, which is only a hint, no more is known than has come.
      expect(engine.refusal()).toMatchObject(refusal);
    }),
  );
});

test('each line decides for itself: it is refused exactly when JSON.parse refuses it or it is no object', () => {
  const line = fc.oneof(
    row,
    fc.constantFrom(
      '1',
      '-',
      '1.5e3',
      'true',
      'tru',
      '"x"',
      '"',
      '[',
      '[]',
      '[1',
      '{',
      '{"a"}',
      '{"a":01}',
      '{}{}',
    ),
    fc.string({ unit: fc.constantFrom('{', '}', '"', 'a', ':', ',', '1', ' ', '[', ']'), minLength: 1 }),
  );
  fc.assert(
    fc.property(row, line, (first, line) => {
      fc.pre(line.trim() !== '');
      const { status } = feed(Format.NDJSON, [bytesOf(`${first}\n${line}\n`)]);
      const kind = kindOf(line);
      expect(status).toBe(kind === 'object' ? Status.DONE : Status.FAILED);
      if (kind === 'other') expect(engine.refusal().fault).toBe(Fault.ROW_NOT_OBJECT);
      if (kind === 'broken') expect([Fault.SYNTAX, Fault.TRUNCATED]).toContain(engine.refusal().fault);
    }),
  );
});

function kindOf(line: string): 'object' | 'other' | 'broken' {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? 'object' : 'other';
  } catch {
    return 'broken';
  }
}
