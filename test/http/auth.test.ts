import { beforeEach, describe, expect, test } from 'bun:test';
import { know } from '../baseline/know.ts';
import { SECRET_BYTES, tokenFrom } from '../../src/account/keys.ts';
import { Listener } from '../../src/http/serve.ts';
import { type Answer, answerOf, batch, KEY, SCALE_KEY, Service } from './service.ts';

const ANN = 'ann@corp.com';
const BOB = 'bob@corp.com';
const ASKED = {
  ok: true,
  message: 'If this address can sign in, it will receive a code; at most 5 codes are sent per hour',
};
const WRONG = { code: 'AUTH_INVALID', message: 'The code is wrong, used or expired: request a new one' };

let service: Service;
beforeEach(() => {
  service = new Service();
});

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
  const request = new Request(`http://localhost/v1/auth/${path}`, {
    method,
    body: text,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  return answerOf(await service.app.handle(request));
}

const ask = (email: unknown) => send('POST', 'otp', { email });
const enter = (email: unknown, code: unknown) => send('POST', 'session', { email, code });
const leave = (headers: Record<string, string>) => send('DELETE', 'session', undefined, headers);
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

async function codeFor(email: string): Promise<string> {
  await ask(email);
  await service.deps.signIn.sent();
  return service.mailed.get(email)!.at(-1)!;
}

async function tokenFor(email: string): Promise<string> {
  return (await enter(email, await codeFor(email))).body.token;
}

/** One screening of two rows with this token. */
const screen = (token: string): Promise<Answer> => {
  const request = new Request('http://localhost/v1/screen', {
    method: 'POST',
    body: batch([{ id: 1 }, { id: 2 }]),
    headers: { 'Content-Type': 'application/json', ...bearer(token) },
  });
  return service.app.handle(request).then(answerOf);
};

const wrongFor = (code: string) => code.replace(/^./, digit => String((Number(digit) + 1) % 10));

describe('POST /v1/auth/otp', () => {
  test('mails a code, ignoring case and surrounding spaces of the address', async () => {
    expect(await ask(' Ann@Corp.COM ')).toMatchObject({ status: 202, body: ASKED });
    await service.deps.signIn.sent();
    expect(service.mailed.get(ANN)).toEqual([expect.stringMatching(/^\d{6}$/)]);
  });

  test('gives the same response for known, unknown and exhausted addresses', async () => {
    await tokenFor(ANN);
    const answers = [];
    for (const email of [ANN, BOB, ANN, ANN, ANN, ANN, ANN]) answers.push(await ask(email));
    await service.deps.signIn.sent();
    expect(service.mailed.get(ANN)).toHaveLength(5);
    const seen = answers.map(({ status, body, headers }) => {
      headers.delete('x-request-id');
      return { status, body, headers: [...headers] };
    });
    for (const each of seen) expect(each).toEqual(seen[0]!);
    expect(seen[0]).toMatchObject({ status: 202, body: ASKED });
  });

  test('is rejected from the twenty-first request of a client on', async () => {
    for (let i = 0; i < 20; i++) expect((await ask(`user${i}@corp.com`)).status).toBe(202);
    const { status, body, headers } = await ask('user21@corp.com');
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '60']);
  });

  test.each([
    undefined,
    null,
    7,
    '',
    'ann',
    'ann@corp',
    'a b@corp.com',
    'ann@corp.com,bob@corp.com',
    { '0': 'a@b.c' },
  ])('email cannot be %p', async email => {
    const { status, body } = await ask(email);
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.message).toStartWith("email must be an e-mail address such as 'ann@corp.com'");
  });

  test.each([
    ['{', 400, 'INVALID_JSON'],
    ['[]', 400, 'INVALID_PARAMETER'],
    ['', 400, 'INVALID_PARAMETER'],
    [`{"email":"${'a'.repeat(70_000)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
  ])('a body like %.10s is refused', async (text, status, code) => {
    expect(await send('POST', 'otp', text)).toMatchObject({ status, body: { code } });
  });

  test('a body with another content type is rejected', async () => {
    const answer = await send('POST', 'otp', 'email=ann@corp.com', { 'Content-Type': 'text/plain' });
    expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });
});

describe('POST /v1/auth/session', () => {
  test('opens a session that works on every endpoint instead of a key', async () => {
    const { status, body, headers } = await enter('ANN@corp.com', ` ${await codeFor(ANN)} `);
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.stringMatching(/^sluice_session_[0-9A-Za-z]{43}$/),
      expires_at: '2026-11-28T12:00:00.000Z',
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await screen(body.token)).headers.get('x-ratelimit-plan')).toBe('developer');
  });

  test('gives the same response for wrong, used, foreign and missing codes', async () => {
    const used = await codeFor(ANN);
    await enter(ANN, used);
    const code = await codeFor(ANN);
    const answers = [
      await enter(ANN, wrongFor(code)),
      await enter(ANN, used === code ? wrongFor(code) : used),
      await enter(BOB, code),
      await enter(ANN, ''),
      await enter(ANN, 'constructor'),
      await enter(ANN, `${code}0`),
      await enter(ANN, code),
    ];
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 401, body: WRONG });
  });

  test.each([
    [{}, 'email'],
    [{ email: 'ann', code: '012345' }, 'email'],
    [{ email: ANN }, 'code'],
    [{ email: ANN, code: 12345 }, 'code'],
    [{ email: ANN, code: null }, 'code'],
  ])('%p is refused by the name of what is wrong', async (body, name) => {
    const answer = await send('POST', 'session', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
    expect(answer.body.message).toStartWith(`${name} must be `);
  });

  test('a guessing client gets only 401 and soon 429', async () => {
    const code = await codeFor(ANN);
    const guesses = await Promise.all(Array.from({ length: 100 }, () => enter(ANN, wrongFor(code))));
    const statuses = guesses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(50).fill(401), ...Array(50).fill(429)]);
    const waits = guesses
      .filter(({ status }) => status === 429)
      .map(({ headers }) => headers.get('retry-after'));
    expect(new Set(waits)).toEqual(new Set(['1']));
  });
});

describe('DELETE /v1/auth/session', () => {
  test('ends the session at once', async () => {
    const token = await tokenFor(ANN);
    expect((await screen(token)).status).toBe(200);
    expect(await leave(bearer(token))).toMatchObject({ status: 200, body: { ok: true } });
    expect(await screen(token)).toMatchObject({ status: 401, body: { code: 'AUTH_INVALID' } });
    expect((await leave(bearer(token))).status).toBe(401);
  });

  test('keeps other sessions of the account and of others', async () => {
    const [one, two, bobs] = [await tokenFor(ANN), await tokenFor(ANN), await tokenFor(BOB)];
    await leave(bearer(one));
    expect([(await screen(two)).status, (await screen(bobs)).status]).toEqual([200, 200]);
  });

  test.each<[string, Record<string, string>, number]>([
    ['nothing', {}, 401],
    ['a token that nobody has', bearer(tokenFrom(new Uint8Array(SECRET_BYTES).fill(1))), 401],
    ['nonsense', bearer('nonsense'), 401],
    ['an API key', { 'X-API-Key': KEY }, 400],
    ['an API key as a token', bearer(KEY), 401],
  ])('with %s is refused', async (_, headers, status) => {
    expect((await leave(headers)).status).toBe(status);
  });

  test('with a key besides the token ends nothing and says why', async () => {
    const token = await tokenFor(ANN);
    const { status, body } = await leave({ ...bearer(token), 'X-API-Key': KEY });
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.message).toContain('without X-API-Key');
    expect((await screen(token)).status).toBe(200);
  });
});

describe('/v1/auth/sessions', () => {
  const list = async (headers: Record<string, string>) =>
    (await send('GET', 'sessions', undefined, headers)).body.sessions as { id: string; current: boolean }[];
  const remove = (path: string, headers: Record<string, string>) => send('DELETE', path, undefined, headers);

  test('lists the sessions of the account alone, and says which is the own one', async () => {
    const [first, second] = [await tokenFor(ANN), await tokenFor(ANN)];
    await tokenFor(BOB);
    const sessions = await list(bearer(first));
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    const own = sessions.find(({ current }) => current)!;
    expect((await list(bearer(second))).find(({ current }) => current)!.id).not.toBe(own.id);
    expect(JSON.stringify(sessions)).not.toContain(first.slice(-20));
    expect(await list({ 'X-API-Key': KEY })).toEqual([]);
  });

  test('ends one of them at once, and none of another account', async () => {
    const [stolen, own, foreign] = [await tokenFor(ANN), await tokenFor(ANN), await tokenFor(BOB)];
    await screen(stolen);
    const id = (await list(bearer(stolen))).find(({ current }) => current)!.id;
    expect(await remove(`sessions/${id}`, bearer(foreign))).toMatchObject({ status: 404 });
    expect((await screen(stolen)).status).toBe(200);
    expect(await remove(`sessions/${id}`, bearer(own))).toMatchObject({
      status: 200,
      body: { ok: true, id },
    });
    expect((await screen(stolen)).status).toBe(401);
    expect((await screen(own)).status).toBe(200);
    expect(await remove(`sessions/${id}`, bearer(own))).toMatchObject({ status: 404 });
    expect(await remove('sessions/session_', bearer(own))).toMatchObject({ status: 404 });
  });

  test('ends none for an id that is empty or not UTF-8', async () => {
    const [own, other] = [await tokenFor(ANN), await tokenFor(ANN)];
    expect(await remove('sessions/', bearer(own))).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAMETER' },
    });
    expect(await remove('sessions/%ff', bearer(own))).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect((await screen(other)).status).toBe(200);
  });

  test('ends all others at once', async () => {
    const tokens = [await tokenFor(ANN), await tokenFor(ANN), await tokenFor(ANN)];
    const foreign = await tokenFor(BOB);
    expect((await remove('sessions', bearer(tokens[1]!))).body).toEqual({ ok: true, ended: 2 });
    const statuses = await Promise.all([...tokens, foreign].map(async token => (await screen(token)).status));
    expect(statuses).toEqual([401, 200, 401, 200]);
  });
});

describe('POST /v1/account/claim', () => {
  const claim = async (key: unknown, headers: Record<string, string>) =>
    send('POST', '../account/claim', { key }, headers);
  const jobsOf = async (token: string) => {
    const request = new Request('http://localhost/v1/jobs', { headers: bearer(token) });
    return ((await (await service.app.handle(request)).json()) as { jobs: unknown[] }).jobs;
  };

  test('shows what was posted with the key to its claimer, in every session, and at the next sign-in', async () => {
    await service.post(batch([{ id: 1 }]), { 'X-API-Key': KEY });
    const [token, another] = [await tokenFor(ANN), await tokenFor(ANN)];
    expect([await jobsOf(token), await jobsOf(another)]).toEqual([[], []]);
    const { status, body } = await claim(` ${KEY}\n`, bearer(token));
    expect({ status, body }).toEqual({
      status: 200,
      body: { ok: true, message: 'Your address now signs in to the account of this key' },
    });
    for (const each of [token, another, await tokenFor(ANN)]) expect(await jobsOf(each)).toHaveLength(1);
    expect((await claim(KEY, bearer(token))).status).toBe(200);
  });

  test('a batch that its claimer is sending meanwhile leaves nothing behind, and is theirs when it is sent again', async () => {
    const token = await tokenFor(ANN);
    const left = await service.deps.authentication.identityOf(new Headers(bearer(token)));
    const body = new ReadableStream(
      {
        // The account of the request is known by now.
        async pull(controller) {
          expect((await claim(KEY, bearer(token))).status).toBe(200);
          controller.enqueue(new TextEncoder().encode(batch([{ id: 1 }, { id: 2 }])));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'Content-Type': 'application/json', ...bearer(token) };
    const request = new Request('http://localhost/v1/screen', { method: 'POST', body, headers });
    const refused = await answerOf(await service.app.handle(request));
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      '1',
    ]);
    expect(refused.body.message).toEndWith(
      'moved to another account, at this moment: send the request again',
    );
    expect(await service.counted(left.account.id)).toBe(0);
    const known = await know(service.baselineStore, left.account.id, 'orders');
    expect(known.baseline).toBeNull();
    expect((await screen(token)).status).toBe(200);
    expect(await jobsOf(token)).toHaveLength(1);
  });

  test('refuses an account that somebody signs in to', async () => {
    await claim(KEY, bearer(await tokenFor(ANN)));
    const { status, body } = await claim(KEY, bearer(await tokenFor(BOB)));
    expect([status, body.code]).toEqual([409, 'CLAIM_CONFLICT']);
    expect(body.message).toStartWith('Somebody signs in to the account of this key already');
  });

  test('refuses a claimer who would lose something, and says what', async () => {
    const token = await tokenFor(ANN);
    const settings = { method: 'PUT', body: '{"mode":"adaptive"}' };
    const ask = (path: string, init: RequestInit) =>
      service.app.handle(
        new Request(`http://localhost/v1/${path}`, {
          ...init,
          headers: { 'Content-Type': 'application/json', ...bearer(token) },
        }),
      );
    await ask('schema/orders/settings', settings);
    expect(await claim(KEY, bearer(token))).toMatchObject({
      status: 409,
      body: {
        code: 'CLAIM_CONFLICT',
        message:
          'Your own account has sources, which you would lose: to claim this key, sign in with another address',
      },
    });
    await ask('keys', { method: 'POST', body: '{}' });
    expect((await claim(KEY, bearer(token))).body.message).toBe(
      'Your own account has API keys, which you would lose: delete them first',
    );
  });

  test('refuses what is no key, a key that nobody has, and a caller with a key', async () => {
    const headers = bearer(await tokenFor(ANN));
    for (const key of [undefined, 7, '', 'sluice_live_', `${KEY}\0`])
      expect(await claim(key, headers)).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
    expect(await claim(`sluice_live_${'0'.repeat(43)}`, headers)).toMatchObject({ status: 404 });
    const byKey = await claim(KEY, { 'X-API-Key': SCALE_KEY });
    expect(byKey).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
  });

  test('keys that are tried count toward the limit of codes that are tried', async () => {
    const headers = bearer(await tokenFor(ANN));
    for (let i = 0; i < 49; i++) await claim(`sluice_live_${'0'.repeat(43)}`, headers);
    expect((await claim(KEY, headers)).status).toBe(429);
    expect((await enter(BOB, '000000')).status).toBe(429);
  });
});

test('a session gives access only to its own account', async () => {
  const [ann, bob] = [await tokenFor(ANN), await tokenFor(BOB)];
  const accountOf = async (token: string) =>
    (await service.deps.authentication.identityOf(new Headers(bearer(token)))).account.id;
  const [anns, bobs] = [await accountOf(ann), await accountOf(bob)];
  expect(new Set([anns, bobs, 'owner', 'scaler']).size).toBe(4);
  expect((await screen(ann)).body).not.toHaveProperty('drift');
  expect(await Promise.all([anns, bobs, 'owner'].map(id => service.counted(id)))).toEqual([2, 0, 0]);
  const jobs = () =>
    service.rows(
      'SELECT account, CAST(count(*) AS INTEGER) AS jobs FROM jobs GROUP BY account ORDER BY account',
    );
  expect(await jobs()).toEqual([{ account: anns, jobs: 1 }]);
  await leave(bearer(ann));
  expect(await accountOf(bob)).toBe(bobs);
});

test.each([
  ['GET', 'otp', 'POST, OPTIONS'],
  ['GET', 'session', 'POST, DELETE, OPTIONS'],
])('%s %s is a 405 that names the methods there are', async (method, path, allow) => {
  const { status, headers } = await send(method, path);
  expect([status, headers.get('allow')]).toEqual([405, allow]);
});

describe('over a socket the client is', () => {
  async function statusOfLast(trusted: boolean, forwarded: (i: number) => string): Promise<number> {
    const trustedProxies = trusted ? [{ address: '127.0.0.1', family: 'ipv4', prefix: 32 } as const] : [];
    const { app } = new Service({ trustedProxies });
    const listener = new Listener(app, {
      port: 0,
      host: '127.0.0.1',
      bodyStallSeconds: 10,
    });
    let status = 0;
    for (let i = 0; i <= 20; i++) {
      const response = await fetch(`http://127.0.0.1:${listener.server.port}/v1/auth/otp`, {
        method: 'POST',
        body: JSON.stringify({ email: `user${i}@corp.com` }),
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': forwarded(i) },
      });
      ({ status } = response);
    }
    await listener.stop();
    return status;
  }

  test('the peer, even with X-Forwarded-For', async () => {
    expect(await statusOfLast(false, i => `198.51.100.${i}`)).toBe(429);
  });

  test('the address that a trusted proxy names', async () => {
    expect(await statusOfLast(true, i => `198.51.100.${i}`)).toBe(202);
    expect(await statusOfLast(true, i => `1.1.1.${i}, 198.51.100.7`)).toBe(429);
    expect(await statusOfLast(true, i => `2001:db8::${i}`)).toBe(429);
  });
});
