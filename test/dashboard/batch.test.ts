/** Pasted and dropped content: formats are detected here, and the real service reads the requests. */
import { describe, expect, test } from 'bun:test';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import {
  type Choices,
  delimiterOf,
  EXAMPLE,
  formatNamed,
  formatOf,
  screenRequest,
  sourceFrom,
  InvalidInput,
} from '../../src/dashboard/batch.ts';
import { fileContent, textContent } from '../../src/dashboard/content.ts';
import { Service } from '../http/service.ts';

const service = new Service();
const CHOICES: Choices = {
  source: 'pasted / ü "q"',
  delimiter: ',',
  charset: 'utf-8',
  options: { dry_run: true },
  coding: null,
};

/** The service's answer to content as the page sends it. */
async function screened(text: string | Blob, choices: Partial<Choices> = {}, name = 'rows') {
  const content = typeof text === 'string' ? textContent(text) : await fileContent(new File([text], name));
  const { format, delimiter, charset, coding, blob } = await content.ready(choices.charset ?? null);
  const request = await screenRequest(blob, format, { ...CHOICES, delimiter, charset, coding, ...choices });
  return service.post(await request.body.bytes(), request.headers);
}

describe('two rows of two fields', () => {
  test.each([
    ['CSV', 'id,name\n1,ann\n2,ben\n'],
    ['CSV with semicolons', 'id;name\n1;ann\n2;ben\n'],
    ['CSV with tabs and a byte order mark', '\ufeffid\tname\n1\tann\n2\tben\n'],
    ['an array', '[{"id":1,"name":"ann"},{"id":2,"name":"ben"}]'],
    ['an array after a byte order mark and space', '\ufeff \n[{"id":1,"name":"ann"},{"id":2,"name":"ben"}]'],
    ['the body of a request', '{"source":"other","rows":[{"id":1,"name":"ann"},{"id":2,"name":"ben"}]}'],
    ['an object on each line', '{"id":1,"name":"ann"}\n{"id":2,"name":"ben"}\n'],
  ])('are found in %s', async (_, text) => {
    const { status, body } = await screened(text);
    expect({ status, message: body.message }).toEqual({ status: 200, message: undefined });
    expect(body.stats).toMatchObject({ rows_received: 2, source: CHOICES.source, dry_run: true });
    expect(body.schema).toEqual({
      id: { type: 'number', confidence: 1 },
      name: { type: 'string', confidence: 1 },
    });
  });
});

test('CSV with a header on a later line, and with backslashes before quotes, is read as is said', async () => {
  const text = 'Orders of May\nid,name\n1,"say \\"hi\\""\n';
  expect((await screened(text)).status).toBe(400);
  const { body } = await screened(text, { headerLine: 2, escapeCharacter: '\\' });
  expect([body.message, body.stats.rows_received, Object.keys(body.schema)]).toEqual([
    undefined,
    1,
    ['id', 'name'],
  ]);
});

describe('a compressed file', () => {
  const CSV = 'id;name\n1;ann\n2;ben\n';
  const JSON_ROWS = '[{"id":1,"name":"ann"},{"id":2,"name":"ben"}]';
  test.each([
    ['CSV in gzip', Bun.gzipSync(CSV)],
    ['CSV in zstd', Bun.zstdCompressSync(CSV)],
    ['JSON in gzip, which is unpacked here', Bun.gzipSync(JSON_ROWS)],
    ['JSON in zstd', Bun.zstdCompressSync(JSON_ROWS)],
    ['JSON lines in gzip', Bun.gzipSync('{"id":1,"name":"ann"}\n{"id":2,"name":"ben"}\n')],
  ])('%s is screened', async (_, file) => {
    const { status, body } = await screened(new Blob([file as Uint8Array<ArrayBuffer>]));
    expect([status, body.message, body.stats?.rows_received]).toEqual([200, undefined, 2]);
    expect(Object.keys(body.schema)).toEqual(['id', 'name']);
  });

  test('that the browser cannot read is of the format that its name tells', () => {
    expect(formatNamed('orders.csv.zst')).toBe('csv');
    expect(formatNamed('a.b.JSONL.zst')).toBe('ndjson');
    expect(() => formatNamed('orders.zst')).toThrow(InvalidInput);
  });
});

test('a file of columns is sent as it is', async () => {
  const table = tableFromArrays({ id: [1, 2], name: ['ann', 'ben'] });
  for (const kind of ['file', 'stream'] as const) {
    const { status, body } = await screened(new Blob([tableToIPC(table, kind) as Uint8Array<ArrayBuffer>]));
    expect([status, body.message, body.stats?.rows_received]).toEqual([200, undefined, 2]);
  }
  const parquet = { blob: new Blob(['PAR1 and no more']), format: 'parquet' };
  const content = await fileContent(new File([parquet.blob], 'rows'));
  expect(content.detected?.format).toBe('parquet');
});

test('options go with any characters, and too long ones are refused', async () => {
  const rules = { fields: { 'ü "😀"': { required: true } } };
  const { body } = await screened('id\n1\n', { options: { dry_run: true, rules } });
  expect(body.issues.rule_violations).toMatchObject([{ field: 'ü "😀"', kind: 'required' }]);
  const long = { description: 'x'.repeat(12_000) };
  await expect(screened('id\n1\n', { options: { rules: long } })).rejects.toThrow('too long');
});

test('one object is one row', async () => {
  expect((await screened('{\n "id": 1\n}')).body.stats.rows_received).toBe(1);
});

test('a row keeps a field __proto__', async () => {
  const { body } = await screened('{"__proto__":1}');
  expect(Object.keys(body.schema)).toEqual(['__proto__']);
});

test('reads another encoding when it is chosen', async () => {
  const latin = new Blob([new Uint8Array([...'name\n'].map(each => each.charCodeAt(0)).concat(0xe9, 0x0a))]);
  await expect(screened(latin)).rejects.toThrow(InvalidInput);
  expect((await screened(latin, { charset: 'windows-1252' })).status).toBe(200);
});

test('detects UTF-16 by its mark, and UTF-8 although the head ends within a character', async () => {
  const units = (text: string, isBig: boolean) =>
    new Blob([
      Buffer.from(`\ufeff${text}`, 'utf16le')[isBig ? 'swap16' : 'valueOf']() as Buffer<ArrayBuffer>,
    ]);
  for (const isBig of [false, true]) {
    const { status, body } = await screened(units('Größe;Ort\n1;Köln\n', isBig));
    expect([status, Object.keys(body.schema)]).toEqual([200, ['Größe', 'Ort']]);
  }
  for (const before of ['', 'x', 'xx'])
    expect((await screened(new Blob([`${before}€\n${'€'.repeat(30_000)}\n`]))).status).toBe(200);
});

test('a full scan reaches the service', async () => {
  const rows = `id\n${Array.from({ length: 1500 }, (_, i) => i).join('\n')}`;
  expect((await screened(rows)).body.stats.rows_sampled).toBe(1000);
  expect(
    (await screened(rows, { options: { dry_run: true, full_scan: true } })).body.stats.rows_sampled,
  ).toBe(1500);
});

test('the example has something to find', async () => {
  const { status, body } = await screened(EXAMPLE);
  expect([status, body.status]).toEqual([200, 'WARN']);
});

describe('rejects with a message what cannot be rows', () => {
  test.each([
    ['nothing', ' \n'],
    ['a workbook', 'PK\u0003\u0004…'],
    ['a PDF', '%PDF-1.7\n'],
  ])('%s', (_, text) => {
    expect(() => formatOf(text)).toThrow(InvalidInput);
  });

  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
  test.each([
    ['damaged gzip', Bun.gzipSync('[{"id":1}]').slice(0, 20), 'damaged'],
    ['bzip2', bytes('425a6839314159'), 'compressed'],
    ['an old workbook', bytes('d0cf11e0a1b11ae1'), 'workbook'],
    ['a picture', bytes('89504e470d0a1a0a'), 'not a text file'],
  ])('%s', async (_, file, word) => {
    await expect(screened(new Blob([file as Uint8Array<ArrayBuffer>]))).rejects.toThrow(word);
  });

  test('an incomplete object', async () => {
    await expect(screened('{"id": 1')).rejects.toThrow(InvalidInput);
  });
});

test('ignores delimiters in quotes', () => {
  expect(delimiterOf('"a,b,c";d\n1;2')).toBe(';');
  expect(delimiterOf('alone\n1')).toBe(',');
});

test('names the source after the file', () => {
  expect(sourceFrom('orders.2026-11.csv')).toBe('orders.2026-11');
  expect(sourceFrom('orders.csv.gz')).toBe('orders');
  expect(sourceFrom('.csv')).toBe('');
});
