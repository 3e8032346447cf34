/** `sluice screen` as typed: verdicts, exit codes, output and errors. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { screenFile } from '../../../bench/cli.ts';
import { parquetOf } from '../../columns/parquet-bytes.ts';
import { SCALE_KEY, Service } from '../../http/service.ts';
import { eventually } from '../../servers/process.ts';
import { commandOf, sourceOf } from '../../servers/program.ts';
import { type Ended, EXAMPLES, Folder, LAUNCHER, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const SOURCE = sourceOf('sluice');

const example = (name: string): string => join(EXAMPLES, name);
const rows = Array.from({ length: 60 }, (_, id) => ({
  id,
  email: id % 2 ? `${id}@corp.com` : null,
  city: 'Wien',
}));
const csv = `id,email,city\n${rows.map(({ id, email, city }) => `${id},${email ?? ''},${city}`).join('\n')}\n`;

/** Differs from one run to the next. */
const OWN = {
  request_id: expect.stringMatching(/^req_/),
  batch_id: expect.stringMatching(/^req_/),
  latency_ms: expect.any(Number),
  timestamp: expect.any(String),
};

const json = ({ stdout }: { stdout: string }) => JSON.parse(stdout);

describe('the verdict is the exit code', () => {
  test('PASS and WARN are 0; with --strict WARN is 1', async () => {
    expect(await sluice(['screen', example('orders-clean.csv')])).toMatchObject({ code: 0, stderr: '' });
    expect((await sluice(['screen', example('orders-broken.json')])).code).toBe(0);
    expect((await sluice(['screen', '--strict', example('orders-broken.json')])).code).toBe(1);
    expect((await sluice(['screen', '--strict', example('orders-clean.csv')])).code).toBe(0);
  });

  test('BLOCK is 2, also if other files are PASS', async () => {
    const files = ['orders-clean.csv', 'orders-broken.csv', 'orders-broken.json'].map(example);
    const { code, stdout } = await sluice(['screen', '--strict', ...files]);
    expect(code).toBe(2);
    expect(stdout.match(/^(PASS|WARN|BLOCK)/gm)).toEqual(['PASS', 'BLOCK', 'WARN']);
  });

  test('an error is 3, after the other files', async () => {
    const { code, stdout, stderr } = await sluice([
      'screen',
      folder.at('absent.csv'),
      example('orders-broken.csv'),
    ]);
    expect([code, stdout.slice(0, 5)]).toEqual([3, 'BLOCK']);
    expect(stderr).toBe(`sluice: ${folder.at('absent.csv')}: There is no such file; check its name\n`);
  });
});

describe('the answer is the service’s own', () => {
  const body = JSON.stringify({ source: 'people', rows, options: { thresholds: { null_rate_warn: 0.6 } } });

  test('of a request object', async () => {
    const file = await folder.write('request.json', body);
    const ended = await sluice(['screen', '--json', file]);
    expect({ ...json(ended), ...OWN }).toEqual({ ...(await new Service().post(body)).body, ...OWN });
  });

  test('of CSV in every format and compression', async () => {
    const served = { ...(await new Service().csv(csv, { 'X-Source': 'people' })).body, ...OWN };
    const tsv = csv.replaceAll(',', '\t');
    const dressed: [string, string | Uint8Array<ArrayBuffer>, string[]][] = [
      ['people.csv', csv, []],
      ['people.csv.gz', Bun.gzipSync(csv), []],
      ['people.CSV.zst', new Uint8Array(Bun.zstdCompressSync(csv)), []],
      ['people.tsv', tsv, []],
      ['people.tsv.gz', Bun.gzipSync(tsv), []],
      ['people.txt', csv.replaceAll(',', ';'), ['--format', 'csv', '--delimiter', ';', '--source', 'people']],
      ['people.dat', Bun.gzipSync(csv), ['--format', 'csv.gz', '--source=people']],
    ];
    for (const [name, content, options] of dressed) {
      const ended = await sluice(['screen', '--json', ...options, await folder.write(name, content)]);
      expect([name, ended.code, { ...json(ended), ...OWN }]).toEqual([name, 0, served]);
    }
  });

  test('of standard input, an array and lines', async () => {
    const served = { ...(await new Service().post(JSON.stringify({ source: 'stdin', rows }))).body, ...OWN };
    const lines = rows.map(row => JSON.stringify(row)).join('\n');
    for (const [format, stdin] of [
      ['json', JSON.stringify(rows)],
      ['ndjson', lines],
      ['ndjson.zst', new Uint8Array(Bun.zstdCompressSync(lines))],
    ] as const) {
      const ended = await sluice(['screen', '--json', '--format', format, '-'], { stdin });
      expect([format, { ...json(ended), ...OWN }]).toEqual([format, served]);
    }
  });

  test('with another charset and with thresholds', async () => {
    const latin = new Uint8Array(Buffer.from('name,n\nJosé,1\nZoë,\n', 'latin1'));
    const file = await folder.write('latin.csv', latin);
    const wrong = await sluice(['screen', '--charset', 'utf-8', file]);
    expect([wrong.code, wrong.stderr]).toEqual([
      3,
      `sluice: ${file}:2: Line 2 holds bytes that are not utf-8; name the charset, as in --charset windows-1252\n`,
    ]);
    const [warned, passed] = [
      await sluice(['screen', '--json', '--charset', 'windows-1252', '--null-rate-warn', '0.4', file]),
      await sluice([
        'screen',
        '--json',
        '--charset',
        'latin1',
        '--null-rate-warn',
        '0.5',
        '--full-scan',
        file,
      ]),
    ];
    expect([json(warned).status, json(passed).status]).toEqual(['WARN', 'PASS']);
  });
});

const numbered = (from: number, to: number, text: (i: number) => string) =>
  Array.from({ length: to - from }, (_, i) => text(from + i)).join('\n');

/** 24,000 rows. Of the rows 10,001 to 20,000 every third has a text for its number, and that on line 10,012 is short. */
const manyRows = folder.write(
  'many.csv',
  `id,n\n${numbered(0, 10_000, i => `${i},${i}`)}\n${numbered(10_000, 20_000, i => (i === 10_010 ? `${i}` : `${i},${i % 3 ? i : 'x'}`))}\n${numbered(20_000, 24_000, i => `${i},${i}`)}\n`,
);
const brokenEnd = async () => folder.write('broken.csv', `${await Bun.file(await manyRows).text()}"open\n`);

describe('a file of any size is one batch', () => {
  test('with one report, of all its rows, and the lines of the file', async () => {
    const file = await manyRows;
    const { code, stdout } = await sluice(['screen', file]);
    expect(code).toBe(0);
    expect(stdout).toStartWith(`WARN   ${file}  24,000 rows  health 0.6222  source 'many'\n`);
    expect(stdout).toContain("warn      'n': 13.9% of the values are not number: ");
    expect(stdout).toContain('lines 10,004 to 20,001\n');
    expect(stdout).toContain('1 row (<0.1%) with more or fewer cells than the header; line 10,012\n');
  });

  test('in which a first column that turns to text is a mismatch, with the lines', async () => {
    const file = await folder.write(
      'turned.csv',
      `n\n${numbered(0, 40_000, i => (i < 20_000 ? `${i / 4}` : 'none yet'))}\n`,
    );
    const { code, stdout } = await sluice(['screen', file]);
    expect([code, stdout]).toEqual([2, expect.stringContaining('lines 20,002 to 40,001')]);
  });

  test('that is not compared with pieces of files, which an older release learned', async () => {
    const baseline = folder.at('pieces.sqlite');
    const options = ['-b', baseline, '-s', 'pieces'];
    const rowOf = (i: number) => ({ n: i, group: `g${Math.floor(i / 4000)}` });
    for (let piece = 0; piece < 5; piece++) {
      const rows = Array.from({ length: 4000 }, (_, i) => rowOf(4000 * piece + i));
      const body = { source: 'pieces', options: { batch_index: piece, total_batches: 5 }, rows };
      await sluice(['screen', ...options, await folder.write(`piece${piece}.json`, JSON.stringify(body))]);
    }
    const whole = Array.from({ length: 20_000 }, (_, i) => JSON.stringify(rowOf(i))).join('\n');
    const file = await folder.write('whole.ndjson', whole);
    const { code, stdout } = await sluice(['screen', ...options, file]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('learning: 0 batches are known')]);
    expect((await sluice(['screen', ...options, file])).stdout).toContain('learning: 1 batch is known');
  });

  test('that is WARN if it was sent before, from the fourth one of a source on', async () => {
    const days = await Promise.all(
      [1, 2, 3, 4].map(day =>
        folder.write(
          `sent${day}.csv`,
          `n\n${numbered(0, 10_001, i => `${(i * 31 + Math.min(day, 3)) % 977}`)}\n`,
        ),
      ),
    );
    const { code, stdout } = await sluice(['screen', '-b', folder.at('sent.sqlite'), '-s', 'sent', ...days]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^WARN .*\n {2}The batch repeats an earlier one/m),
    ]);
    expect(stdout.match(/^PASS /gm)).toHaveLength(3);
  });

  test('of JSON with row numbers of the file, also for the rows to hold back', async () => {
    const rows = Array.from({ length: 10_020 }, (_, i) => ({ n: i === 10_005 ? 'x' : i }));
    for (const [name, text] of [
      ['many.json', JSON.stringify(rows)],
      ['many.ndjson', rows.map(row => JSON.stringify(row)).join('\n')],
    ] as const) {
      const options = ['--json', '--row-verdicts', '--type-mismatch-warn', '0'];
      const { issues, quarantine, stats } = json(
        await sluice(['screen', ...options, await folder.write(name, text)]),
      );
      expect(issues.type_mismatches.n.rows).toEqual([10_005]);
      expect([quarantine.count, quarantine.rows]).toEqual([1, [[10_005, [0]]]]);
      expect([stats.rows_received, stats.sample_ratio]).toEqual([10_020, 1]);
    }
  });

  test('with one report as JSON', async () => {
    const { results, status, issues, stats, schema } = json(
      await sluice(['screen', '--json', await manyRows]),
    );
    expect([results, status, stats.rows_received]).toEqual([undefined, 'WARN', 24_000]);
    expect(issues.ragged_rows).toMatchObject({ count: 1, first_line: 10_012, rows: [10_012] });
    const { rows, span } = issues.type_mismatches.n;
    expect(rows.slice(0, 2)).toEqual([10_004, 10_007]);
    expect(span).toEqual({ first_row: 10_004, last_row: 20_001 });
    expect(schema).toEqual({ id: { type: 'number', confidence: 1 }, n: expect.anything() });
  });

  test('with row verdicts on every row', async () => {
    const { quarantine } = json(await sluice(['screen', '--json', '--row-verdicts', await manyRows]));
    expect(
      quarantine.reasons.map(({ code, count }: { code: string; count: number }) => [code, count]),
    ).toEqual([
      ['type_mismatch', 3333],
      ['ragged', 1],
    ]);
    expect([quarantine.count, quarantine.rows.length]).toEqual([3334, 3334]);
    expect([quarantine.rows[0], quarantine.rows.at(-1)]).toEqual([
      [10_004, [0]],
      [20_000, [0]],
    ]);
  });

  test('that is judged by the files before it in adaptive mode', async () => {
    const days = await Promise.all(
      [1, 2, 3, 4, 5].map(day =>
        folder.write(
          `day${day}.csv`,
          `n\n${numbered(0, 12_000, i => `${(day < 5 ? 1 : 100) * ((i * 31 + day) % 97)}`)}\n`,
        ),
      ),
    );
    const options = ['-b', folder.at('days.sqlite'), '--mode', 'adaptive', '-s', 'days'];
    const { stdout, stderr } = await sluice(['screen', ...options, ...days]);
    expect(stderr).toBe('');
    expect(stdout.match(/^(PASS|WARN|BLOCK) .*12,000 rows/gm)?.map(line => line.split(' ')[0])).toEqual([
      ...['PASS', 'PASS', 'PASS', 'PASS'],
      expect.stringMatching(/WARN|BLOCK/),
    ]);
    expect(stdout).toMatch(/Unusual median of 'n': 4\d00, usually about 4\d/);
    expect((await sluice(['screen', '--mode', 'clever', days[0]!])).stderr).toContain('options.mode');
  });

  test('whose rows are counted', async () => {
    const file = await manyRows;
    const half = await folder.write('half.csv', `id,n\n${numbered(0, 12_000, i => `${i},${i}`)}\n`);
    const screen = async (name: string, ...more: string[]) =>
      json(await sluice(['screen', '--json', '-s', 'rows', ...more, name]));
    const baseline = ['-b', folder.at('rows.sqlite')];
    for (let run = 0; run < 3; run++)
      expect((await screen(file, ...baseline)).issues.row_count_anomaly).toBeUndefined();
    const { issues, decision } = await screen(half, ...baseline);
    expect(issues.row_count_anomaly).toBe(true);
    expect(decision.reason).toContain('Row count 12000 is far below the usual 24000');

    const atLeast = async (min: number) =>
      screen(file, '-r', await folder.write(`min-${min}.json`, JSON.stringify({ rows: { min } })));
    expect((await atLeast(24_000)).status).toBe('WARN');
    const fewer = await atLeast(24_001);
    expect([fewer.status, fewer.decision.reason]).toEqual([
      'BLOCK',
      expect.stringContaining('There are fewer than 24,001 rows'),
    ]);
  });

  test('with a broken end gets no verdict, but an error in one JSON text', async () => {
    const broken = await brokenEnd();
    const ended = await sluice(['screen', '--json', broken, example('orders-clean.csv')]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toStartWith(
      `sluice: ${broken}:24002: The quote that opens on line 24002 is never closed`,
    );
    const { results, status, errors } = json(ended);
    expect(results.map((each: { file: string }) => each.file)).toEqual([example('orders-clean.csv')]);
    expect([status, errors]).toEqual(['PASS', [{ file: broken, line: 24_002, message: expect.any(String) }]]);
    const alone = await sluice(['screen', broken]);
    expect([alone.code, alone.stdout]).toEqual([3, '']);
  });
});

describe('with --url a file of any size is one batch of the server', () => {
  const service = new Service();
  const server = Bun.serve({ port: 0, fetch: request => service.app.handle(request) });
  afterAll(() => server.stop(true));

  const screened = (...args: string[]) =>
    sluice(['screen', '--url', server.url.href, ...args], { environment: { SLUICE_KEY: SCALE_KEY } });
  const same = (ended: { stdout: string }) => {
    const { request_id: _, batch_id, timestamp, latency_ms, ...report } = json(ended);
    return report;
  };

  const some = Array.from({ length: 25_000 }, (_, i) => ({ id: i, n: i % 10_000 === 7 ? 'x' : i }));
  const lines = ['id,n', ...some.map(({ id, n }) => `${id},${n}`)].join('\n');
  const FILES: [string, string | Uint8Array][] = [
    ['url.csv', lines],
    ['url.csv.gz', Bun.gzipSync(lines)],
    ['url-utf16.csv', Buffer.from(`\ufeff${lines.replaceAll(',', ';')}`, 'utf16le')],
    ['url-title.csv', `Orders\n\n${lines}`],
    ['url.json', JSON.stringify(some)],
    ['url-object.json', JSON.stringify({ source: 'url-object.json', rows: some })],
    ['url.ndjson', some.map(row => JSON.stringify(row)).join('\n')],
  ];

  test.each(FILES)(
    '%s has the report and the two parts that it has without a server',
    async (name, content) => {
      const file = await folder.write(name, content);
      const [good, held] = [folder.at('good'), folder.at('held')];
      const options = [
        '--json',
        '--type-mismatch-warn',
        '0',
        '--source',
        name,
        '--good',
        good,
        '--held',
        held,
      ];
      const partsOf = async (ended: Ended) => ({
        ...{ code: ended.code, said: ended.stderr, report: same(ended) },
        parts: [await Bun.file(good).text(), await Bun.file(held).text()],
      });
      const local = await partsOf(await sluice(['screen', ...options, file]));
      expect(await partsOf(await screened(...options, file))).toEqual(local);
      expect([local.code, local.parts[1]!.match(/\b\d*0007\b/g)]).toEqual([0, ['10007', '20007']]);
    },
  );

  test('Parquet, standard input and --rows too', async () => {
    const parquet = await folder.write('url.parquet', parquetOf(['id'], some));
    const wrapped = await folder.write('url-wrapped.json', JSON.stringify({ data: { list: some } }));
    for (const [words, input] of [
      [[parquet]],
      [['--source', 'held', '--row-verdicts', parquet]],
      [['--source', 'chosen', '--columns', 'id', parquet]],
      [['--rows', 'data.list', wrapped]],
      [['--source', 'in', '--format', 'csv', '-'], lines],
    ] as [string[], string?][]) {
      const local = await sluice(['screen', '--json', ...words], input === undefined ? {} : { stdin: input });
      const served = await sluice(['screen', '--json', '--url', server.url.href, ...words], {
        environment: { SLUICE_KEY: SCALE_KEY },
        ...(input !== undefined && { stdin: input }),
      });
      expect([served.code, same(served)]).toEqual([local.code, same(local)]);
      expect(same(served).stats.rows_received).toBe(25_000);
    }
  });

  test('what it refuses is an error with the line of the file, or with what to do', async () => {
    const broken = await brokenEnd();
    const ended = await screened(broken);
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([
      3,
      '',
      expect.stringMatching(
        /rejected it: The quote that opens on line 24002 is never closed \(INVALID_ROWS\)\n$/,
      ),
    ]);
    const object = await folder.write(
      'url-options.json',
      JSON.stringify({ source: 'a', options: { full_scan: true }, rows: some }),
    );
    expect((await screened(object)).stderr).toContain('write its rows alone into a file, as an array');
    const listed = await folder.write('url-listed.json', JSON.stringify({ data: some }));
    expect((await screened('--row-verdicts', '--rows', 'data', listed)).stderr).toContain('leave --url out');
  });
});

describe('--baseline', () => {
  const clean = example('orders-clean.json');
  const broken = example('orders-broken.json');

  test('stores a run, and compares the next run with it', async () => {
    const baseline = folder.at('kept.sqlite');
    expect(json(await sluice(['screen', '--json', '--baseline', baseline, clean]))).not.toHaveProperty(
      'drift',
    );
    const { status, drift } = json(await sluice(['screen', '--json', '--baseline', baseline, broken]));
    const service = new Service();
    await service.post(await Bun.file(clean).text());
    const served = (await service.post(await Bun.file(broken).text())).body;
    expect([status, drift]).toEqual(['BLOCK', served.drift]);
    expect(drift.length).toBeGreaterThan(3);
    // It holds the secret salt.
    expect(statSync(baseline).mode & 0o077).toBe(0);
  });

  test('stores nothing with --dry-run', async () => {
    const baseline = folder.at('dry.sqlite');
    await sluice(['screen', '--baseline', baseline, '--dry-run', clean]);
    const first = json(await sluice(['screen', '--json', '--baseline', baseline, broken]));
    expect([first.drift, first.stats.dry_run]).toEqual([undefined, undefined]);
  });

  test('rejects a file that is no baseline, and does not change it', async () => {
    const text = await folder.write('notes.txt', 'not a database, and long enough to be read'.repeat(50));
    const other = folder.at('other.sqlite');
    const { Database } = await import('bun:sqlite');
    new Database(other).exec('CREATE TABLE theirs (a)');
    for (const file of [text, other, folder.path]) {
      const before = file === folder.path ? null : await Bun.file(file).bytes();
      const { code, stderr } = await sluice(['screen', '--baseline', file, clean]);
      expect([code, stderr]).toEqual([3, expect.stringMatching(/^sluice: [^\n]+\n$/)]);
      expect(stderr).toContain(file);
      if (before) expect(await Bun.file(file).bytes()).toEqual(before);
    }
  });

  test('loses nothing when several runs use it at once', async () => {
    const baseline = folder.at('both.sqlite');
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => sluice(['screen', '-b', baseline, clean])),
    );
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(Array.from({ length: 4 }, () => [0, '']));
    const { stdout } = await sluice(['screen', '--json', '-b', baseline, clean]);
    expect(JSON.parse(stdout).status).toBe('PASS');
  });
});

describe('an input that cannot be read gives one line that says what to do', () => {
  test.each<[string, () => Promise<string[]>, RegExp]>([
    ['an empty file', async () => [await folder.write('empty.csv', '')], /empty\.csv: The file is empty/],
    [
      'a folder without files of a known format',
      async () => [await folder.write('none/x', '').then(() => folder.at('none'))],
      /none: No file in this folder has a name of a known format/,
    ],
    [
      'an unknown extension',
      async () => [await folder.write('rows.dat', 'x')],
      /Neither its name nor its bytes say the format\. Add --format csv/,
    ],
    [
      'a workbook',
      async () => [await folder.write('rows.xlsx', 'PK\x03\x04')],
      /rows\.xlsx: The file is a ZIP archive or a workbook such as \.xlsx, not CSV; save its rows as CSV/,
    ],
    [
      'damaged gzip',
      async () => [await folder.write('bad.csv.gz', 'id\n1\n')],
      /bad\.csv\.gz: This is not complete gzip data/,
    ],
    [
      'half a gzip',
      async () => [await folder.write('half.csv.gz', Bun.gzipSync(csv).slice(0, 60))],
      /not complete gzip data/,
    ],
    [
      'an empty gzip',
      async () => [await folder.write('none.csv.gz', Bun.gzipSync(''))],
      /none\.csv\.gz:1: The CSV is empty/,
    ],
    [
      'a header alone',
      async () => [await folder.write('head.csv', 'a,b\n')],
      /header line but no rows of data/,
    ],
    [
      'invalid JSON',
      async () => [await folder.write('bad.json', '[{"a":1},\n{"a":}]')],
      /bad\.json:2: The file is not JSON: .* offset 15$/m,
    ],
    [
      'JSON that is NDJSON',
      async () => [await folder.write('lines.json', '{"a":1}\n{"a":2}\n')],
      /lines\.json:2: .* offset 8; if each line is one object, add --format ndjson$/m,
    ],
    [
      'CSV named NDJSON',
      async () => [await folder.write('rows.ndjson', csv)],
      /rows\.ndjson:1: .*; if it is CSV, add --format csv$/m,
    ],
    [
      'gzip in gzip',
      async () => [await folder.write('packed.csv.gz', Bun.gzipSync(Bun.gzipSync(csv)))],
      /packed\.csv\.gz: The file is gzip data, not CSV; compress it only once$/m,
    ],
    [
      'a page',
      async () => ['-f', 'csv.zst', await folder.write('page', Bun.zstdCompressSync('<!DOCTYPE html>\n'))],
      /page: The file is an HTML or XML page, not CSV; look where it comes from/,
    ],
    [
      'another charset than the one given',
      async () => [
        '--charset=utf-8',
        await folder.write('wide.csv', new Uint8Array(Buffer.from(`\ufeff${csv}`, 'utf16le'))),
      ],
      /wide\.csv: .* in utf-16le, not in utf-8; name the charset, as in --charset utf-16le$/m,
    ],
    [
      'another delimiter than the one given, between cells in quotes',
      async () => ['-d', ',', await folder.write('bars.csv', '"a"|"b"\n"1"|"2"\n')],
      /bars\.csv:1: .*; if '\|' is the delimiter, add --delimiter '\|'$/m,
    ],
    [
      'a wrong option',
      async () => ['--nul-rate-warn', '1', 'x.csv'],
      /Unknown option '--nul-rate-warn'\. Did you mean --null-rate-warn\? See sluice screen --help/,
    ],
    [
      'a wrong threshold',
      async () => ['--null-rate-warn', '30%', 'x.csv'],
      /--null-rate-warn must be a number from 0 to 1, not "30%"/,
    ],
    [
      'a threshold out of range',
      async () => ['--health-warn', '2', 'x.csv'],
      /--health-warn must be a number from 0 to 1, not 2/,
    ],
    [
      'thresholds that contradict',
      async () => ['--null-rate-warn', '0.5', '--null-rate-block', '0.4', 'x.csv'],
      /--null-rate-warn \(0\.5\) is above --null-rate-block \(0\.4\)/,
    ],
    ['a wrong format', async () => ['--format', 'xml', 'x.csv'], /--format must be csv, tsv|no such file/],
    [
      'a wrong charset',
      async () => ['--charset', 'klingon', example('orders-clean.csv')],
      /--charset "klingon" is unknown/,
    ],
    [
      'the wrong charset',
      async () => ['--charset', 'utf-16le', await folder.write('odd.csv', `${csv}\n`.slice(0, 31))],
      /odd\.csv: Line \d+ holds bytes that are not utf-16le; name the charset, as in --charset/,
    ],
    ['a wrong delimiter', async () => ['-d', '#', example('orders-clean.csv')], /--delimiter must be one of/],
    ['a blank source', async () => ['-s', ' ', example('orders-clean.csv')], /--source must not be blank/],
    ['no file at all', async () => [], /Name a file, or - for standard input/],
    ['standard input twice', async () => ['-f', 'csv', '-', '-'], /only once/],
    [
      'a server and a baseline',
      async () => ['--url', 'http://x', '--baseline', folder.at('u.sqlite'), 'x.csv'],
      /keeps its own baselines/,
    ],
    [
      'adaptive mode without a history',
      async () => ['--mode', 'adaptive', example('orders-clean.csv')],
      /^sluice: --mode adaptive judges by earlier runs: add --baseline FILE or --url URL\n$/,
    ],
    [
      'an output into standard output by its name',
      async () => ['-o', 'text', '-o', 'json=/dev/stdout', example('orders-clean.csv')],
      /^sluice: \/dev\/stdout: This is standard output or error: name the form without =FILE\n$/,
    ],
    ['a server without a key', async () => ['--url', 'http://x', 'x.csv'], /set SLUICE_KEY/],
    [
      'a key with invalid characters',
      async () => ['--url', 'http://x', '--key', 'a…', 'x.csv'],
      /--key or SLUICE_KEY has invalid characters/,
    ],
    ['a key without a server', async () => ['--key', 'x', 'x.csv'], /add --url/],
  ])('%s', async (_, args, said) => {
    const { code, stdout, stderr } = await sluice(['screen', ...(await args())]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^sluice: [^\n]+\n$/);
    expect(stderr).toMatch(said);
    expect(existsSync(folder.at('u.sqlite'))).toBe(false);
  });

  test('nothing on standard input', async () => {
    const { code, stderr } = await sluice(['screen', '-f', 'csv', '-'], { stdin: '' });
    expect([code, stderr]).toEqual([
      3,
      'sluice: -: Standard input is empty; is the command before the pipe right?\n',
    ]);
  });

  test.skipIf(process.getuid?.() === 0)('a file that may not be read', async () => {
    const file = await folder.write('secret.csv', csv);
    chmodSync(file, 0);
    expect((await sluice(['screen', file])).stderr).toContain('You may not read this file');
  });

  test.skipIf(process.getuid?.() === 0)('a folder with one that may not be read', async () => {
    const place = folder.at('closed');
    mkdirSync(join(place, 'secret'), { recursive: true });
    chmodSync(join(place, 'secret'), 0);
    const { code, stderr } = await sluice(['screen', place]);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`sluice: ${place}: A folder cannot be read, so files may be missing: EACCES`),
    ]);
  });

  test('a folder as standard input', async () => {
    const [bun, ...program] = commandOf('sluice');
    const script = 'exec "$@" <"$0"';
    const child = Bun.spawnSync([
      'sh',
      '-c',
      script,
      folder.path,
      bun!,
      ...program,
      'screen',
      '-f',
      'csv',
      '-',
    ]);
    expect([child.exitCode, child.stderr.toString()]).toEqual([
      3,
      expect.stringContaining('sluice: -: Reading the file failed: EISDIR'),
    ]);
  });
});

describe('one column that holds another delimiter', () => {
  const large = (rows: number, more = '') => `a;b\n${'1;2\n'.repeat(rows)}${more}`;

  test('in fewer rows than one has to see is one column', async () => {
    const file = await folder.write('later.csv', `a;b\n${'x\n'.repeat(100)}${'1;2\n'.repeat(20_000)}`);
    expect((await sluice(['screen', file])).code).toBe(0);
  });

  test('is one column where --delimiter says so', async () => {
    const file = await folder.write('said.csv', large(10_001));
    const { code, stdout } = await sluice(['profile', '--delimiter', ',', '--json', file]);
    expect([code, Object.keys(JSON.parse(stdout).fields)]).toEqual([0, ['a;b']]);
  });
});

describe('the output', () => {
  test('escapes control characters in names', async () => {
    const file = await folder.write(
      'tricks.json',
      JSON.stringify([{ '\u001b[31m__proto__': null, 'a\nb': null }]),
    );
    const { stdout } = await sluice(['screen', '--mode', 'contract', '--source', 'x', file]);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('\\u001b[31m__proto__');
    expect(stdout).toContain("'a\\u000ab'");
  });

  test('shows only errors with --quiet', async () => {
    const { code, stdout, stderr } = await sluice(['screen', '-q', example('orders-broken.csv')]);
    expect([code, stdout, stderr]).toEqual([2, '', '']);
  });

  test('takes a file name that begins with a dash after --', async () => {
    await folder.write('-odd.csv', csv);
    expect((await sluice(['screen', '--', '-odd.csv'], { folder: folder.path })).code).toBe(0);
  });

  /** What a terminal receives. */
  async function onTerminal(args: string[], environment: Record<string, string>): Promise<string> {
    let seen = '';
    const terminal = new Bun.Terminal({
      cols: 120,
      rows: 40,
      data: (_, bytes) => {
        seen += new TextDecoder().decode(bytes);
      },
    });
    const child = Bun.spawn([...SOURCE, ...args], {
      env: { TERM: 'xterm', ...environment },
      terminal,
    });
    await child.exited;
    // Output may arrive after the program has ended.
    await eventually(async () => expect(seen).toMatch(/health \d/));
    terminal.close();
    return seen;
  }

  test('has colours and progress only on terminals', async () => {
    const big = await folder.write('big.csv', `id,n\n${'1,2\n'.repeat(200_000)}`);
    const seen = await onTerminal(['screen', big], {});
    expect(seen).toContain('\u001b[32mPASS');
    expect(seen).toMatch(/\[#*-*\] \d+% of 0\.8 MB/);
    const plain = await onTerminal(['screen', example('orders-broken.csv')], { NO_COLOR: '1' });
    for (const code of [1, 31, 32, 33]) expect(plain).not.toContain(`\u001b[${code}m`);
    expect(plain).toContain('BLOCK');
  });
});

describe('an early end', () => {
  test('is silent and gives no verdict when the reader is gone', async () => {
    const program = SOURCE.map(each => `'${each}'`).join(' ');
    const command = `yes 1,x | head -n 30000 | ${program} screen --json -f csv - | true; echo "\${PIPESTATUS[2]}"`;
    const shell = Bun.spawn(['bash', '-c', command], { stdout: 'pipe', stderr: 'pipe' });
    const [stdout, stderr] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
    ]);
    expect([stdout, stderr]).toEqual(['3\n', '']);
  });

  test.skipIf(!existsSync('/dev/full'))(
    'says why the output cannot be written, and gives no verdict',
    async () => {
      for (const args of [['screen', example('orders-clean.csv')], ['--help']]) {
        const child = Bun.spawn([...SOURCE, ...args], { stdout: Bun.file('/dev/full'), stderr: 'pipe' });
        const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
        expect([code, stderr]).toEqual([
          3,
          expect.stringMatching(
            /^sluice: Writing to standard output failed, so the output is incomplete: ENOSPC.*\n$/,
          ),
        ]);
      }
    },
  );

  test('after SIGINT says so and exits with 130, also through the launcher', async () => {
    for (const [i, program] of [SOURCE, ['node', LAUNCHER]].entries()) {
      const good = folder.at(`good-${i}.csv`);
      const child = Bun.spawn([...program, 'screen', '--good', good, '-f', 'csv', '-'], {
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'pipe',
      });
      child.stdin.write(`id,n\n${'1,2\n'.repeat(25_000)}`);
      await child.stdin.flush();
      await eventually(async () => expect(existsSync(`${good}.unfinished`)).toBe(true));
      child.kill('SIGINT');
      const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
      expect([code, stderr]).toEqual([130, 'sluice: interrupted; there is no verdict\n']);
      expect(existsSync(good)).toBe(false);
    }
  });
});

test('a file of 40 MB takes less than 350 MB', async () => {
  const line = `${'1234567890,'.repeat(9)}end\n`;
  const header = `${Array.from({ length: 10 }, (_, i) => `c${i}`).join(',')}\n`;
  const file = await folder.write('large.csv', header + line.repeat(Math.ceil(40e6 / line.length)));
  const { peakRssMb } = await screenFile(file);
  expect(peakRssMb).toBeGreaterThan(20);
  // About 250: each thread has an engine and states of some slices, and the main thread the keys of rows.
  expect(peakRssMb).toBeLessThan(350);
});
