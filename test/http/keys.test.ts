import { describe, expect, test } from 'bun:test';
import { RateLimiter } from '../../src/stores/rates.ts';
import { SqlSignIn } from '../../src/stores/sql/sign-in.ts';
import { SECRET_BYTES, secretSha256, tokenFrom } from '../../src/account/keys.ts';
import { type Answer, answerOf, type BodyContent, batch, KEY, NOW, SCALE_KEY, Service } from './service.ts';

const AT = '2026-11-21T12:00:00.000Z';
const UNKNOWN = `sluice_live_${'u0'.repeat(16)}`;
const TOKEN = tokenFrom(new Uint8Array(SECRET_BYTES).fill(9));

/** Calls that never come too often. */
const unlimited = (): RateLimiter =>
  Object.assign(new RateLimiter(), { take: () => ({ allowed: true, tat: 0 }) });

async function ask(
  service: Service,
  method: string,
  path: string,
  body?: BodyContent,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const request = new Request(`http://localhost${path}`, {
    method,
    body: body ?? null,
    headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json', ...headers },
  });
  return answerOf(await service.app.handle(request));
}

const create = (service: Service, body: unknown = {}, headers = {}) =>
  ask(service, 'POST', '/v1/keys', JSON.stringify(body), headers);
const list = async (service: Service, headers = {}) =>
  (await ask(service, 'GET', '/v1/keys', undefined, headers)).body.keys;
const remove = (service: Service, id: string, headers = {}) =>
  ask(service, 'DELETE', `/v1/keys/${id}`, undefined, headers);

/** Asks with the token of a new session in place of a key. */
async function signedIn(service: Service, method: string, path: string): Promise<Answer> {
  const session = { sha256: secretSha256(TOKEN), account: 'owner', createdAt: NOW, expiresAt: NOW + 1000 };
  await new SqlSignIn(service.database).openSession(session);
  const headers = { Authorization: `Bearer ${TOKEN}` };
  return answerOf(await service.app.handle(new Request(`http://localhost${path}`, { method, headers })));
}

describe('creating a key', () => {
  test('returns a 201 with the whole key, which caches must not store', async () => {
    const { status, headers, body } = await create(new Service(), { name: ' nightly ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      key: expect.stringMatching(/^sluice_live_[0-9A-Za-z]{43}$/),
      id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
      name: 'nightly',
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('makes it work at once', async () => {
    const service = new Service();
    const { key } = (await create(service)).body;
    expect((await service.post(batch([{ a: 1 }]), { 'X-API-Key': key })).status).toBe(200);
    expect((await create(service, {}, { 'X-API-Key': key })).status).toBe(201);
  });

  test('gives a different key each time', async () => {
    const service = new Service();
    const made = await Promise.all(Array.from({ length: 20 }, () => create(service)));
    expect(new Set(made.map(({ body }) => body.key)).size).toBe(20);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(20);
  });

  test.each([
    ['', {}],
    ['{}', {}],
    ['{"name":null}', {}],
    ['', { 'Content-Type': 'text/plain' }],
  ])('is called API key when the body is %j', async (body, headers) => {
    const answer = await ask(new Service(), 'POST', '/v1/keys', body, headers as Record<string, string>);
    expect(answer).toMatchObject({ status: 201, body: { name: 'API key' } });
  });

  test('ignores unknown members and accepts names such as __proto__', async () => {
    const body = '{"__proto__":{"name":"no"},"constructor":1,"scope":"all"}';
    expect((await ask(new Service(), 'POST', '/v1/keys', body)).body.name).toBe('API key');
  });

  test.each([
    { name: 7 },
    { name: ['a'] },
    { name: 'a\nb' },
    { name: 'a\u202eb' },
    { name: 'a\ud800' },
    { name: 'x'.repeat(101) },
  ])('is refused when the name is bad: %j', async body => {
    const service = new Service();
    const answer = await create(service, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
    expect(answer.body.message).toMatch(/^name must be /);
    expect(await list(service)).toHaveLength(1);
  });

  test('accepts a body of 64 KiB and no byte more', async () => {
    const service = new Service();
    const body = (bytes: number) => '{"name":"x"}'.padEnd(bytes);
    expect((await ask(service, 'POST', '/v1/keys', body(65_536))).status).toBe(201);
    const refused = await ask(service, 'POST', '/v1/keys', body(65_537));
    expect(refused).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  test.each<[string, BodyContent, Record<string, string>, number, string]>([
    ['no JSON', '{"name":', {}, 400, 'INVALID_JSON'],
    ['no object', '["name"]', {}, 400, 'INVALID_PARAMETER'],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), {}, 400, 'INVALID_JSON'],
    ['another type', '{}', { 'Content-Type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a compressed body', '{}', { 'Content-Encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['more than 64 KiB', `{"name":"${'x'.repeat(65_536)}"}`, {}, 413, 'PAYLOAD_TOO_LARGE'],
  ])('is refused when the body is %s', async (_, body, headers, status, code) => {
    const service = new Service();
    const answer = await ask(service, 'POST', '/v1/keys', body, headers);
    expect(answer).toMatchObject({ status, body: { code, message: expect.any(String) } });
    expect(await list(service)).toHaveLength(1);
  });

  test('is rejected when the body stalls, and the connection closes', async () => {
    const body = new ReadableStream({ start: controller => controller.enqueue(new Uint8Array([0x7b])) });
    const answer = await ask(new Service({ bodyStallSeconds: 0.02 }), 'POST', '/v1/keys', body);
    expect(answer).toMatchObject({ status: 408, body: { code: 'REQUEST_TIMEOUT' } });
    expect(answer.headers.get('connection')).toBe('close');
  });

  test('is rejected when the body takes too long', async () => {
    let trickles = true;
    const body = new ReadableStream({
      async pull(controller) {
        await Bun.sleep(2);
        if (trickles) controller.enqueue(new Uint8Array([0x20]));
        else controller.close();
      },
    });
    const headers = { 'X-API-Key': KEY };
    const request = new Request('http://localhost/v1/keys', { method: 'POST', body, headers });
    const response = await new Service({ bodyStallSeconds: 0.1 }).app.handle(request);
    expect(response.status).toBe(408);
    trickles = false;
    expect(await response.json()).toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });

  test('is rejected beyond 100 keys, and works again after a deletion', async () => {
    const service = new Service({ rates: unlimited() });
    for (let keys = 2; keys <= 100; keys++) expect((await create(service)).status).toBe(201);
    const { status, body } = await create(service);
    expect(status).toBe(409);
    expect(body).toEqual({ message: expect.stringContaining('100'), code: 'KEY_LIMIT' });
    const keys = await list(service);
    expect(keys).toHaveLength(100);
    await remove(service, keys[99].id);
    expect((await create(service)).status).toBe(201);
    expect((await create(service, {}, { 'X-API-Key': SCALE_KEY })).status).toBe(201);
  });

  test('never exceeds 100 keys, also for concurrent requests', async () => {
    const service = new Service({ rates: unlimited() });
    const asked = await Promise.all(Array.from({ length: 120 }, () => create(service)));
    expect(asked.filter(({ status }) => status === 201)).toHaveLength(99);
    expect(asked.filter(({ body }) => body.code === 'KEY_LIMIT')).toHaveLength(21);
    expect(await list(service)).toHaveLength(100);
  });
});

describe('the list of keys', () => {
  test('shows prefixes and not the keys', async () => {
    const service = new Service();
    const { key, id } = (await create(service, { name: 'nightly' })).body;
    const keys = await list(service);
    expect(keys).toEqual([
      expect.objectContaining({ id: 'key_owner', created_at: '1970-01-01T00:00:00.000Z' }),
      { id, name: 'nightly', key_prefix: key.slice(0, 16), created_at: AT, last_used: null },
    ]);
    expect(JSON.stringify(keys)).not.toContain(key);
  });

  test('shows a use before it is written', async () => {
    const service = new Service();
    const { key, id } = (await create(service)).body;
    expect((await list(service))[0]).toMatchObject({ id: 'key_owner', last_used: AT });
    await service.post(batch([{ a: 1 }]), { 'X-API-Key': key });
    expect((await list(service))[1]).toMatchObject({ id, last_used: AT });
    expect(await stored(service)).toEqual([]);
  });

  test('shows a written use in every process', async () => {
    const service = new Service();
    await list(service);
    await service.deps.keyUses.flush();
    expect(await stored(service)).toEqual([{ id: 'key_owner', last_used: NOW }]);
    const keys = await signedIn(service, 'GET', '/v1/keys');
    expect(keys.body.keys[0].last_used).toBe(AT);
  });

  test('counts a rejected request as a use, but not a wrong key or a session', async () => {
    const service = new Service();
    const { key, id } = (await create(service)).body;
    await signedIn(service, 'GET', '/v1/keys');
    await service.post('{', { 'X-API-Key': `${key}x` });
    expect((await list(service))[1]).toMatchObject({ id, last_used: null });
    await service.post('{', { 'X-API-Key': key });
    expect((await list(service))[1]).toMatchObject({ id, last_used: AT });
  });
});

const stored = ({ rows }: Service) =>
  rows('SELECT id, CAST(last_used AS DOUBLE PRECISION) AS last_used FROM keys WHERE last_used IS NOT NULL');

describe('one key', () => {
  test('is shown as in the list', async () => {
    const service = new Service();
    const { id } = (await create(service, { name: 'nightly' })).body;
    const entry = (await list(service)).find((each: { id: string }) => each.id === id);
    const found = await ask(service, 'GET', `/v1/keys/${id}`);
    expect([found.status, found.body]).toEqual([200, entry]);
  });

  test('of another account is a 404', async () => {
    const { status, body } = await ask(new Service(), 'GET', '/v1/keys/key_scaler');
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('deleting a key', () => {
  test('returns a 200, and the key stops working', async () => {
    const service = new Service();
    const { key, id } = (await create(service)).body;
    expect((await service.post(batch([{ a: 1 }]), { 'X-API-Key': key })).status).toBe(200);
    const { status, body } = await remove(service, id);
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, id, message: expect.any(String) });
    const refused = await service.post(batch([{ a: 1 }]), { 'X-API-Key': key });
    expect(refused).toMatchObject({ status: 401, body: { code: 'AUTH_INVALID' } });
    expect(await list(service)).toHaveLength(1);
  });

  test('works once', async () => {
    const service = new Service();
    const { id } = (await create(service)).body;
    const statuses = (await Promise.all([1, 2, 3].map(() => remove(service, id)))).map(each => each.status);
    expect(statuses.sort()).toEqual([200, 404, 404]);
  });

  test.each(['key_x', '%zz', '%00', '%ED%A0%80', 'a%2Fb', '__proto__', `key_${'x'.repeat(5_000)}`, '%20'])(
    'is a 404 where the account has none: %s',
    async id => {
      const { status, body } = await remove(new Service(), id);
      expect(status).toBe(404);
      expect(body).toEqual({
        code: 'NOT_FOUND',
        message: expect.stringMatching(/^The account has no key '.*'$/),
      });
      expect(body.message.length).toBeLessThan(100);
    },
  );

  test('rejects an invalid id without a query', async () => {
    const service = new Service();
    const asked: string[] = [];
    const { keys } = service.deps;
    keys.remove = async (_, id) => {
      asked.push(id);
      return null;
    };
    for (const id of ['key_0aZ', 'key_%00', 'key_', `key_${'x'.repeat(65)}`]) await remove(service, id);
    expect(asked).toEqual(['key_0aZ']);
  });

  test('gives the same 404 for a key of another account, which still works', async () => {
    const service = new Service();
    const other = await remove(service, 'key_scaler');
    const unknown = await remove(service, 'key_nobody');
    expect(other.status).toBe(404);
    expect(other.body.message.replace('key_scaler', 'key_nobody')).toBe(unknown.body.message);
    expect((await service.post(batch([{ a: 1 }]))).status).toBe(200);
  });

  test('is rejected for the key of the request, and works with another key or a session', async () => {
    const service = new Service();
    const own = await remove(service, 'key_owner');
    expect(own).toMatchObject({ status: 409, body: { code: 'KEY_IN_USE' } });
    expect(await list(service)).toHaveLength(1);
    const { key, id } = (await create(service)).body;
    expect((await remove(service, 'key_owner', { 'X-API-Key': key })).status).toBe(200);
    expect((await signedIn(service, 'DELETE', `/v1/keys/${id}`)).status).toBe(200);
  });
});

describe('1,000 wrong keys', () => {
  test('get only 401, and a good key stays fast and cached', async () => {
    const service = new Service();
    await list(service);
    service.identities.asked.length = 0;
    const wrong = Array.from({ length: 1000 }, (_, number) => `${UNKNOWN}${number}`);
    const answers = await Promise.all(wrong.map(key => create(service, {}, { 'X-API-Key': key })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['401 AUTH_INVALID']),
    );
    expect(await list(service)).toHaveLength(1);
    expect(service.identities.asked).not.toContain(secretSha256(KEY));
  });
});
