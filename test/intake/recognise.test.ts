/** Bodies that are plainly not of the format their headers name, over HTTP in process. */
import { describe, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { HEAD_BYTES } from '../../src/intake/recognise.ts';
import { type Answer, type BodyContent, Service } from '../http/service.ts';

const service = new Service({ now: Date.now });
const fileOf = (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  Bun.file(join(import.meta.dir, 'files', name)).bytes() as Promise<Uint8Array<ArrayBuffer>>;

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Each character in `width` bytes. */
function wide(text: string, width: 2 | 4, littleEndian: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(text.length * width));
  for (let i = 0; i < text.length; i++) {
    if (width === 2) view.setUint16(i * 2, text.charCodeAt(i), littleEndian);
    else view.setUint32(i * 4, text.charCodeAt(i), littleEndian);
  }
  return new Uint8Array(view.buffer);
}

function inPieces(bytes: Uint8Array, length: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + length));
      at += length;
    },
  });
}

const CSV = { 'Content-Type': 'text/csv', 'X-Source': 'orders' };
const NDJSON = { 'Content-Type': 'application/x-ndjson', 'X-Source': 'orders' };
const as = (charset: string) => ({ 'Content-Type': `text/csv; charset=${charset}` });

const refusal = ({ status, body }: Answer) => `${status} ${body.code}: ${body.message}`;
const csv = (body: BodyContent, headers: Record<string, string> = {}) =>
  service.post(body, { ...CSV, ...headers });

/** The refusal of a body that arrives whole, in pieces and compressed. */
async function refused(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<string> {
  const whole = refusal(await csv(bytes, headers));
  for (const length of [1, 7, HEAD_BYTES])
    expect(refusal(await csv(inPieces(bytes.subarray(0, 4096), length), headers))).toBe(whole);
  const gzip = Bun.gzipSync(bytes) as Uint8Array<ArrayBuffer>;
  const decoded = refusal(await csv(gzip, { ...headers, 'Content-Encoding': 'gzip' }));
  expect(decoded.replace('compress it only once', '')).toBe(whole.replace(/send Content-Encoding: \w+/, ''));
  return whole;
}

const passes = async (body: BodyContent, headers?: Record<string, string>) => {
  const { status, body: answer } = await csv(body, headers);
  expect([status, answer.message]).toEqual([200, undefined]);
  return Object.keys(answer.schema);
};

describe('a file of another format, sent as CSV, is refused and named', () => {
  const save = 'save its rows as CSV or NDJSON and send those';
  test.each([
    ['orders.csv.gz', 'gzip data', 'send Content-Encoding: gzip'],
    ['orders.csv.zst', 'zstd data', 'send Content-Encoding: zstd'],
    ['orders.csv.xz', 'xz data', 'decompress it first'],
    ['orders.csv.bz2', 'bzip2 data', 'decompress it first'],
    ['orders.zip', 'a ZIP archive or a workbook such as .xlsx', save],
    ['orders.xlsx', 'a ZIP archive or a workbook such as .xlsx', save],
    ['orders.xls', 'a workbook such as .xls', save],
    ['orders.tar', 'a tar archive', save],
    ['orders.parquet', 'a Parquet file', 'send Content-Type: application/vnd.apache.parquet'],
    ['orders.arrow', 'an Arrow file', 'send Content-Type: application/vnd.apache.arrow.file'],
    ['orders.arrows', 'an Arrow stream', 'send Content-Type: application/vnd.apache.arrow.stream'],
    ['orders.avro', 'an Avro file', save],
    ['orders.orc', 'binary data', save],
    ['orders.pickle', 'binary data', save],
    ['red.pdf', 'a PDF document', save],
    ['red.png', 'a PNG image', save],
    ['red.jpg', 'a JPEG image', save],
    ['red.gif', 'a GIF image', save],
    ['red.webp', 'a WebP image', save],
    ['red.bmp', 'a BMP image', save],
    ['red.tiff', 'a TIFF image', save],
    ['red.ico', 'binary data', save],
  ])('%s', async (name, what, advice) => {
    const bytes = await fileOf(name);
    const said = refusal(await csv(bytes));
    expect(said).toBe(`400 INVALID_ROWS: The body is ${what}, not CSV; ${advice}`);
    expect(await refused(bytes)).toBe(said);
  });

  test('a Parquet file with an encrypted directory', async () => {
    const bytes = await Bun.file(join(import.meta.dir, '../columns/files/encrypted.parquet')).bytes();
    expect(await refused(bytes)).toBe(
      '400 INVALID_ROWS: The body is an encrypted Parquet file, not CSV; write it without encryption',
    );
  });

  test('a SQLite database', async () => {
    const database = new Database(':memory:');
    database.run('CREATE TABLE orders (id)');
    expect(await refused(database.serialize() as never)).toContain('The body is a SQLite database, not CSV');
  });

  test.each(['orders.xlsx', 'orders.parquet', 'red.png', 'orders.csv.gz'])(
    '%s, also where the charset allows every byte, and whatever the delimiter',
    async name => {
      const headers = { ...as('windows-1252'), 'X-CSV-Delimiter': ';' };
      expect(await refused(await fileOf(name), headers)).toMatch(/The body is (a|gzip).*, not CSV/);
    },
  );

  test('bytes with six different control characters at their beginning, but not with five', async () => {
    expect(await refused(utf8('a\x01\x02\x03\x04,\x05\x06\n1,2\n'))).toContain('is binary data, not CSV');
    expect(await passes('a\x01\x02\x03\x04,\x05\n1,2\n')).toHaveLength(2);
    expect(await passes(`a,b\n${'1,2\n'.repeat(128)}\x01\x02\x03\x04\x05\x06,1\n`)).toEqual(['a', 'b']);
  });
});

describe('text in UTF-16 or UTF-32 without a charset that says so is refused', () => {
  const TEXT = 'id,name\r\n1,Åsa\r\n2,Bo\r\n';
  const CYRILLIC = 'Имя,Город\n1,Киев\n2,Рим\n';

  test.each([
    ['utf-16le', wide(`\ufeff${TEXT}`, 2, true)],
    ['utf-16le', wide(TEXT, 2, true)],
    ['utf-16be', wide(`\ufeff${TEXT}`, 2, false)],
    ['utf-16be', wide(TEXT, 2, false)],
    ['utf-16le', wide(CYRILLIC, 2, true)],
    ['utf-16be', wide(CYRILLIC, 2, false)],
  ])('%s, with the charset to name', async (charset, bytes) => {
    const said = refusal(await csv(bytes));
    expect(said).toBe(
      `400 INVALID_ROWS: The body is text in ${charset}, not in utf-8; name the charset, as in Content-Type: text/csv; charset=${charset}`,
    );
    // The first bytes alone do not tell Cyrillic from UTF-8.
    expect(await refused(bytes)).toBe(said);
    expect(await passes(bytes, as(charset))).toHaveLength(2);
  });

  test.each([
    ['utf-32le', wide(`\ufeff${TEXT}`, 4, true)],
    ['utf-32le', wide(TEXT, 4, true)],
    ['utf-32be', wide(`\ufeff${TEXT}`, 4, false)],
    ['utf-32be', wide(TEXT, 4, false)],
  ])('%s, which has to be converted', async (charset, bytes) => {
    expect(await refused(bytes)).toContain(
      `The body is text in ${charset}, not in utf-8; convert it to UTF-8`,
    );
  });

  test('also under a charset that is another one', async () => {
    for (const charset of ['windows-1252', 'utf-16be'])
      expect(await refused(wide(`\ufeff${TEXT}`, 2, true), as(charset))).toContain(
        `The body is text in utf-16le, not in ${charset}; name the charset`,
      );
  });

  test.each([
    ['NUL is a cell', 'a,b\n\0,1\n\0,2\n'],
    ['NUL ends cells', 'a\0,b\0\n1\0,2\0\n'],
    ['NUL pads cells', 'ab\0\0,cd\0\0\n1\0\0\0,2\0\0\0\n'],
    ['NUL begins cells', 'a,\0b\n1,\x002\n'],
  ])('but not UTF-8 where %s', async (_, text) => {
    expect(await passes(text)).toHaveLength(2);
  });

  test('nor windows-1252 that begins with the letters of a byte order mark', async () => {
    expect(
      await passes(new Uint8Array([0xff, 0xfe, 0x2c, 0x62, 0x0a, 0x31, 0x2c, 0x32]), as('windows-1252')),
    ).toEqual(['ÿþ', 'b']);
  });
});

describe('a page of HTML or XML is refused', () => {
  test.each([
    '<!DOCTYPE html>\n<html><head><title>502</title></head>\n<body>a,b</body></html>\n',
    '\ufeff\n\n  <!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">\n<p>a,b\n',
    '<html>\n<body>Bad Gateway</body></html>\n',
    `<HTML lang="en" class="${'x'.repeat(HEAD_BYTES)}">\n<body></body></html>\n`,
    '<!-- saved from a site -->\n<!DOCTYPE html>\n<html></html>\n',
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>\n',
    '<rss version="2.0">\n  <channel><title>a, b</title></channel>\n</rss>\n',
  ])('%j', async text => {
    const said =
      'The body is an HTML or XML page, not CSV; look where it comes from, and send the rows themselves';
    expect(await refused(utf8(text))).toBe(`400 INVALID_ROWS: ${said}`);
  });

  test('also in the charset that is named', async () => {
    const page = '<!DOCTYPE html>\n<html></html>\n';
    expect(await refused(wide(page, 2, true), as('utf-16le'))).toContain('HTML or XML page');
    expect(await refused(utf8(page), as('windows-1252'))).toContain('HTML or XML page');
  });

  test.each([
    ['cells hold it', 'id,page\n1,<html><body>x</body></html>\n2,"<!DOCTYPE html>\n<p>"\n'],
    ['names are in angle brackets', '<TICKER>,<DATE>,<OPEN>\nA,20260101,1\n'],
    ['a name is an element', '<html>,<url>\nx,y\n'],
    ['a name has markup', '<b>Name</b>,<i>Age</i>\nAnn,1\n'],
    ['the first name is in quotes', '"<!DOCTYPE html>",b\n1,2\n'],
    ['a name is below something', '<5 years,5 to 10\n1,2\n'],
  ])('but not where %s', async (_, text) => {
    expect((await passes(text)).length).toBeGreaterThan(1);
  });
});

describe('one column whose header and every row hold another delimiter is refused', () => {
  const says = (held: string, name: string, now = ',') =>
    `400 INVALID_ROWS: The CSV has one column, and its header and every row hold ${held}: send X-CSV-Delimiter: ${name} if that is the delimiter, or send X-CSV-Delimiter: ${now} if it is text`;

  test.each([
    ["';'", ';', 'a;b\n1;2\n3;4\n'],
    ['a tab', 'tab', 'a\tb\n1\t2\n'],
    ["'|'", '|', '\ufeffa|b\r\n1|2\r\n'],
    ["';'", ';', 'id;price\n1;2,50\n2;3,99\n'],
  ])('%s', async (held, name, text) => {
    expect(await refused(utf8(text))).toBe(says(held, name));
    expect(await passes(text, { 'X-CSV-Delimiter': name })).toHaveLength(2);
  });

  test('also of text/tab-separated-values, and of another charset', async () => {
    const tsv = { 'Content-Type': 'text/tab-separated-values' };
    expect(await refused(utf8('a;b\n1;2\n'), tsv)).toBe(says("';'", ';', 'tab'));
    expect(await refused(wide('a;b\n1;2\n', 2, true), as('utf-16le'))).toBe(says("';'", ';'));
  });

  test('a delimiter that is named is not doubted', async () => {
    expect(await passes('a;b\n1;2\n', { 'X-CSV-Delimiter': ',' })).toEqual(['a;b']);
    expect(
      await passes('a;b\n1;2\n', { 'Content-Type': 'text/tab-separated-values', 'X-CSV-Delimiter': 'tab' }),
    ).toEqual(['a;b']);
  });

  test.each([
    ['only some rows hold it', 'note;text\na;b\nc\n', {}],
    ['the header does not hold it', 'note\na;b\nc;d\n', {}],
    ['the cells are in quotes', '"note;text"\n"a;b"\n', {}],
    ['they hold a comma, as text does', 'a,b\n1,2\n', { 'Content-Type': 'text/tab-separated-values' }],
  ])('but not where %s', async (_, text, headers: Record<string, string>) => {
    expect(await passes(text, headers)).toHaveLength(1);
  });

  test('cells in quotes with another delimiter between them are told which', async () => {
    expect(await refused(utf8('"a";"b"\n"1";"2"\n'))).toBe(
      "400 INVALID_ROWS: Text follows the closing quote of the cell that begins on line 1; if ';' is the delimiter, send X-CSV-Delimiter: ;",
    );
  });
});

describe('JSON', () => {
  const AS_JSON =
    '400 INVALID_ROWS: The body is JSON, not CSV; send Content-Type: application/json, or if each line is one object, send Content-Type: application/x-ndjson';

  test.each(['{"source":"s","rows":[{"a":1}]}\n', '{"a":1}\n{"a":2}\n', '[\n {"a":1},\n {"a":2}\n]\n'])(
    'sent as CSV is refused: %j',
    async text => {
      expect(await refused(utf8(text))).toBe(AS_JSON);
    },
  );

  test.each(['{a},b\n1,2\n', '[id],[name]\n1,2\n', '"{""a"":1}",b\n1,2\n'])(
    'is not every CSV that begins with a bracket: %j',
    async text => {
      expect(await passes(text)).toHaveLength(2);
    },
  );

  test.each([
    ['id,name\n1,a\n', {}, 'unexpected byte at offset 0; if it is CSV, send Content-Type: text/csv'],
    ['"id","name"\n1,a\n', NDJSON, 'if it is CSV, send Content-Type: text/csv'],
    [
      '{"a":1}\n{"a":2}\n',
      {},
      'offset 8; if each line is one object, send Content-Type: application/x-ndjson',
    ],
    ['{\n "a":1\n}\n', NDJSON, 'if it is one JSON text, send Content-Type: application/json'],
    ['[{"a":1}]\n', NDJSON, 'line 1 is not; if it is one JSON text, send Content-Type: application/json'],
    ['<!DOCTYPE html>\n', {}, 'The body is an HTML or XML page, not JSON; look where it comes from'],
    ['<!DOCTYPE html>\n', NDJSON, 'The body is an HTML or XML page, not NDJSON; look where it comes from'],
  ])('refused says what %j may be', async (text, headers, says) => {
    const { status, body } = await service.post(text, headers);
    expect([status, body.message]).toEqual([400, expect.stringContaining(says)]);
  });

  test.each([
    ['{"source":"s","rows":[{"a":1},{"a":}]}', {}],
    ['{"source":"s","rows":[{"a":1}', {}],
    ['{"a":1}\n{"a":}\n', NDJSON],
    [`{"a":"${'x'.repeat(HEAD_BYTES)}"}\n{"a":}\n`, NDJSON],
  ])('refused with no sign of another format says only where it is wrong: %j', async (text, headers) => {
    const { message } = (await service.post(text, headers)).body;
    expect(message).toMatch(/offset \d+(; each line must be one complete object)?$/);
  });

  test.each([
    ['orders.csv.gz', 'The body is gzip data, not JSON; send Content-Encoding: gzip'],
    ['orders.zip', 'The body is a ZIP archive or a workbook such as .xlsx, not JSON'],
  ])('that is %s is INVALID_JSON, and says what it is', async (name, says) => {
    const { body } = await service.post(await fileOf(name));
    expect([body.code, body.message]).toEqual(['INVALID_JSON', expect.stringContaining(says)]);
    const lines = await service.post(await fileOf(name), NDJSON);
    expect([lines.body.code, lines.body.message]).toEqual([
      'INVALID_JSON',
      expect.stringContaining('NDJSON'),
    ]);
  });

  test('in UTF-16 has to be converted', async () => {
    const text = '{"source":"s","rows":[{"a":1}]}';
    for (const bytes of [wide(`\ufeff${text}`, 2, true), wide(text, 2, false)])
      for (const body of [bytes, inPieces(bytes, 1)])
        expect((await service.post(body)).body.message).toMatch(
          /The body is text in utf-16[lb]e, not in utf-8; convert it to UTF-8/,
        );
  });
});

test('a refusal changes nothing: no rows count, no baseline, no job', async () => {
  const own = new Service();
  await own.csv('a;b\n1;2\n');
  expect(await own.rows('SELECT id FROM jobs')).toEqual([]);
  expect((await own.csv('a;b\n1;2\n', { 'X-CSV-Delimiter': ';' })).body.drift).toBeUndefined();
});
