/** Monitoring of every request: its log line, its headers and its count. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import type { AppDependencies } from '../../src/http/app.ts';
import type { RequestOutcome } from '../../src/http/request-outcome.ts';
import { STAGES } from '../../src/screen/stages.ts';
import { batch, KEY, SCALE_KEY, Service } from './service.ts';

const ROWS = Array.from({ length: 20 }, (_, id) => ({ id, email: 'secret@corp.com' }));
const GOOD = batch(ROWS);

// biome-ignore lint/suspicious/noExplicitAny: what a line holds is what the tests ask
type Line = any;

/** A service that records its log lines and its metrics. */
class Monitored extends Service {
  readonly logged: Line[];
  readonly seen: RequestOutcome[];
  started = 0;

  static with(change: Partial<AppDependencies> = {}): Monitored {
    const lines: Line[] = [];
    const log = pino({ level: 'trace' }, { write: line => lines.push(JSON.parse(line)) });
    const counted: RequestOutcome[] = [];
    const meter = {
      started: () => service.started++,
      finished: (request: RequestOutcome) => counted.push(request),
    };
    const service: Monitored = new Monitored(lines, counted, { log, meter, ...change });
    return service;
  }

  private constructor(lines: Line[], counted: RequestOutcome[], change: Partial<AppDependencies>) {
    super(change);
    this.logged = lines;
    this.seen = counted;
  }

  /** Sends a request; returns the response and the log lines that it caused. */
  async ask(method: string, path: string, headers: Record<string, string> = {}, body: string | null = null) {
    const request = new Request(`http://localhost${path}`, {
      method,
      body,
      headers: { 'X-API-Key': SCALE_KEY, 'Content-Type': 'application/json', ...headers },
    });
    this.logged.length = 0;
    const response = await this.app.handle(request);
    await response.text();
    await setImmediate();
    return { response, lines: [...this.logged] };
  }

  screen(body: string, headers: Record<string, string> = {}) {
    return this.ask('POST', '/v1/screen', headers, body);
  }
}

let service: Monitored;

beforeEach(() => {
  service = Monitored.with();
});

describe('the log line of a screening', () => {
  test('has account, route, sizes, verdict and stage times', async () => {
    const { response, lines } = await service.screen(GOOD);
    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        id: response.headers.get('x-request-id'),
        account: 'scaler',
        method: 'POST',
        route: '/v1/screen',
        status: 200,
        ms: expect.any(Number),
        bytes: GOOD.length,
        rows: 20,
        verdict: 'PASS',
        health: 1,
        stages: expect.any(Object),
        msg: 'answered',
      },
    ]);
    const { ms, stages } = lines[0];
    const taken = Object.entries<number>(stages);
    expect(taken.map(([stage]) => stage).filter(stage => !STAGES.includes(stage as never))).toEqual([]);
    for (const stage of ['admit', 'parse', 'reserve', 'profile', 'judge', 'learn', 'commit'])
      expect(stages[stage]).toBeGreaterThanOrEqual(0);
    const sum = taken.reduce((total, [, each]) => total + each, 0);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThan(ms + 0.1);
  });

  test('of a replay is marked and has the id of the first request', async () => {
    const key = { 'Idempotency-Key': 'k' };
    const first = await service.screen(GOOD, key);
    const { lines } = await service.screen(GOOD, key);
    expect(lines).toMatchObject([{ id: first.lines[0].id, replayed: true, rows: 20 }]);
    expect(first.lines[0]).not.toHaveProperty('replayed');
  });

  test('of a rejection has its code and the known facts', async () => {
    const { response, lines } = await service.screen(`${GOOD.slice(0, 200)}!`);
    expect(response.status).toBe(400);
    const id = response.headers.get('x-request-id')!;
    expect(lines).toMatchObject([
      { level: 30, id, account: 'scaler', status: 400, code: 'INVALID_JSON', bytes: 201 },
    ]);
    expect(lines[0]).not.toHaveProperty('verdict');
  });

  test('of an unknown caller has no account', async () => {
    const { lines } = await service.screen(GOOD, { 'X-API-Key': `${KEY}x` });
    expect(lines).toMatchObject([{ status: 401, code: 'AUTH_INVALID' }]);
    expect(lines[0]).not.toHaveProperty('account');
  });
});

describe('a trace', () => {
  const [id, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

  test('is in the log line, and the answer names this request as the parent of the next step', async () => {
    const { response, lines } = await service.screen(GOOD, { traceparent: `00-${id}-${parent}-01` });
    const { span } = lines[0];
    expect(lines).toMatchObject([{ trace: id, parent, span: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
    expect(span).not.toBe(parent);
    expect(response.headers.get('traceparent')).toBe(`00-${id}-${span}-01`);
  });

  test('is in the line of a refusal too', async () => {
    const { response, lines } = await service.screen('{', { traceparent: `00-${id}-${parent}-00` });
    expect(response.headers.get('traceparent')).toStartWith(`00-${id}-`);
    expect(lines).toMatchObject([{ status: 400, trace: id }]);
  });

  test('of a later version is read as far as it is known', async () => {
    const { lines } = await service.screen(GOOD, { traceparent: `cc-${id}-${parent}-01-more` });
    expect(lines).toMatchObject([{ trace: id, parent }]);
  });

  test.each([
    '',
    'mine',
    `00-${id}-${parent}`,
    `00-${id}-${parent}-01-more`,
    `ff-${id}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id.toUpperCase()}-${parent}-01`,
    `00-${id}-${parent}-01, 00-${id}-${parent}-01`,
  ])('that is not valid is ignored: %p', async traceparent => {
    const { response, lines } = await service.screen(GOOD, { traceparent });
    expect([response.status, response.headers.has('traceparent')]).toEqual([200, false]);
    expect(lines[0]).not.toHaveProperty('trace');
  });
});

describe('the level of a log line', () => {
  test.each([
    ['GET', '/v1/jobs', '/v1/jobs', 200, 30],
    ['GET', '/v1/jobs/req_secret', '/v1/jobs/{id}', 404, 30],
    ['DELETE', '/v1/schema/secret', '/v1/schema/{source}', 200, 30],
    ['PUT', '/v1/schema/secret', '/v1/schema/{source}', 405, 30],
    ['GET', '/secret', 'unmatched', 404, 30],
    ['GET', '/openapi.json', '/openapi.json', 200, 30],
    ['GET', '/', '/', 200, 30],
    ['GET', '/v1/health', '/v1/health', 200, 20],
    ['GET', '/v1/ready', '/v1/ready', 200, 20],
  ])('%s %s is logged as %s', async (method, path, route, status, level) => {
    const { response, lines } = await service.ask(method, path);
    expect(response.status).toBe(status);
    expect(lines).toMatchObject([{ level, method, route, status, msg: 'answered' }]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('a server error is a warning, and a bug has another line with the same id', async () => {
    const fault = () => {
      throw new Error('a bug');
    };
    const { response, lines } = await Monitored.with({ rates: { take: fault } }).screen(GOOD);
    const id = response.headers.get('x-request-id')!;
    expect(lines).toMatchObject([
      { level: 50, id, msg: 'bug', err: { message: 'a bug' } },
      { level: 40, id, status: 500, code: 'INTERNAL', msg: 'answered' },
    ]);
  });

  test('a stopping process warns about rejected requests', async () => {
    const { lines } = await Monitored.with({ draining: () => true }).ask('GET', '/v1/jobs');
    expect(lines).toMatchObject([{ level: 40, route: '/v1/jobs', status: 503, code: 'SERVICE_UNAVAILABLE' }]);
  });
});

describe('no log line', () => {
  test('contains a key, token, name or value of a payload, e-mail address or code at any level', async () => {
    await service.screen(batch(ROWS, { source: 'secret-source' }));
    const kept = [...service.logged];
    for (const [body, headers] of [
      [batch([{ secret: 1 }, 7]), {}],
      ['{"secret', {}],
      [GOOD, { 'X-API-Key': 'sluice_live_secret' }],
      [GOOD, { 'X-API-Key': '', Authorization: 'Bearer sluice_session_secret' }],
      [GOOD, { 'Idempotency-Key': 'secret' }],
      [GOOD, { 'Content-Type': 'text/secret' }],
      [batch(ROWS, { options: { thresholds: { secret: 1 } } }), {}],
    ] as const)
      kept.push(...(await service.screen(body, headers)).lines);
    const mail = JSON.stringify({ email: 'secret@corp.com', code: '123456' });
    kept.push(...(await service.ask('POST', '/v1/auth/otp', {}, mail)).lines);
    kept.push(...(await service.ask('POST', '/v1/auth/session', {}, mail)).lines);
    kept.push(...(await service.ask('POST', '/v1/keys', {}, '{"name":"secret"}')).lines);
    expect(kept).toHaveLength(11);
    expect(JSON.stringify(kept)).not.toMatch(/secret|123456|email|sluice_/);
  });
});

describe('every response', () => {
  const ASKED = [
    ['GET', '/v1/jobs'],
    ['GET', '/v1/jobs/none'],
    ['PUT', '/v1/jobs'],
    ['OPTIONS', '/v1/jobs'],
    ['GET', '/none'],
    ['HEAD', '/v1/health'],
    ['GET', '/openapi.json'],
    ['GET', '/docs/swagger-ui.css'],
    ['POST', '/v1/screen'],
  ] as const;

  test.each(ASKED)(
    'of %s %s tells browsers that it is no page, and has an id of its own',
    async (method, path) => {
      const [{ headers }, { headers: other }] = [
        (await service.ask(method, path)).response,
        (await service.ask(method, path)).response,
      ];
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/);
      expect(headers.get('x-request-id')).not.toBe(other.get('x-request-id'));
    },
  );

  test.each(['/', '/docs'])('of the page %s keeps the policy of the page', async path => {
    const { response } = await service.ask('GET', path);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('is counted once, also without a route', async () => {
    for (const [method, path] of ASKED) await service.ask(method, path);
    expect(service.started).toBe(ASKED.length);
    expect(service.seen).toHaveLength(ASKED.length);
    expect(
      service.seen
        .map(({ route }) => route)
        .toSorted()
        .at(-1),
    ).toBe('unmatched');
  });
});

test('a verdict has its id and its stage times in headers', async () => {
  const { status, headers, body } = await service.post(GOOD);
  expect(status).toBe(200);
  expect(headers.get('x-request-id')).toBe(body.request_id);
  const stages = headers.get('server-timing')!.split(', ');
  expect(stages.map(each => each.split(';')[0]!)).toContain('commit');
  for (const each of stages) expect(each).toMatch(/^[a-z]+;dur=\d+(\.\d{1,2})?$/);
});
