/**
 * Every block of commands, answers and data in the documents is run: here, or by a test of `ELSEWHERE`. What no test can run is in
 * `NOT_RUN`, with the reason. A new block that is in none of them fails.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { BENCHES } from '../../bench/benches.ts';
import { payloadOf } from '../../src/alerts/message.ts';
import { readConfig } from '../../src/config/config.ts';
import { openStores } from '../../src/stores/open.ts';
import { Shop } from '../billing/shop.ts';
import { Folder } from '../cli/sluice.ts';
import { batch, KEY, SCALE_KEY, Service } from '../http/service.ts';
import { commandOf } from '../servers/program.ts';
import { freePort } from '../servers/process.ts';
import { type Block, BLOCKS, blocksIn, PAGES, ROOT } from './blocks.ts';

const runHere = new Set<Block>();

/** The block of a page that has this in it. It counts as run here. */
function block(page: string, part: string): string {
  const found = BLOCKS.filter(each => each.page === page && each.text.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} have ${part}`);
  runHere.add(found[0]!);
  return found[0]!.text;
}

/** Code of a language, and answers directly below it. */
const codeOf =
  (code: string) =>
  ({ language, above }: Block) =>
    language === code || (language === 'text' && above === '```');
const has =
  (...parts: string[]) =>
  ({ text }: Block) =>
    parts.some(part => text.includes(part));

/** The test that runs blocks of a page, and which. */
const ELSEWHERE: [test: string, page: string, isRun: (block: Block) => boolean][] = [
  ['clients/python/tests/test_docs.py', 'README.md', codeOf('python')],
  ['clients/python/tests/test_docs.py', 'docs/python.md', codeOf('python')],
  ['clients/python/tests/test_columns_docs.py', 'docs/columns.md', codeOf('python')],
  ['clients/python/tests/test_docs.py', 'docs/blocked.md', codeOf('python')],
  ['test/client/package.test.ts', 'docs/client.md', codeOf('js')],
  ['test/cli/docs.test.ts', 'docs/cli.md', has('$ sluice screen', '$ sluice diff', '$ sluice profile')],
  [
    'test/contributing.long.test.ts',
    'CONTRIBUTING.md',
    ({ language, above }) => language === 'sh' || above.startsWith('**`'),
  ],
  ['test/e2e/batches.test.ts', 'docs/batches.md', codeOf('sh')],
  ['test/fuzz/fuzz.test.ts', 'docs/development.md', has('fuzz websocket: an input')],
  ['test/e2e/most-memory.ts', 'docs/containers.md', has('768 MiB + 256 MiB')],
  [
    'test/e2e/restore.test.ts',
    'docs/operation.md',
    has('npx bun -e', 'pg_dump', 'pg_restore', 'appendonlydir'),
  ],
  [
    'test/examples/alerts.test.ts',
    'docs/alerts.md',
    has('npm start', 'channel()', 'alert-receiver.js', 'screen()', 'listening on'),
  ],
  ['test/examples/session.test.ts', 'docs/session.md', has('$ examples/session.sh')],
  [
    'test/stream/docs.long.test.ts',
    'docs/streams.md',
    has('kafka.sh start', 'sluice-reason:unreadable', 'group: sluice-orders'),
  ],
  ...PAGES.filter(page => /^docs\/pipelines\/(?!README)/.test(page)).map(
    page =>
      [
        'test/examples/pipelines.test.ts',
        page,
        ({ text, above }: Block) => above.startsWith('**`') || text.startsWith('$ npm run pipelines -- '),
      ] as (typeof ELSEWHERE)[number],
  ),
];

const DRAWING = 'a drawing';
const NOT_RUN: [page: string, part: string, reason: string][] = [
  ['README.md', 'npm start', 'serves until it is stopped: test/e2e/server.ts starts the same program'],
  ['docs/architecture.md', 'intake      src/intake/', DRAWING],
  ['docs/architecture.md', 'main thread     http', DRAWING],
  ['docs/architecture.md', 'rules are in', DRAWING],
  ['docs/architecture.md', 'main, service', DRAWING],
  ['docs/client.md', 'sluice.stream(', 'a part of a program: test/client/stream.test.ts runs such loops'],
  [
    'docs/containers.md',
    'docker run -d',
    'needs Docker: deploy/check-image builds and runs the image without it',
  ],
  [
    'docs/public-files.md',
    'git clone',
    'copies a public repository: docs/cli.md screens several files as JSON',
  ],
  ['docs/containers.md', 'docker cp', 'needs Docker: test/e2e/restore.test.ts runs the same VACUUM INTO'],
  ['docs/containers.md', 'openssl rand', 'needs Docker: test/deploy/manifests.test.ts checks compose.yaml'],
  [
    'docs/containers.md',
    'imagetools inspect',
    'asks a registry of images: test/deploy/images.test.ts checks the names',
  ],
  ['docs/containers.md', 'redis-cli --rdb', 'needs Docker: test/e2e/restore.test.ts runs the same dumps'],
  ['docs/containers.md', 'pg_restore', 'needs Docker: test/e2e/restore.test.ts runs the same restoration'],
  [
    'docs/containers.md',
    'src/cli/main.ts stream',
    'needs Docker: test/stream/docs.long.test.ts runs the same program',
  ],
  [
    'docs/containers.md',
    'kubectl apply',
    'needs a cluster: test/deploy/manifests.test.ts checks the manifests',
  ],
  [
    'docs/decisions/0004-read-http-ourselves.md',
    'Bun.serve',
    'what a version of the platform did when it was decided',
  ],
  ['docs/operation.md', 'HOST=0.0.0.0 PORT=8080 npm start', 'installs, and serves until it is stopped'],
  ['docs/operation.md', 'systemctl enable', 'changes the machine, as root'],
  ['docs/operation.md', 'git pull', 'replaces the sources that the tests run'],
  ['docs/operation.md', 'scrape_configs', "a part of Prometheus's own configuration"],
  [
    'docs/python.md',
    'pip wheel',
    'needs packages: scripts/python-environment.sh builds and installs the same wheel',
  ],
  ['docs/security.md', 'npm audit', 'asks a registry, whose answer changes'],
];

const folder = new Folder();
const shop = await Shop.open();
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: request => shop.service.app.handle(request),
});
const url = server.url.origin;
afterAll(async () => {
  await server.stop(true);
  shop.close();
  folder.remove();
});

await folder.write('bin/sluice', `#!/bin/sh\nexec ${commandOf('sluice').join(' ')} "$@"\n`);
chmodSync(folder.at('bin/sluice'), 0o755);
cpSync(join(ROOT, 'examples'), folder.at('examples'), { recursive: true });

/** An answer that is no success fails, and each ends with its line. */
const SHELL = `curl() { command curl --fail-with-body "$@"; echo; }\nnpx() { "$@"; }\n`;

/** Types commands in a folder with the examples. Throws unless they end with `code`. */
async function typed(commands: string, environment: Record<string, string> = {}, code = 0) {
  const text = commands
    .replaceAll('http://127.0.0.1:8080', url)
    .replace(/(^| )SLUICE_KEY=sluice_live_…$/m, '')
    .replaceAll('npm ci && ', '');
  const child = Bun.spawn(['bash', '-eo', 'pipefail', '-c', SHELL + text], {
    cwd: folder.path,
    env: {
      PATH: `${folder.at('bin')}:${process.env.PATH}`,
      HOME: folder.path,
      SLUICE_KEY: SCALE_KEY,
      ...environment,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const ended = { stdout, stderr, code: await child.exited };
  expect([text, ended.code, ended]).toEqual([text, code, ended]);
  return ended;
}

/** The answers of calls, one a line. */
// biome-ignore lint/suspicious/noExplicitAny: what the answers hold is what the tests ask
const answers = async (commands: string, environment?: Record<string, string>): Promise<any[]> =>
  (await typed(commands, environment)).stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));

/** Members that differ between requests. */
const OWN = {
  request_id: expect.stringMatching(/^req_/),
  batch_id: expect.stringMatching(/^req_/),
  latency_ms: expect.any(Number),
  timestamp: expect.any(String),
};

describe('calls with curl', () => {
  const first = block('README.md', '--data-binary @');
  const part = block('README.md', '"request_id"');
  const answer = block('docs/api.md', '"request_id": "req_01M7Z0BX0D32GJW6HVAF04EKQ6"');
  test('the first example of the README has the answer shown, there in part', async () => {
    const answered = await answers(first);
    expect(answered).toEqual([{ ...JSON.parse(answer), ...OWN }]);
    const { request_id: _, ...shown } = JSON.parse(part);
    expect(answered).toMatchObject([shown]);
  });

  test.each([
    ['docs/session.md', block('docs/session.md', 'curl -s'), SCALE_KEY],
    ['docs/api.md', block('docs/api.md', "'Content-Type: text/csv'"), SCALE_KEY],
    // Of another account: the source has other types in JSON.
    ['docs/api.md, with an Idempotency-Key', block('docs/api.md', 'Idempotency-Key: '), KEY],
  ])('the batch of %s is a PASS', async (_, commands, key) => {
    expect(await answers(commands, { SLUICE_KEY: key })).toEqual([
      expect.objectContaining({ status: 'PASS' }),
    ]);
  });

  const jobs = block('docs/api.md', '/v1/jobs?');
  test('jobs and statistics', async () => {
    const [list, { totalJobs }] = await answers(jobs);
    expect(list.jobs.length).toBeGreaterThan(0);
    expect(totalJobs).toBeGreaterThan(0);
  });

  const [create, list, remove] = block('docs/api.md', 'nightly load').trim().split('\n') as [
    string,
    string,
    string,
  ];
  test('keys are created, listed and deleted', async () => {
    const [old] = await answers(create);
    const [made] = await answers(create);
    const environment = { NEW_KEY: made.key, OLD_ID: old.id };
    const [{ keys }] = await answers(list, environment);
    expect(keys.map(({ id }: { id: string }) => id)).toContain(old.id);
    expect(await answers(remove, environment)).toEqual([expect.objectContaining({ ok: true, id: old.id })]);
  });

  const [send, open, end] = block('docs/api.md', '/v1/auth/otp').trim().split('\n') as [
    string,
    string,
    string,
  ];
  test('a person signs in and out', async () => {
    await typed(send);
    const code = shop.service.mailed.get('ann@corp.com')!.at(-1)!;
    const [{ token }] = await answers(open.replace('…', code));
    expect(await answers(end, { TOKEN: token })).toEqual([expect.objectContaining({ ok: true })]);
  });

  const billing = block('docs/billing.md', '/v1/billing/checkout');
  test('a plan is bought', async () => {
    const [plan, checkout, portal] = await answers(billing, { SLUICE_KEY: KEY });
    expect([plan.plan, checkout.url, portal.url]).toEqual([
      'developer',
      expect.stringMatching(/^https?:/),
      expect.stringMatching(/^https?:/),
    ]);
  });
});

describe('requests', () => {
  const adaptive = block('docs/adaptive.md', '"mode": "adaptive"');
  const constraints = block('docs/constraints.md', '"source": "orders"');
  test.each([
    ['docs/adaptive.md', adaptive.replace('[…]', '[{"amount": 1}]')],
    ['docs/constraints.md', constraints],
  ])('that of %s is answered', async (_, body) => {
    expect((await new Service().post(body)).status).toBe(200);
  });

  const violation = block('docs/constraints.md', '"rule": "fields.quantity.minimum"');
  test('a violation is reported as shown', async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ quantity: [4, 17, 230].includes(i) ? -1 : 5 }));
    const options = { rules: { fields: { quantity: { minimum: 1 } } }, full_scan: true };
    const { body } = await new Service().post(JSON.stringify({ source: 's', rows, options }));
    expect(body.issues.rule_violations).toEqual([JSON.parse(violation)]);
  });

  const unchecked = block('docs/constraints.md', '"amonut"');
  test('a rule about a field that no row has is reported as shown', async () => {
    const options = { rules: { fields: { amonut: { minimum: 1 } } } };
    const { body } = await new Service().post(batch([{ amount: 1 }], { options }));
    expect(body.issues.unchecked_rules).toEqual([JSON.parse(unchecked)]);
  });

  const quarantine = block('docs/rows.md', '"quarantine"');
  const split = block('docs/rows.md', 'answer.quarantine');
  test('a batch is divided by its quarantine as shown', async () => {
    const service = new Service();
    const row = (i: number) => ({ price: i + 0.5, email: `${i}@example.com` });
    const thresholds = { type_mismatch_warn: 0.01, type_mismatch_block: 0.015 };
    const post = async (rows: unknown[]) =>
      (await service.post(JSON.stringify({ source: 's', rows, options: { thresholds, row_verdicts: true } })))
        .body;
    await post(Array.from({ length: 120 }, (_, i) => row(i)));
    const rows = Array.from({ length: 120 }, (_, i) => ({
      ...row(i),
      ...([12, 40].includes(i) && { price: 'free' }),
      ...([40, 41].includes(i) && { email: null }),
    }));
    const answer = await post(rows);
    expect({ quarantine: answer.quarantine }).toEqual(JSON.parse(`{${quarantine}}`));
    const good = new Function('answer', 'rows', `${split}; return good;`)(answer, rows);
    expect(good).toEqual(rows.filter((_, i) => ![12, 40, 41].includes(i)));
  });

  const webhook = block('docs/alerts.md', '"type": "incident.opened"');
  test('a webhook has the body shown', () => {
    const shown = JSON.parse(webhook);
    const { incident, report, url } = shown.data;
    const [publicUrl] = url.split('/#') as [string];
    const opened = {
      id: incident.id,
      source: 'orders',
      status: 'open',
      verdict: 'BLOCK',
      openedAt: Date.parse(incident.opened_at),
      batches: 1,
      lastJob: report.request_id,
      lastVerdict: 'BLOCK',
      healthScore: 0.5,
      reason: report.reason,
    } as const;
    expect(payloadOf('incident.opened', opened, Date.parse(shown.timestamp), publicUrl)).toEqual(shown);
  });
});

const orders = () => cpSync(join(ROOT, 'examples/orders-clean.csv'), folder.at('orders.csv'));

describe('the command line', () => {
  const LOAD = 'load() { echo "loaded $1"; }\n';

  const readme = block('README.md', 'npx sluice screen');
  const printed = block('README.md', 'BLOCK  examples/orders-broken.csv');
  test('the first command of the README prints what stands below it', async () => {
    expect((await typed(readme, {}, 2)).stdout).toBe(printed);
  });

  const compared = block('README.md', '--good good.csv');
  test('the README compares a file with the earlier ones, and divides it', async () => {
    orders();
    const ofReadme = compared.replace('baselines.sqlite', 'readme.sqlite');
    expect((await typed(ofReadme)).stdout).toStartWith('PASS');
    expect((await typed(ofReadme)).stdout).not.toContain('0 batches are known');
    expect(existsSync(folder.at('good.csv'))).toBe(true);
  });

  const gates = block('docs/cli.md', '--fail-on warn --quiet');
  test('a gate in a script, and one after a pipe', async () => {
    orders();
    const { stdout } = await typed(`${LOAD}psql() { cat orders.csv; }\n${gates}`);
    expect(stdout).toMatch(/^loaded orders\.csv\nPASS /);
  });

  const outputs = block('docs/cli.md', '--output junit=');
  test('a run has several outputs', async () => {
    orders();
    expect((await typed(outputs)).stdout).toStartWith('PASS');
    expect((await Bun.file(folder.at('reports/sluice.json')).json()).status).toBe('PASS');
    expect(await Bun.file(folder.at('reports/sluice.xml')).text()).toContain('failures="0"');
  });

  const parts = block('docs/cli.md', '--good good.csv');
  test('two parts', async () => {
    orders();
    expect((await typed(LOAD + parts)).stdout).toBe('loaded good.csv\n');
    expect(await Bun.file(folder.at('good.csv')).text()).toBe(await Bun.file(folder.at('orders.csv')).text());
  });

  const found = block('docs/cli.md', 'found delimiter');
  const unclosed = block('docs/cli.md', 'is never closed');
  test.each([
    ['what is found in a file', found, Buffer.from('id;name\n1;N\u00e4he\n2;Ort\n', 'latin1'), 0],
    ['an error with its line', unclosed, `id,note\n${'1,a\n'.repeat(24_000)}2,"never\n`, 3],
  ])('%s', async (_, shown, text, code) => {
    await folder.write('orders.csv', text);
    expect((await typed('sluice screen orders.csv', {}, code)).stderr).toContain(shown);
  });

  const share = block('docs/cli.md', 'sluice measure --part');
  test('the parts of a batch are measured apart, and judged as one', async () => {
    for (const part of [0, 1, 2]) await folder.write(`orders-${part}.csv`, `id,amount\n${part},7\n`);
    await typed('sluice screen --dry-run --baseline baselines.sqlite --source orders orders-0.csv');
    const three = share.replace('seq 0 99', 'seq 0 2').replace('.parquet', '.csv').replace('100', '3');
    const { stdout } = await typed(three);
    expect(stdout).toContain("orders-*.state  3 rows  health 1  source 'orders'");
    // Other examples begin without a past.
    await typed('rm baselines.sqlite*');
  });

  const config = block('docs/cli.md', 'mode: adaptive');
  test('sluice.yaml', async () => {
    orders();
    await folder.write('sluice.yaml', config);
    await folder.write('rules/orders.yaml', 'fields: { order_id: { nullable: false } }');
    await folder.write('exports/customers.txt', 'id;email\n1;a@example.com\n2;b@example.com\n');
    const { stdout } = await typed('mkdir -p data && cp orders.csv data/orders-1.csv && sluice check');
    expect(stdout).toContain('PASS');
    expect(existsSync(folder.at('reports/sluice.xml'))).toBe(true);
  });

  const doctor = block('docs/cli.md', 'sluice doctor');
  test('what sluice doctor prints', async () => {
    const [command, ...lines] = doctor.split('\n');
    const port = String(await freePort());
    const environment = { DATA_DIR: folder.at('service'), PORT: port };
    await typed('sluice migrate', environment);
    const { stdout } = await typed(command!.slice(2), environment, 3);
    const own = (text: string) =>
      text
        .replace(/Bun [\d.]+/, 'Bun …')
        .replace(/data folder .*/, 'data folder …')
        .replace(/127\.0\.0\.1:(8080|\d+) is free/, '127.0.0.1:… is free');
    expect(own(stdout)).toBe(own(lines.join('\n')));
  });

  const completion = block('docs/cli.md', 'completion bash');
  test('completion is put into its files', async () => {
    await typed(completion);
    for (const name of [
      '.local/share/bash-completion/completions/sluice',
      '.config/fish/completions/sluice.fish',
    ])
      expect(await Bun.file(folder.at(name)).text()).toContain('screen');
    expect(await Bun.file(folder.at('.zshrc')).text()).toBe('source <(sluice completion zsh)\n');
  });
});

describe('a batch that is BLOCKed', () => {
  const blockOf = (part: string) => block('docs/blocked.md', part);
  const [find, accept, forget] = [blockOf('/v1/jobs/$JOB'), blockOf('/accept'), blockOf('/feedback')];
  test('is read and accepted with curl; one that was learned is taken out', async () => {
    await shop.service.app.handle(
      new Request(`${url}/v1/schema/orders`, { method: 'DELETE', headers: { 'X-API-Key': SCALE_KEY } }),
    );
    const post = async (amounts: unknown[]) =>
      (
        await shop.service.post(
          JSON.stringify({ source: 'orders', rows: amounts.map(amount => ({ amount })) }),
        )
      ).body;
    const { request_id: good } = await post([1, 2, 3, 4]);
    const [taken, { ok }] = await answers(forget, { JOB: good });
    expect([taken.changed, ok]).toEqual([true, true]);
    await post([1, 2, 3, 4]);
    const { status, request_id } = await post(['a', 'b', 'c', 'd']);
    const [job] = await answers(find, { JOB: request_id });
    expect([status, job.report.request_id]).toEqual(['BLOCK', request_id]);
    expect(await answers(accept, { JOB: request_id })).toEqual([expect.objectContaining({ changed: true })]);
  });

  const [again, divide] = [blockOf('sluice screen --dry-run'), blockOf('--quiet --dry-run')];
  const [learn, seed] = [blockOf('sluice accept'), blockOf('history/*.csv')];
  const cron = block('docs/pipelines/cron.md', 'sluice accept');
  test('is judged again, divided and accepted by the command line, after a history from old files', async () => {
    const copy = (name: string, to: string) => cpSync(join(ROOT, 'examples', name), folder.at(to));
    for (const day of [1, 2, 3]) copy('orders-clean.csv', `history/${day}.csv`);
    copy('orders-broken.csv', 'history/4.csv');
    expect((await typed(seed)).stdout).toBe('history/4.csv: not learned\n');
    copy('orders-broken.csv', 'orders.csv');
    expect((await typed(again, {}, 2)).stdout).toStartWith('BLOCK');
    await typed(divide, {}, 2);
    expect(await Bun.file(folder.at('held.csv')).text()).toContain('order_id');
    expect((await typed(learn)).stdout).toStartWith("Accepted: the batch of 'orders'");
    copy('sensors-clean.csv', 'held/day-3.csv');
    await typed('mkdir landing; sluice screen -q -b baselines.sqlite -s orders held/day-3.csv', {}, 2);
    expect((await typed(cron)).stdout).toStartWith('Accepted');
    expect(existsSync(folder.at('landing/day-3.csv'))).toBe(true);
  });

  const dbt = block('docs/pipelines/dbt.md', '&& dbt build');
  test('keeps dbt from building', async () => {
    await folder.write('dbt.sqlite', '');
    const ownBaseline = `dbt() { echo "dbt $1"; }\n${dbt.replace('baselines.sqlite', 'dbt.sqlite')}`;
    orders();
    expect((await typed(ownBaseline)).stdout).toBe('dbt build\n');
    cpSync(join(ROOT, 'examples/orders-broken.csv'), folder.at('orders.csv'));
    expect((await typed(ownBaseline, {}, 2)).stdout).toBe('');
  });
});

describe('rules of docs/rules.md', () => {
  const rules = block('docs/rules.md', 'description: Orders of the shop');
  const screen = block('docs/rules.md', 'sluice screen --rules');
  const keep = block('docs/rules.md', 'curl -s -X PUT');
  const suggest = block('docs/rules.md', 'rules suggest');
  const exchange = block('docs/rules.md', 'rules import');
  const write = async () => {
    const lines = Array.from(
      { length: 60 },
      (_, i) => `ORD-${i},${1 + (i % 9)},paid,2026-11-02,2026-11-01\n`,
    );
    await folder.write('orders.csv', `order_id,quantity,status,shipped_at,ordered_at\n${lines.join('')}`);
    await folder.write('orders.rules.yaml', rules);
    await folder.write('orders.rules.json', JSON.stringify(Bun.YAML.parse(rules)));
  };

  test('check a file', async () => {
    await write();
    expect((await typed(screen)).stdout).toStartWith('PASS');
  });

  test('are kept with the source', async () => {
    await write();
    const [, history] = await answers(keep);
    expect(JSON.stringify(history)).toContain('fields.order_id.nullable');
  });

  test('are suggested', async () => {
    await write();
    await typed(suggest);
    expect(await Bun.file(folder.at('orders.rules.yaml')).text()).toContain('order_id:');
  });

  test('come from other formats, and go to them', async () => {
    await folder.write(
      'contract.yaml',
      'apiVersion: v3.1.0\nkind: DataContract\nid: shop\nversion: 1.0.0\nstatus: active\nschema:\n  - name: orders\n    properties: [{ name: id, logicalType: string, required: true }]\n',
    );
    await folder.write(
      'models/schema.yml',
      'version: 2\nmodels:\n  - name: orders\n    columns: [{ name: id, tests: [unique, not_null] }]\n',
    );
    await typed(exchange);
    expect(await Bun.file(folder.at('orders.odcs.yaml')).text()).toContain('orders');
  });
});

describe('of operators', () => {
  const copy = block('docs/operation.md', 'sqlite3 /var/lib/sluice');
  test.skipIf(!Bun.which('sqlite3'))('the SQLite files are copied', async () => {
    const data = folder.at('stores');
    await openStores({ dataDir: data, databaseUrl: null, redisUrl: null });
    await typed(
      `mkdir backup\n${copy.replaceAll('/var/lib/sluice', data).replaceAll('/backup', folder.at('backup'))}`,
    );
    for (const name of ['baselines', 'sluice'])
      expect(existsSync(folder.at(`backup/${name}.sqlite`))).toBe(true);
  });

  const log = block('docs/operation.md', 'journalctl');
  test.skipIf(!Bun.which('jq'))('the log is searched', async () => {
    const facts = { time: '2026-11-23T09:00:00.000Z', id: 'req_1', account: 'a', rows: 2, health: 0.3 };
    const lines = [
      { ...facts, status: 200, verdict: 'BLOCK' },
      { ...facts, status: 503 },
    ];
    await folder.write('log', lines.map(line => `${JSON.stringify(line)}\n`).join(''));
    const { stdout } = await typed(`npm() { cat log; }\njournalctl() { cat log; }\n${log}`);
    expect(
      stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([lines[1], facts]);
  });

  const stripe = block('docs/billing.md', 'STRIPE_SECRET_KEY');
  test('the variables of Stripe are valid', () => {
    const variables = [...stripe.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value], i) => [
      name,
      value!.replace('…', `x${i}`),
    ]);
    expect(variables).toHaveLength(6);
    readConfig(Object.fromEntries(variables));
  });
});

describe('npm run', () => {
  const lists = [
    block('docs/development.md', 'npm run programs'),
    block('CONTRIBUTING.md', 'npm run dev'),
    block('docs/dashboard.md', 'npm test'),
  ];
  test('has every command that is listed', async () => {
    const { scripts } = await Bun.file(join(ROOT, 'package.json')).json();
    for (const [, name] of lists.join('').matchAll(/npm run ([\w-]+)/g))
      expect(Object.keys(scripts)).toContain(name!);
  });

  test('bench has exactly the benches that are listed', () => {
    const [, first, others] = /npm run bench -- (\w+) +# or ([\w, -]+);/.exec(lists[0]!)!;
    expect([first!, ...others!.split(', ')]).toEqual(Object.keys(BENCHES));
  });
});

describe('every block', () => {
  const places = (each: Block): string[] => [
    ...(runHere.has(each) ? ['here'] : []),
    ...ELSEWHERE.filter(([, page, isRun]) => page === each.page && isRun(each)).map(([name]) => name),
    ...NOT_RUN.filter(([page, part]) => page === each.page && each.text.includes(part)).map(
      ([, , reason]) => reason,
    ),
  ];

  test('is run, here or by another test, or there is a reason why not', () => {
    const wrong = BLOCKS.filter(each => places(each).length !== 1);
    expect(
      wrong.map(each => `${each.page}:${each.line}: ${places(each).join(' and ') || 'is not run'}`),
    ).toEqual([]);
  });

  test('that is listed is in its page', () => {
    const unused = [
      ...ELSEWHERE.filter(([, page, isRun]) => !BLOCKS.some(each => each.page === page && isRun(each))),
      ...NOT_RUN.filter(
        ([page, part]) => !BLOCKS.some(each => each.page === page && each.text.includes(part)),
      ),
    ];
    expect(unused).toEqual([]);
  });

  test.each(ELSEWHERE)('%s reads %s', async (name, page) => {
    const text = await Bun.file(join(ROOT, name)).text();
    expect(text.includes(page) || text.includes('docs/pipelines')).toBe(true);
  });

  test('that is new is found', () => {
    const text = 'A page.\n\n```sh\nls\n```\n\nAnd:\n\n    npm start\n';
    expect(blocksIn('docs/new.md', text)).toEqual([
      { page: 'docs/new.md', line: 3, language: 'sh', text: 'ls\n', above: 'A page.' },
      { page: 'docs/new.md', line: 9, language: '', text: 'npm start\n', above: 'And:' },
    ]);
  });
});
