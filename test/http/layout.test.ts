/** Bodies that are no table, or seem to be none, over HTTP. */
import { expect, test } from 'bun:test';
import { Service } from './service.ts';

const jsonBody = (value: object) => new TextEncoder().encode(JSON.stringify(value));
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => `A-${i},name ${i % 7},${i * 1.5}\n`).join('');
const table = `id,name,price\n${rows(20)}`;

test('a title is refused with the header to send, and that header reads it', async () => {
  const service = new Service();
  const { status, body } = await service.csv(`Orders of March\n\n${table}`);
  expect([status, body.code, body.message]).toEqual([
    400,
    'INVALID_ROWS',
    'The table seems to begin on line 3: lines 1 to 2 are a title or notes. If so, send X-CSV-Header-Line: 3; if line 1 is the header, send X-CSV-Header-Line: 1',
  ]);
  const read = await service.csv(`Orders of March\n\n${table}`, { 'X-CSV-Header-Line': '3' });
  expect([read.status, Object.keys(read.body.schema)]).toEqual([200, ['id', 'name', 'price']]);
});

test.each(['0', '-1', '1.5', 'two', '10001'])('X-CSV-Header-Line: %s is refused', async line => {
  const { status, body } = await new Service().csv(table, { 'X-CSV-Header-Line': line });
  expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
});

test('a header behind the end of the body is refused', async () => {
  const { body } = await new Service().csv(table, { 'X-CSV-Header-Line': '500' });
  expect(body.message).toContain('nothing where its header should be');
});

test('a repeated header is a WARN that names and holds its rows', async () => {
  const { body } = await new Service().csv(table + table, {
    'X-Options': JSON.stringify({ row_verdicts: true }),
  });
  expect(body.status).toBe('WARN');
  expect(body.issues.layout).toEqual([
    {
      sign: 'header_repeated',
      count: 1,
      lines: [22],
      rows: [22],
      detail: 'The header is repeated on line 22, as in files that were joined; remove the repeated lines',
      severity: 'warning',
    },
  ]);
  expect(body.decision.reason).toContain(body.issues.layout[0].detail);
  expect(body.quarantine.reasons).toContainEqual(
    expect.objectContaining({ code: 'layout', field: '*', count: 1, severity: 'warning' }),
  );
  expect(body.quarantine.rows.map(([row]: [number]) => row)).toContain(22);
});

test('rows under another name are named', async () => {
  const { body } = await new Service().post(jsonBody({ source: 's', meta: {}, data: [{ id: 1 }] }));
  expect(body.message).toBe(
    "rows is missing; it must be an array with at least one object; 'data' holds objects: if those are the rows, send them as rows",
  );
});

test('rows without a field are refused', async () => {
  const service = new Service();
  const { status, body } = await service.post(jsonBody({ source: 's', rows: [{}, {}, {}] }));
  expect([status, body.message]).toEqual([400, 'None of the 3 rows has a field: look at what writes them']);
  expect((await service.lines('{}\n')).status).toBe(400);
});

test('the only row may be an error message', async () => {
  const { body } = await new Service().post(
    jsonBody({ source: 's', rows: [{ error: 'not found', status: 404 }] }),
  );
  expect([body.status, body.issues.layout[0].sign, body.issues.layout[0].rows]).toEqual([
    'WARN',
    'error_message',
    [0],
  ]);
});

test('the encoding is guessed', async () => {
  const text = Buffer.from(
    `id,city\n${'1,\xcc\xee\xf1\xea\xe2\xe0\n2,\xca\xe0\xe7\xe0\xed\xfc\n3,\xd1\xe0\xec\xe0\xf0\xe0\n'.repeat(20)}`,
    'latin1',
  );
  const { body } = await new Service().csv(new Uint8Array(text));
  expect(body.message).toBe(
    'Line 2 holds bytes that are not utf-8, but perhaps windows-1251; name the charset, as in Content-Type: text/csv; charset=windows-1251',
  );
});

test('a pointer of Git LFS is named', async () => {
  const { body } = await new Service().csv(
    'version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 8\n',
  );
  expect(body.message).toBe(
    'The body is a Git LFS pointer, not CSV; run git lfs pull, and send the file that it fetches',
  );
});

test('backslashes before quotes are named, and X-CSV-Escape reads them', async () => {
  const text = 'id,text,n\n1,"say \\"hi\\", ok",3\n2,"a \\"b\\", c",4\n';
  const service = new Service();
  expect((await service.csv(text)).body.message).toBe(
    'Text follows the closing quote of the cell that begins on line 2; if \\ stands before quotes that are text, send X-CSV-Escape: \\',
  );
  const { status, body } = await service.csv(text, { 'X-CSV-Escape': '\\' });
  expect([status, body.status, body.issues]).toEqual([200, 'PASS', undefined]);
  expect((await service.csv(text, { 'X-CSV-Escape': '/' })).body.code).toBe('INVALID_PARAMETER');
});
