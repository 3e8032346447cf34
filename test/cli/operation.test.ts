/** The commands around a service: profile, keys, migrate, doctor, completion, help, and a server that screens. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allCommands } from '../../src/cli/commands.ts';
import { KEY, Server } from '../e2e/server.ts';
import { freePort } from '../servers/process.ts';
import { EXAMPLES, Folder, LAUNCHER, sluice } from './sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());
const example = (name: string): string => join(EXAMPLES, name);

describe('sluice profile', () => {
  test('describes every field with text and a histogram', async () => {
    const { code, stdout } = await sluice(['profile', example('sensors-clean.csv')]);
    expect(code).toBe(0);
    expect(stdout).toStartWith(`${example('sensors-clean.csv')}: 200 rows, 6 fields\n`);
    for (const name of ['temperature', 'humidity', 'battery_mv'])
      expect(stdout).toContain(`'${name}'\n    number; null`);
    expect(stdout).toMatch(/^ {4}-?[\d.]+ [▁▂▃▄▅▆▇█ ]{20} -?[\d.]+$/m);
    expect(stdout).toMatch(/^ {4}mean .*, deviation .*; quartiles .*, .*, .*$/m);
  });

  test('gives as JSON what the service stores with the job', async () => {
    const file = await folder.write(
      'p.json',
      JSON.stringify([{ a: 1, b: true }, { a: 3 }, { a: null, b: false }]),
    );
    const { fields } = JSON.parse((await sluice(['profile', '--json', file])).stdout);
    expect(fields.a).toMatchObject({ present: 3, nulls: 1, numbers: { count: 2, min: 1, max: 3, mean: 2 } });
    expect(fields.b).toMatchObject({ present: 2, booleans: { true: 1, false: 1 } });
  });

  test('describes all rows of a long file', async () => {
    const rows = Array.from(
      { length: 45_000 },
      (_, i) => `${i},${i % 22_500 < 10_000 ? i % 7 : 'x'},${i % 3 ? '' : 'é'}`,
    );
    const file = await folder.write('long.csv', `n,m,t\n${rows.join('\n')}\n`);
    expect((await sluice(['profile', file])).stdout).toContain('long.csv: 45,000 rows, 3 fields\n');
    const { n, m, t } = JSON.parse((await sluice(['profile', '--json', file])).stdout).fields;
    expect(n).toMatchObject({
      present: 45_000,
      nulls: 0,
      numbers: { count: 45_000, min: 0, max: 44_999, mean: 22_499.5 },
    });
    expect(Math.abs(n.numbers.quantiles['0.25'] - 11_250)).toBeLessThan(225);
    expect(Math.abs(n.distinct / 45_000 - 1)).toBeLessThan(0.03);
    expect(n.numbers.histogram.counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(45_000);
    expect(m).toMatchObject({ types: { number: 0, string: 45_000 }, distinct: 8 });
    // Slices that were read as numbers have not listed them as texts.
    expect(m.top_values).toBeUndefined();
    expect(t).toMatchObject({ nulls: 30_000, top_values: [{ value: 'é', count: 15_000 }] });
  });

  test('settles the type of a column over the whole file', async () => {
    const zips = Array.from(
      { length: 25_000 },
      (_, i) => `${String(4_000 * i).padStart(9, '0')},${i < 12_000 ? 'NA' : `t${i % 5}`}`,
    );
    const file = await folder.write('zips.csv', `zip,note\n${zips.join('\n')}\n`);
    const { zip, note } = JSON.parse((await sluice(['profile', '--json', file])).stdout).fields;
    expect(zip).toMatchObject({ types: { string: 25_000, number: 0 }, nulls: 0 });
    expect(zip.numbers).toBeUndefined();
    expect(note).toMatchObject({ types: { string: 25_000 }, nulls: 0, distinct: 6 });
    expect(note.top_values[0]).toEqual({ value: 'NA', count: 12_000 });
  });

  test('a short end of a file that looks otherwise changes no figure of the whole', async () => {
    const numbers = [...Array.from({ length: 10_000 }, (_, i) => String(i % 7)), '01', '2000000'];
    const mails = numbers.map((_, i) => (i < 10_000 ? 'a@b.com' : 'ab'));
    const lines = numbers.map((number, i) => `${number},${mails[i]}`);
    const file = await folder.write('tail.csv', `a,mail\n${lines.join('\n')}\n`);
    const { a, mail } = JSON.parse((await sluice(['profile', '--json', file])).stdout).fields;
    expect(a).toMatchObject({
      types: { number: 10_001, string: 1 },
      numbers: { count: 10_001, max: 2_000_000 },
    });
    expect(mail.statistics.email_share).toBeGreaterThan(0.99);
  });

  test('names the line of the file that cannot be read, however many slices come before it', async () => {
    const lines = Array.from({ length: 31_000 }, (_, i) => (i === 30_500 ? '"a"b' : String(i)));
    const file = await folder.write('broken.csv', `n\n${lines.join('\n')}\n`);
    const { code, stderr } = await sluice(['profile', file]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(':30502')]);
  });

  test('profiles any batch of a file, and says how many there are', async () => {
    const file = await folder.write(
      'deep.csv',
      `n\n${Array.from({ length: 10_500 }, (_, i) => i).join('\n')}\n`,
    );
    expect((await sluice(['profile', '--batch', '1', file])).stdout).toContain(
      'rows 1–10,000 (more follow: --batch 2), 1 fields',
    );
    const { numbers } = JSON.parse((await sluice(['profile', '--batch', '2', '--json', file])).stdout).fields
      .n;
    expect([numbers.count, numbers.min, numbers.max]).toEqual([500, 10_000, 10_499]);
    const beyond = await sluice(['profile', '--batch', '3', file]);
    expect([beyond.code, beyond.stderr]).toEqual([
      3,
      expect.stringContaining('2 batches of 10,000 rows; there is no batch 3'),
    ]);
  });
});

describe('with a server', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const screened = (args: string[], environment: Record<string, string> = { SLUICE_KEY: KEY }) =>
    sluice(['screen', '--json', '--url', server.url, ...args], { environment });

  test('screen --url prints the server’s answer, and the server stores the job', async () => {
    const file = await folder.write(
      'shop ä.csv.gz',
      Bun.gzipSync(await Bun.file(example('orders-broken.csv')).bytes()),
    );
    const { code, stdout } = await screened(['--null-rate-warn', '0.9', file]);
    const answer = JSON.parse(stdout);
    expect([code, answer.status, answer.stats.source]).toEqual([2, 'BLOCK', 'shop ä']);
    expect(answer.issues).not.toHaveProperty('null_rates');
    const job = await fetch(`${server.url}/v1/jobs/${answer.request_id}`, { headers: { 'X-API-Key': KEY } });
    expect(((await job.json()) as { report: unknown }).report).toEqual(answer);
  });

  test('rules that are too large for a header are refused with what to do, and JSON takes them', async () => {
    const rules = async (length: number) => {
      const words = Array.from({ length: 99 }, (_, i) => `${i}`.padEnd(length, 'ä'));
      return folder.write(
        'large.rules.json',
        JSON.stringify({ fields: { id: { enum: words, severity: 'warn' } } }),
      );
    };
    const csv = await folder.write('ids.csv', 'id\n1\n2\n');
    const named = ['--source', 'ids', '--rules', await rules(30)];
    const { code, stderr } = await screened([...named, csv]);
    expect([code, stderr]).toEqual([
      3,
      `sluice: ${csv}: The options have 17,263 bytes, and all headers of a request may have 16,384: store the rules with PUT ${server.url}/v1/schema/ids/rules instead of sending them with each batch\n`,
    ]);
    expect((await screened([...named, await folder.write('ids.json', '[{"id":1}]')])).code).toBe(0);
    expect((await screened(['--source', 'ids', '--rules', await rules(26), csv])).code).toBe(0);
  });

  test('a file of any length is one job with all of its rows', async () => {
    for (const count of [20_100, 30_100]) {
      const text = Array.from({ length: count }, (_, i) => `{"id":${i + count}}`).join(',\n');
      const file = await folder.write('lots.json', `{"source":"lots","rows":[${text}]}`);
      const { stats } = JSON.parse((await screened([file])).stdout);
      expect(stats.rows_received).toBe(count);
    }
    const answer = await fetch(`${server.url}/v1/jobs?source=lots`, { headers: { 'X-API-Key': KEY } });
    const { jobs } = (await answer.json()) as { jobs: unknown[] };
    expect(jobs).toHaveLength(2);
  });

  test('shows the server’s message when it rejects a request, also while a long file is sent', async () => {
    const long = await folder.write('long.csv', `n\n${'1\n'.repeat(8_000_000)}`);
    for (const file of [example('orders-clean.csv'), long])
      expect(await screened([file], { SLUICE_KEY: `${KEY}x` })).toMatchObject({
        code: 3,
        stderr: `sluice: ${file}: ${server.url} rejected it: No account has this API key (AUTH_INVALID)\n`,
      });
  });

  test('a key of keys create works at once, for its account', async () => {
    const environment = { DATA_DIR: server.folder };
    const made = await sluice(['keys', 'create', '--name', 'nightly'], { environment });
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("'nightly'")]);
    const key = made.stdout.trim();
    expect(key).toMatch(/^sluice_live_\w{43}$/);
    expect((await screened([example('orders-clean.json')], { SLUICE_KEY: key })).code).toBe(0);
    const ann = ['keys', 'create', '--json', '--email', 'Ann@Corp.com'];
    expect((await sluice(ann, { environment })).stderr).toContain(
      "No account has the address 'ann@corp.com'",
    );
    const first = JSON.parse((await sluice([...ann, '--new-account'], { environment })).stdout);
    const second = JSON.parse(
      (await sluice(['keys', 'create', '--json', '--account', first.account], { environment })).stdout,
    );
    expect(second.account).toBe(first.account);
    const list = await fetch(`${server.url}/v1/keys`, { headers: { 'X-API-Key': second.key } });
    expect(((await list.json()) as { keys: { id: string }[] }).keys.map(({ id }) => id).sort()).toEqual(
      [first.id, second.id].sort(),
    );
  });

  test('doctor finds Sluice on its port', async () => {
    const { stdout } = await sluice(['doctor'], {
      environment: { DATA_DIR: server.folder, PORT: String(server.port) },
    });
    expect(stdout).toContain(`Sluice is running on 127.0.0.1:${server.port}`);
  });
});

describe('a wrong server', () => {
  const VERDICT = {
    status: 'PASS',
    health_score: 1,
    decision: { action: 'PASS', reason: 'fine' },
    stats: { rows_received: 120, rows_sampled: 120, source: 'orders' },
  };
  /** Screens on a server that answers so. */
  async function screenedBy(answer: (request: Request) => Response, more: string[] = ['--quiet']) {
    using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
    const args = ['screen', ...more, '--url', server.url.href, example('orders-clean.json')];
    return await sluice(args, { environment: { SLUICE_KEY: KEY } });
  }

  test('gives no PASS without a verdict on the rows that were sent', async () => {
    const fewer = { ...VERDICT.stats, rows_received: 119 };
    const other = { ...VERDICT.stats, source: 'customers' };
    const mixedUp = [fewer, other].map(stats => ({ ...VERDICT, stats }));
    for (const answer of [{}, null, [], { ...VERDICT, status: 'FINE' }, ...mixedUp]) {
      const { code, stderr } = await screenedBy(() => Response.json(answer));
      expect([code, stderr]).toEqual([
        3,
        expect.stringMatching(/no verdict|no JSON object|other rows|mix up answers/),
      ]);
    }
    expect((await screenedBy(() => new Response('<form>Sign in</form>'))).code).toBe(3);
    expect((await screenedBy(() => Response.json(VERDICT))).code).toBe(0);
  });

  test('the key is not sent elsewhere, and is hidden in answers', async () => {
    const elsewhere = await screenedBy(
      () => new Response(null, { status: 307, headers: { Location: 'http://127.0.0.1:1/' } }),
    );
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      3,
      expect.stringContaining('to http://127.0.0.1:1/'),
    ]);
    const echo = (request: Request) => request.headers.get('X-API-Key')!;
    const refused = await screenedBy(request =>
      Response.json({ message: echo(request), code: 'X' }, { status: 401 }),
    );
    const passed = await screenedBy(
      request => Response.json({ ...VERDICT, decision: { action: 'PASS', reason: echo(request) } }),
      ['--json'],
    );
    expect([refused.code, passed.code]).toEqual([3, 0]);
    expect(JSON.stringify([refused, passed])).not.toContain(KEY);
    const broken = await sluice([
      'screen',
      '--url',
      'http://127.0.0.1:1',
      '--key',
      `${KEY}\nX-A: b`,
      example('orders-clean.json'),
    ]);
    expect([broken.code, broken.stderr]).toEqual([3, expect.stringContaining('has invalid characters')]);
    expect(broken.stderr).not.toContain(KEY);
  });

  test('has no say on a file of many rows either, and does not get its key', async () => {
    const file = await folder.write('many-orders.ndjson', '{"a":1}\n'.repeat(10_001));
    const stats = { ...VERDICT.stats, rows_received: 10_001, source: 'many-orders' };
    const by = async (answer: (request: Request) => Response) => {
      using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
      return await sluice(['screen', '--json', '--url', server.url.href, file], {
        environment: { SLUICE_KEY: KEY },
      });
    };
    expect((await by(() => Response.json({ ...VERDICT, stats }))).code).toBe(0);
    for (const other of [
      VERDICT,
      { ...VERDICT, stats: { ...stats, source: 'x' } },
      { ...VERDICT, stats: { ...stats, rows_received: 9999 } },
      {},
    ])
      expect((await by(() => Response.json(other))).code).toBe(3);
    const headers = { Location: 'http://127.0.0.1:1/' };
    const elsewhere = await by(() => new Response(null, { status: 307, headers }));
    expect(elsewhere).toMatchObject({ code: 3, stderr: expect.stringContaining('to http://127.0.0.1:1/') });
    const echo = (request: Request) => request.headers.get('X-API-Key')!;
    const refused = await by(request =>
      Response.json({ message: echo(request), code: 'X' }, { status: 400 }),
    );
    expect([refused.code, JSON.stringify(refused).includes(KEY)]).toEqual([3, false]);
  });

  test('control characters in its answer are escaped', async () => {
    const evil = '\u001b[2J\u202eevil\nsluice: fine';
    const decision = { action: 'PASS', reason: evil };
    const drift = [{ field: 'a', kind: 'field_added', severity: evil, detail: evil }];
    const { stdout } = await screenedBy(() => Response.json({ ...VERDICT, decision, drift }), []);
    expect(stdout.split('\n')).toHaveLength(4);
    const { stderr } = await screenedBy(
      () => Response.json({ message: evil, code: 'X' }, { status: 400 }),
      [],
    );
    expect(stderr).toMatch(/^sluice: [^\n]+\n$/);
    for (const obeyed of ['\u001b', '\u202e']) expect(stdout + stderr).not.toContain(obeyed);
  });

  test('retries after an incomplete answer', async () => {
    let asked = 0;
    const body = JSON.stringify(VERDICT);
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    using server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: socket => void socket.end(asked++ === 0 ? `${head}{` : head + body),
      },
    });
    const url = `http://127.0.0.1:${server.port}`;
    const file = await folder.write(
      'orders.json',
      JSON.stringify(Array.from({ length: 120 }, () => ({ a: 1 }))),
    );
    expect((await sluice(['screen', '--url', url, '--key', KEY, file])).code).toBe(0);
    expect(asked).toBe(2);
  });
});

test('says when a server cannot be reached', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const long = await folder.write('unreached.csv', `n\n${'1\n'.repeat(10_001)}`);
  for (const file of [example('orders-clean.csv'), long]) {
    const { code, stderr } = await sluice(['screen', '--url', url, '--key', KEY, file]);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /^sluice: \S+ cannot be reached: [^.\n]+\. Is the server running, and is --url right\?\n$/,
      ),
    ]);
  }
}, 240_000);

describe('sluice keys create, without an account', () => {
  test.each<[string[], RegExp]>([
    [[], /There is no account yet: start the service once/],
    [['--account', 'acc_\u0001'], /There is no account 'acc_\\u0001'/],
    [['--email', 'nobody'], /--email must be an e-mail address/],
    [['--email', 'a@corp.com', '--account', 'x'], /not both/],
    [['--new-account'], /add --email/],
    [['--name', 'x'.repeat(101)], /at most 100 characters/],
    [['nightly'], /use --name NAME/],
  ])('%j', async (args, said) => {
    const environment = { DATA_DIR: folder.at('none') };
    const { code, stdout, stderr } = await sluice(['keys', 'create', ...args], { environment });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(said);
  });
});

describe('sluice migrate and doctor', () => {
  const environment = { DATA_DIR: folder.at('fresh'), PORT: '0' };
  const findings = async (given: Record<string, string>) => {
    const { code, stdout } = await sluice(['doctor', '--json'], { environment: given });
    const found = JSON.parse(stdout) as {
      ok: boolean;
      findings: { name: string; state: string; found: string }[];
    };
    return { code, ...found, of: (name: string) => found.findings.find(each => each.name === name)! };
  };

  test('doctor changes nothing, and finds everything up to date after migrate', async () => {
    const before = await findings(environment);
    expect([before.code, before.ok, before.of('accounts, jobs').found]).toEqual([
      0,
      true,
      expect.stringContaining('the first start creates the file'),
    ]);
    expect(await Bun.file(folder.at('fresh/sluice.sqlite')).exists()).toBe(false);
    for (let run = 0; run < 2; run++)
      expect(await sluice(['migrate'], { environment })).toEqual({
        code: 0,
        stdout: `Up to date: sqlite in ${environment.DATA_DIR}\n`,
        stderr: '',
      });
    const after = await findings(environment);
    expect([after.ok, after.of('accounts, jobs').found, after.of('baselines').found]).toEqual([
      true,
      'SQLite: up to date',
      'SQLite: 0 sources',
    ]);
  });

  test('doctor names each failed check, and what to do', async () => {
    const port = await freePort();
    const at = `127.0.0.1:${port}`;
    const given = {
      DATABASE_URL: `postgres://u:secret@${at}/x`,
      REDIS_URL: `redis://:secret@${at}`,
      SMTP_URL: `smtp://u:secret@${at}`,
      PORT: '0',
    };
    const { code, stdout } = await sluice(['doctor'], { environment: given });
    expect(code).toBe(3);
    expect(stdout.match(/^wrong +(accounts, jobs|baselines|mail) /gm)).toHaveLength(3);
    expect(stdout.match(/→ Is /g)).toHaveLength(3);
    expect(stdout).toEndWith('3 things are wrong.\n');
    expect(stdout).not.toContain('secret');
  }, 240_000);

  test('doctor tries METRICS_PORT, too', async () => {
    const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const metricsOf = async (given: Record<string, string>) =>
      (await findings({ ...environment, ...given })).of('metrics port');
    expect(await metricsOf({})).toMatchObject({ state: 'ok', found: 'not used: METRICS_PORT is not set' });
    expect(await metricsOf({ METRICS_PORT: '0' })).toMatchObject({ state: 'ok', found: 'any free port' });
    const free = String(await freePort());
    expect(await metricsOf({ METRICS_PORT: free })).toMatchObject({
      state: 'ok',
      found: `127.0.0.1:${free} is free`,
    });
    expect(await metricsOf({ METRICS_PORT: String(taken.port) })).toMatchObject({
      state: 'wrong',
      found: expect.stringContaining(`127.0.0.1:${taken.port}: `),
      advice: expect.stringContaining('METRICS_PORT'),
    });
    expect(await metricsOf({ PORT: free, METRICS_PORT: free })).toMatchObject({
      state: 'wrong',
      found: `127.0.0.1:${free} is the port of the service`,
    });
    taken.stop(true);
  });

  test('doctor finds the metrics of a running Sluice on their port', async () => {
    const token = 'a-token-of-16-characters';
    const given = { METRICS_PORT: String(await freePort()), METRICS_TOKEN: token };
    await using server = await Server.start(given);
    const { of } = await findings({ ...given, DATA_DIR: server.folder, PORT: String(server.port) });
    expect(of('metrics port')).toMatchObject({
      state: 'ok',
      found: `Sluice is running on 127.0.0.1:${given.METRICS_PORT}`,
    });
  });

  test('doctor reads the database', async () => {
    const damaged = new Folder();
    writeFileSync(damaged.at('sluice.sqlite'), 'no database'.repeat(1000));
    const { ok, of } = await findings({ DATA_DIR: damaged.path, PORT: '0' });
    expect([ok, of('accounts, jobs').state]).toEqual([false, 'wrong']);
    damaged.remove();
  });

  test('both name a variable with a bad value', async () => {
    const bad = { PORT: '8o8o' };
    expect((await findings(bad)).of('configuration')).toMatchObject({
      state: 'wrong',
      found: expect.stringContaining('PORT must be'),
    });
    const { code, stderr } = await sluice(['migrate'], { environment: bad });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^sluice: PORT must be [^\n]+\n$/)]);
  });
});

describe('help', () => {
  test.each(['rules', 'keys'])('of %s lists its commands', async group => {
    for (const args of [
      [group, '--help'],
      [group, '-h'],
      [group, 'help'],
      ['help', group],
    ]) {
      const { code, stdout } = await sluice(args);
      expect(code).toBe(0);
      for (const { name, summary } of await allCommands())
        expect(stdout.includes(`  ${name}`) && stdout.includes(summary)).toBe(name.startsWith(`${group} `));
      expect(stdout).toContain(`sluice ${group} COMMAND --help`);
    }
    const { code, stderr } = await sluice(['help', group, 'imprt']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('Unknown command')]);
  });

  test('lists every command, and shows the options and examples of each', async () => {
    const { code, stdout } = await sluice(['--help']);
    expect(code).toBe(0);
    for (const { name, summary, options, examples } of await allCommands()) {
      expect(stdout).toMatch(new RegExp(`^  ${name}.*${summary}$`, 'm'));
      const page = (await sluice([...name.split(' '), '--help'])).stdout;
      for (const option of [...Object.keys(options), 'help']) expect(page).toContain(`--${option}`);
      for (const [typed] of examples) expect(page).toContain(typed);
    }
    const [help, option] = [await sluice(['help', 'keys', 'create']), await sluice(['keys', 'create', '-h'])];
    expect(help).toEqual(option);
  });

  test('names the commands after an unknown one', async () => {
    for (const args of [[], ['scren'], ['keys'], ['help', 'scren']]) {
      const { code, stdout, stderr } = await sluice(args);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(/^sluice: .*screen, check, profile, .*keys create.* See sluice --help\n$/);
    }
  });
});

describe('sluice completion', () => {
  let script: string;
  beforeAll(async () => {
    script = (await sluice(['completion', 'bash'])).stdout;
  });

  /** What bash offers for the last of the words. */
  async function offered(...words: string[]): Promise<string[]> {
    const line = words.map(word => `'${word}'`).join(' ');
    const call = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const shell = Bun.spawnSync(['bash', '--norc', '-c', `${script}\n${call}`], { cwd: EXAMPLES });
    expect(shell.stderr.toString()).toBe('');
    return shell.stdout.toString().split('\n').filter(Boolean);
  }

  test('bash offers commands, options, their values and files', async () => {
    expect(await offered('sluice', 'p')).toEqual(['profile']);
    expect(await offered('sluice', 'keys', '')).toEqual(['create']);
    expect(await offered('sluice', 'screen', '--null-rate-')).toEqual([
      '--null-rate-warn',
      '--null-rate-block',
    ]);
    expect(await offered('sluice', 'keys', 'create', '--new')).toEqual(['--new-account']);
    expect(await offered('sluice', 'screen', '--format', 'nd')).toEqual(['ndjson']);
    expect(await offered('sluice', 'screen', '--format', '=', 'nd')).toEqual(['ndjson']);
    expect(await offered('sluice', 'screen', '--format', '=')).toContain('csv');
    expect(await offered('sluice', 'screen', '--delimiter', '')).toEqual([
      ...[',', '\\;', '\\|', 'tab', '^', '\\~', '0x01'],
    ]);
    expect(await offered('sluice', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  test('bash completes file names quoted, and takes no command for a file', async () => {
    const inner = new Folder();
    await Promise.all(["it's all.csv", 'screen/x.csv'].map(name => inner.write(name, 'a\n1\n')));
    await inner.write('.rc', `${script}\nsluice() { printf '<%s>' "$@"; }\n`);
    const shell = Bun.spawn(['script', '-qec', 'bash --rcfile .rc -i', '/dev/null'], {
      cwd: inner.path,
      stdin: new Blob(['sluice sc\tit\t\nexit\n']),
      stdout: 'pipe',
      env: { PATH: process.env.PATH },
    });
    expect(await new Response(shell.stdout).text()).toContain("<screen><it's all.csv>");
    inner.remove();
  });

  // Only where fish is installed.
  if (Bun.which('fish') !== null)
    test('fish offers the same, and prints nothing else', async () => {
      const file = await folder.write('sluice.fish', (await sluice(['completion', 'fish'])).stdout);
      const offers = (typed: string) => {
        const shell = ['fish', '-N', '-c', `source ${file}; complete -C '${typed}'`];
        const { stdout, stderr } = Bun.spawnSync(shell, { cwd: EXAMPLES });
        expect(stderr.toString()).toBe('');
        return stdout
          .toString()
          .split('\n')
          .filter(Boolean)
          .map(line => line.split('\t')[0]);
      };
      expect(offers('sluice p')).toEqual(['profile']);
      expect(offers('sluice help keys')).toEqual(['keys']);
      expect(offers('sluice screen --delimiter ').sort()).toEqual([',', ';', 'tab', '|']);
      expect(offers('sluice screen --null-rate-b')).toEqual(['--null-rate-block']);
    });

  test('zsh and fish know every option', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await sluice(['completion', shell]);
      expect(code).toBe(0);
      for (const { options } of await allCommands())
        for (const option of Object.keys(options))
          expect(stdout).toContain(shell === 'zsh' ? `--${option}` : `-l ${option}`);
    }
  });

  test('rejects another shell', async () => {
    expect(await sluice(['completion', 'tcsh'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });
});

describe('the launcher', () => {
  const launch = (program: string, args: string[], stdin = '') =>
    Bun.spawnSync([program, LAUNCHER, ...args], {
      stdin: Buffer.from(stdin),
      env: { PATH: process.env.PATH },
    });

  test('runs on Node and on Bun, and passes input, output and exit code on', () => {
    for (const program of ['node', process.execPath]) {
      const ended = launch(
        program,
        ['screen', '--strict', '--mode', 'contract', '-f', 'csv', '-'],
        'a,b\n1,\n2,3\n',
      );
      expect([ended.exitCode, ended.stdout.toString().slice(0, 4)]).toEqual([1, 'WARN']);
      expect(launch(program, ['screen']).exitCode).toBe(3);
    }
  });

  test('is the bin of the package, and runs through a link', () => {
    const { bin } = require('../../package.json') as { bin: Record<string, string> };
    expect(join(import.meta.dir, '../..', bin.sluice!)).toBe(LAUNCHER);
    const link = folder.at('sluice');
    require('node:fs').symlinkSync(LAUNCHER, link);
    const ended = Bun.spawnSync([link, '--version'], { env: { PATH: process.env.PATH } });
    expect(ended.stdout.toString()).toMatch(/^sluice \d+\.\d+\.\d+ \(Bun /);
  });

  test('ends by a signal like the program', async () => {
    const child = Bun.spawn(['node', LAUNCHER, 'screen', '-f', 'csv', '-'], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'pipe',
    });
    // The launcher has its handlers once the program reads.
    child.stdin.write(`a\n${'1\n'.repeat(500_000)}`);
    await child.stdin.flush();
    child.kill('SIGTERM');
    expect(await child.exited).toBe(143);
  });
});
