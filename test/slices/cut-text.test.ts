/** Cutting a file into batches: no row is lost or repeated, and positions are those of the file. */
import { describe, expect, test } from 'bun:test';
import '../property/seed.ts';
import fc from 'fast-check';
import { Format, MAX_ROWS } from '../../assembly/abi.ts';
import { slicesOf } from '../../src/slices/cut-text.ts';
import type { Failure } from '../../src/cli/failure.ts';
import { bodyOf, type Slice } from '../../src/slices/slice.ts';
import { FileThreads } from '../../src/cli/screening/file-threads.ts';
import { nameBatch } from '../../src/cli/screening/named-batch.ts';
import { screenedIn } from '../../src/cli/screening/slices.ts';

const MIB = 1024 * 1024;
const threads = await FileThreads.open();

const encoder = new TextEncoder();
const textOf = (batch: Slice): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bodyOf(batch));

/** Pieces share one memory, like those of a file. */
async function* pieces(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = encoder.encode(text);
  const memory = new Uint8Array(length);
  for (let at = 0; at < bytes.length; at += length) {
    const piece = bytes.subarray(at, at + length);
    memory.set(piece);
    yield memory.subarray(0, piece.length);
    memory.fill(0x21);
  }
}

const formatted = (format: Format) => ({ format, delimiter: 0x2c, isDelimiterGiven: false, coding: null });

function batchesIn(
  text: AsyncIterable<Uint8Array>,
  format: Format,
  maxBodyBytes = 32 * MIB,
): AsyncGenerator<Slice> {
  const { records } = threads;
  return slicesOf(text, { ...formatted(format), records, maxBodyBytes });
}

const cut = (
  text: string,
  format: Format,
  { length = 64 * 1024, maxBodyBytes = 32 * MIB } = {},
): Promise<Slice[]> => Array.fromAsync(batchesIn(pieces(text, length), format, maxBodyBytes));

/** Cuts and parses; what is refused. */
async function failureIn(text: AsyncIterable<Uint8Array>, format: Format) {
  const opened = { format: formatted(format), charset: null, hasWideMark: false };
  try {
    for await (const batch of batchesIn(text, format)) {
      const named = nameBatch('file', batch, opened, { source: 's', options: {} });
      await screenedIn(named, threads, () => threads.parse(named));
    }
    return null;
  } catch (error) {
    const { file, line, message } = error as Failure;
    return { file, line, message };
  }
}

const failure = (text: string, format: Format) => failureIn(pieces(text, 64 * 1024), format);

const rowsIn = (batches: Slice[]): number[] => batches.map(({ rows }) => rows);

/** More rows than in two batches. */
const COUNT = 2 * MAX_ROWS + 7;
const indices = Array.from({ length: COUNT }, (_, i) => i);

describe('of every format', () => {
  const rows = indices.map(i => ({ id: i, note: i % 3 === 0 ? `"${i}",\n[]{}é` : null }));
  const cell = (text: string | null) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`);
  const files: [string, Format, string, (batch: Slice) => unknown[]][] = [
    [
      'CSV',
      Format.CSV,
      `id,note\n${rows.map(({ id, note }) => `${id},${cell(note)}`).join('\n')}\n`,
      batch =>
        textOf(batch)
          .match(/^\d+(?=,)/gm)!
          .map(Number),
    ],
    [
      'NDJSON',
      Format.NDJSON,
      rows.map(row => JSON.stringify(row)).join('\r\n'),
      batch => idsOnLines(textOf(batch)),
    ],
    ['a JSON array', Format.JSON, JSON.stringify(rows), batch => idsIn(textOf(batch))],
    [
      'a pretty JSON array with a mark',
      Format.JSON,
      `\ufeff ${JSON.stringify(rows, null, 2)}\n`,
      batch => idsIn(textOf(batch)),
    ],
    [
      'a request object',
      Format.JSON,
      JSON.stringify({ source: 's', rows, more: [1] }),
      batch => idsIn(textOf(batch)),
    ],
  ];
  const idsIn = (body: string) => (JSON.parse(body) as { rows: { id: number }[] }).rows.map(({ id }) => id);
  const idsOnLines = (body: string) =>
    body
      .split('\n')
      .filter(line => line.trim() !== '')
      .map(line => (JSON.parse(line) as { id: number }).id);

  test.each(files)('%s: each row is in one batch, in order', async (_, format, text, idsOf) => {
    for (const length of [997, 70_001, 10 * MIB]) {
      const batches = await cut(text, format, { length });
      expect(rowsIn(batches)).toEqual([MAX_ROWS, MAX_ROWS, 7]);
      expect(batches.flatMap(idsOf)).toEqual(indices);
      expect(batches.map(({ rowsBefore, number, last }) => [rowsBefore, number, last])).toEqual([
        [0, 1, false],
        [MAX_ROWS, 2, false],
        [2 * MAX_ROWS, 3, true],
      ]);
    }
  });

  test('10,000 rows are one batch', async () => {
    const ids = indices.slice(0, MAX_ROWS);
    expect(rowsIn(await cut(`id\n${ids.join('\n')}\n`, Format.CSV))).toEqual([MAX_ROWS]);
    expect(rowsIn(await cut(JSON.stringify(ids.map(id => ({ id }))), Format.JSON))).toEqual([MAX_ROWS]);
    expect(rowsIn(await cut(ids.map(id => `{"id":${id}}\n`).join(''), Format.NDJSON))).toEqual([MAX_ROWS]);
  });

  test('rows without fields count', async () => {
    const empty = indices.map(() => '{}');
    expect(rowsIn(await cut(`[${empty.join(' , ')}]`, Format.JSON))).toEqual([MAX_ROWS, MAX_ROWS, 7]);
    expect(rowsIn(await cut(empty.join('\n'), Format.NDJSON))).toEqual([MAX_ROWS, MAX_ROWS, 7]);
  });
});

/** Line ends in a text. */
const linesEnded = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

test('cutting CSV keeps every byte, and lines are those of the file, whatever ends them', async () => {
  const record = fc.constantFrom('1,2', '"a\nb",', ',"""x"', 'é,"\r\n"', '"",3,4', 'one');
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n');
  // The header record with the first byte that ends it, and what else does.
  const header = fc.constantFrom(
    ['a,b\n', ''],
    ['\ufeffa,b\r', '\n'],
    ['\n"a\n1","b\r\n"\r', ''],
    ['a,"b"\r', ''],
  );
  const records = fc.array(fc.tuple(record, lineEnd), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(header, records, fc.integer({ min: 1000, max: 200_000 }), async (head, some, length) => {
      const period = some.map(pair => pair.join('')).join('');
      const times = Math.ceil(COUNT / some.length);
      const file = head.join('') + period.repeat(times);
      const batches = await cut(file, Format.CSV, { length });
      const opening = head.join('');
      let joined = textOf(batches[0]!);
      for (const batch of batches.slice(1)) {
        const body = textOf(batch);
        expect(body.slice(0, opening.length)).toBe(opening);
        expect(batch.linesBefore + linesEnded(opening)).toBe(linesEnded(joined));
        joined += body.slice(opening.length);
      }
      expect(joined).toBe(file);
      expect(rowsIn(batches).reduce((sum, rows) => sum + rows, 0)).toBe(times * some.length);
    }),
    { numRuns: 12 },
  );
});

describe('a batch that is full before 10,000 rows', () => {
  const rowOf = (fields: number, row: number) =>
    Object.fromEntries(Array.from({ length: fields }, (_, i) => [`f${i}`, row + i]));
  // 2,000,000 cells are 4,000 rows of 500 fields.
  const wide = Array.from({ length: 4100 }, (_, row) => rowOf(500, row));
  const wideCsv = [Object.keys(wide[0]!), ...wide.map(row => Object.values(row))];

  test.each([
    ['CSV', Format.CSV, wideCsv.map(cells => cells.join(',')).join('\n')],
    ['JSON', Format.JSON, JSON.stringify(wide)],
    ['NDJSON', Format.NDJSON, wide.map(row => JSON.stringify(row)).join('\n')],
  ])('of cells: %s', async (_, format, text) => {
    const batches = await cut(text, format, { length: 256 * 1024 });
    expect(rowsIn(batches)).toEqual([4000, 100]);
    const last = textOf(batches[1]!);
    if (format === Format.JSON) expect(JSON.parse(last).rows).toEqual(wide.slice(4000));
    if (format === Format.NDJSON) expect(JSON.parse(last.trim().split('\n')[0]!)).toEqual(wide[4000]!);
    if (format === Format.CSV) expect(last.split(/\n+/)[1]).toBe(wideCsv[4001]!.join(','));
  });

  test.each(['\n', '\r\n', '\r'])(
    'keeps the line end of its last row, so that no row seems to end early: %j',
    async end => {
      const lines = wideCsv.map(cells => cells.slice(1).join(','));
      const batches = await cut(lines.join(end), Format.CSV, { length: 256 * 1024 });
      expect(batches.map(batch => textOf(batch).endsWith(end))).toEqual([true, false]);
    },
  );

  const small = { maxBodyBytes: 4096 };
  const narrow = Array.from({ length: 300 }, (_, id) => ({
    id,
    text: 'x'.repeat(id % 50),
    list: [{ a: id }],
  }));

  test.each([
    ['CSV', Format.CSV, `id,text\n${narrow.map(({ id, text }) => `${id},"${text}\n"`).join('\r\n')}\r\n`],
    ['JSON', Format.JSON, JSON.stringify(narrow, null, 1)],
    ['NDJSON', Format.NDJSON, narrow.map(row => JSON.stringify(row)).join('\n')],
  ])('of bytes: %s', async (_, format, text) => {
    const id = format === Format.CSV ? /^\d+(?=,)/gm : /(?<="id": ?)\d+(?=,)/g;
    for (const length of [100, 1000, 100_000]) {
      const batches = await cut(text, format, { length, ...small });
      expect(batches.length).toBeGreaterThan(2);
      expect(Math.max(...batches.map(batch => bodyOf(batch).length))).toBeLessThanOrEqual(4096);
      expect(rowsIn(batches).reduce((sum, rows) => sum + rows)).toBe(300);
      const ids = batches.flatMap(batch => textOf(batch).match(id)!);
      expect(ids.map(Number)).toEqual(narrow.map(row => row.id));
    }
  });

  test.each([
    ['CSV', Format.CSV, `id\n1\n${'x'.repeat(5000)}\n`],
    ['JSON', Format.JSON, `[{"id":1},{"id":"${'}],'.repeat(2000)}"}]`],
    ['NDJSON', Format.NDJSON, `{"id":1}\n{"id":"${'x'.repeat(5000)}"}\n`],
  ])('ends within a row that is too large for a batch: %s', async (_, format, text) => {
    const seen: unknown[] = [];
    const reading = async () => {
      for await (const { rowsBefore, isCutOff } of batchesIn(pieces(text, 64 * 1024), format, 4096))
        seen.push([rowsBefore, isCutOff]);
    };
    await expect(reading()).rejects.toThrow();
    expect(seen).toEqual([
      [0, false],
      [1, true],
    ]);
  });
});

describe('an error has its position in the file', () => {
  const many = (line: string): string => `${line}\n`.repeat(MAX_ROWS);

  test('an open quote in the second batch of CSV', async () => {
    const { line, message } = (await failure(`"a\nb"\n${many('1')}"x\n`, Format.CSV))!;
    expect([line, message]).toEqual([MAX_ROWS + 3, expect.stringContaining(`line ${MAX_ROWS + 3}`)]);
  });

  test('bytes that are not UTF-8', async () => {
    const bad = async function* () {
      yield encoder.encode(`a\n${many('1')}`);
      yield new Uint8Array([0xe9, 0x0a]);
    };
    expect((await failureIn(bad(), Format.CSV))!.message).toBe(
      `Line ${MAX_ROWS + 2} holds bytes that are not utf-8; name the charset, as in --charset windows-1252`,
    );
  });

  test('a line of NDJSON', async () => {
    const { line, message } = (await failure(`${many('{"a":1}')}{"a":}\n`, Format.NDJSON))!;
    expect([line, message]).toEqual([
      MAX_ROWS + 1,
      expect.stringContaining(`Line ${MAX_ROWS + 1} is not JSON`),
    ]);
  });

  test('an item of a JSON array that is no row, and an invalid byte', async () => {
    const items = `[\n${many('{"a":1},')}`;
    const noRow = (await failure(`${items}5]`, Format.JSON))!;
    expect([noRow.line, noRow.message]).toEqual([
      MAX_ROWS + 2,
      expect.stringContaining(`index ${MAX_ROWS} `),
    ]);
    const text = `${items}{"a":x}]`;
    const noJson = (await failure(text, Format.JSON))!;
    expect([noJson.line, noJson.message]).toEqual([
      MAX_ROWS + 2,
      `The file is not JSON: unexpected byte at offset ${text.indexOf('x')}`,
    ]);
  });

  test.each([
    ...[
      '',
      '[]',
      '[{"a":1}',
      '[{"a":1},]',
      '[{"a":1}]]',
      '[{"a":1}]}',
      '[{"a":1}],"b":2',
      '[{"a":1}] x',
      '[5]',
    ],
    ...['5', '"rows"', '{}', '{"rows":[]}', '{"rows":{}}', '{"rows":[{}]}}', '{"rows":[{}]'],
  ])('JSON without rows, or with text after them: %s', async text => {
    expect(await failure(text, Format.JSON)).toMatchObject({ file: 'file' });
  });

  test('text after an array of several batches', async () => {
    const items = `[${many('{"a":1},')}{"a":2}]`;
    expect(rowsIn(await cut(items, Format.JSON))).toEqual([MAX_ROWS, 1]);
    const { line, message } = (await failure(`${items}\n,"b":2`, Format.JSON))!;
    expect([line, message]).toEqual([MAX_ROWS + 2, expect.stringContaining(`offset ${items.length + 1}`)]);
  });
});

describe('a request object', () => {
  const rows = JSON.stringify(indices.map(id => ({ id })));
  const said = { source: 'shop', options: { full_scan: true } };

  test('has source and options', async () => {
    const [batch] = await cut('{"rows":[{}],"options":{"full_scan":true},"source":"shop"}', Format.JSON);
    expect(batch!.said).toEqual(said);
  });

  test.each(['"rows":[{"id":"]\\"}"}]', '"r\\u006fws":[{}]', '"note":[["]"]],"rows":[{}]'])(
    'of several batches has rows only once: %s after them is rejected',
    async more => {
      const before = `{"rows":[${'{"id":"[\\\\","list":[[1],{"a":"]"}]},'.repeat(MAX_ROWS)}{"id":2}]`;
      const { message } = (await failure(`${before},${more}}`, Format.JSON))!;
      expect(message).toContain('must have rows only once');
      expect(rowsIn(await cut(`${before},"note":{"rows":"]"}}`, Format.JSON))).toEqual([MAX_ROWS, 1]);
    },
  );

  test('of several batches has them before its rows', async () => {
    const text = `{"source":"shop","options":{"full_scan":true},"rows":${rows},"note":1}`;
    expect((await cut(text, Format.JSON)).map(batch => batch.said)).toEqual([said, said, said]);
    const { message } = (await failure(`{"rows":${rows},"source":"shop"}`, Format.JSON))!;
    expect(message).toContain('must come before rows');
  });
});
