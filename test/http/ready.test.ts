import { describe, expect, test } from 'bun:test';
import pino from 'pino';
import { Rejection } from '../../src/terms/errors.ts';
import type { Dependency } from '../../src/stores/ports.ts';
import { asked, get } from './asking.ts';
import { batch, Service } from './service.ts';

const there = (name: string): Dependency => ({ name, check: async () => {} });
const away = (name: string): Dependency => ({
  name,
  check: () => Promise.reject(new Rejection('SERVICE_UNAVAILABLE', 'away')),
});

describe('GET /v1/ready', () => {
  test('lists the stores if all are available', async () => {
    const answer = await get(new Service({ dependencies: [there('sqlite'), there('redis')] }), '/v1/ready');
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'ready', dependencies: ['sqlite', 'redis'] },
    });
  });

  test('is not cached', async () => {
    const { headers } = await get(new Service(), '/v1/ready');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('gives a 503 with only the missing stores', async () => {
    const dependencies = [away('postgres'), there('sqlite'), away('redis')];
    const { status, headers, body } = await get(new Service({ dependencies }), '/v1/ready');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(body).toEqual({
      message: 'Not reachable or not writable: postgres, redis',
      code: 'SERVICE_UNAVAILABLE',
      missing: ['postgres', 'redis'],
    });
  });

  test('logs what is missing and why when that changes, and not at every probe', async () => {
    const logged: { level: number; msg: string; dependency?: string; reason?: string }[] = [];
    const log = pino({ level: 'info' }, { write: line => void logged.push(JSON.parse(line)) });
    let reason: string | null = 'the database is empty';
    const check = async () => {
      const cause = new Error(reason ?? '');
      if (reason !== null) throw Object.assign(new Rejection('SERVICE_UNAVAILABLE', 'away'), { cause });
    };
    const service = new Service({ dependencies: [there('redis'), { name: 'postgres', check }], log });
    const probe = async () => {
      for (let i = 0; i < 3; i++) await get(service, '/v1/ready');
      return logged
        .splice(0)
        .flatMap(({ level, msg, ...rest }) => (msg.includes('ready') ? [{ ...rest, level, msg }] : []));
    };
    const missing = { level: 40, msg: 'not ready: a store is missing', dependency: 'postgres' };
    expect(await probe()).toMatchObject([{ ...missing, reason: 'the database is empty' }]);
    reason = 'the database is another one';
    expect(await probe()).toMatchObject([{ ...missing, reason: 'the database is another one' }]);
    reason = null;
    expect(await probe()).toMatchObject([{ level: 30, msg: 'ready again' }]);
    expect(await probe()).toEqual([]);
  });
});

describe('a process that is stopping', () => {
  const stopping = () => new Service({ draining: () => true });

  test('says so without waiting for its stores', async () => {
    const check = () => new Promise<never>(() => {});
    const { status } = await get(
      new Service({ draining: () => true, dependencies: [{ name: 'redis', check }] }),
      '/v1/ready',
    );
    expect(status).toBe(503);
  });

  test.each(['/v1/ready', '/v1/ready?by=balancer'])('reports it at %s', async path => {
    const { status, body } = await get(stopping(), path);
    expect([status, body.message]).toEqual([503, 'This process is stopping']);
  });

  test.each(['/v1/health', '/v1/health?', '/v1/health?x=/y'])('still answers %s', async path => {
    expect((await asked(stopping(), path)).status).toBe(200);
  });

  test.each(['/v1/jobs', '/v1/jobs?x=/v1/health', '/v1/schema/v1%2Fhealth', '/nowhere'])(
    'sends who asks for %s elsewhere',
    async path => {
      const { status, headers, body } = await get(stopping(), path);
      expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect([headers.get('retry-after'), headers.get('connection')]).toEqual(['1', 'close']);
    },
  );

  test('rejects screenings', async () => {
    const service = stopping();
    expect((await service.post(batch([{ a: 1 }]))).status).toBe(503);
    expect(await service.counted('scaler')).toBe(0);
  });
});
