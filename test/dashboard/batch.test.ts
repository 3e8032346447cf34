/** Pasted and dropped content: formats are detected here, and the real service reads the requests. */
import { describe, expect, test } from 'bun:test';
import {
  type Choices,
  delimiterOf,
  EXAMPLE,
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
  fullScan: false,
  dryRun: true,
};

/** The service's answer to content as the page sends it. */
async function screened(text: string | Blob, choices: Partial<Choices> = {}) {
  const content = typeof text === 'string' ? textContent(text) : await fileContent(new File([text], 'rows'));
  const { format, delimiter, charset, blob } = content.ready(choices.charset ?? null);
  const request = await screenRequest(blob, format, { ...CHOICES, delimiter, charset, ...choices });
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
  expect((await screened(rows, { fullScan: true })).body.stats.rows_sampled).toBe(1500);
});

test('the example has something to find', async () => {
  const { status, body } = await screened(EXAMPLE);
  expect([status, body.status]).toEqual([200, 'BLOCK']);
});

describe('rejects with a message what cannot be rows', () => {
  test.each([
    ['nothing', ' \n'],
    ['a workbook', 'PK\u0003\u0004…'],
    ['a PDF', '%PDF-1.7\n'],
    ['Parquet', 'PAR1…'],
  ])('%s', (_, text) => {
    expect(() => formatOf(text)).toThrow(InvalidInput);
  });

  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
  test.each([
    ['gzip', Bun.gzipSync('id\n1\n'), 'compressed'],
    ['zstd', Bun.zstdCompressSync('id\n1\n'), 'compressed'],
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
  expect(sourceFrom('.csv')).toBe('');
});
