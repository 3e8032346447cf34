import { describe, expect, test } from 'bun:test';
import { Rejection } from '../../src/terms/errors.ts';
import { UnsentBytes } from '../../src/http/unsent-bytes.ts';
import { parseHead } from '../../src/http/wire/head.ts';
import { WireRequest } from '../../src/http/wire/request.ts';

/** A request that a server answers. */
const asked = () =>
  new WireRequest(parseHead('GET / HTTP/1.1\r\nHost: localhost'), null, {
    remoteAddress: '127.0.0.1',
  }) as unknown as WireRequest & Request;

const settled = async (promise: Promise<void>): Promise<boolean> =>
  Promise.race([promise.then(() => true), Bun.sleep(0).then(() => false)]);

describe('answers that wait to be read', () => {
  test('count until they have left, and others wait for their room in order', async () => {
    const unsent = new UnsentBytes(10);
    const [first, second, third] = [asked(), asked(), asked()];
    await unsent.reserve(first, 'a', 6);
    const [waits, waitsToo] = [unsent.reserve(second, 'a', 5), unsent.reserve(third, 'a', 1)];
    expect(await settled(waits)).toBe(false);
    // It would fit, but comes after one that waits.
    expect(await settled(waitsToo)).toBe(false);
    first.sent();
    await Promise.all([waits, waitsToo]);
    second.sent();
    third.sent();
    expect(unsent.size).toBe(0);
  });

  test('of one account do not hold up another', async () => {
    const unsent = new UnsentBytes(10);
    await unsent.reserve(asked(), 'a', 10);
    await unsent.reserve(asked(), 'b', 10);
  });

  test('larger than the bound are answered alone', async () => {
    const unsent = new UnsentBytes(10);
    await unsent.reserve(asked(), 'a', 11);
    expect(await settled(unsent.reserve(asked(), 'a', 1))).toBe(false);
  });

  test('are refused when they have waited too long, or when too many wait', async () => {
    const unsent = new UnsentBytes(10, 1);
    await unsent.reserve(asked(), 'a', 10);
    const refused = await unsent.reserve(asked(), 'a', 1).catch(error => error);
    expect(refused).toBeInstanceOf(Rejection);
    expect([refused.code, refused.headers['Retry-After']]).toEqual(['RATE_LIMITED', '1']);
    const patient = new UnsentBytes(10, 20);
    await patient.reserve(asked(), 'a', 10);
    const all = Array.from({ length: 101 }, () =>
      patient.reserve(asked(), 'a', 1).catch(error => error.code),
    );
    // The last one at once, the others when they have waited.
    expect(await Promise.race(all)).toBe('RATE_LIMITED');
    expect(new Set(await Promise.all(all))).toEqual(new Set(['RATE_LIMITED']));
  });

  test('of screenings that nobody reads refuse the next ones', async () => {
    const unsent = new UnsentBytes(10);
    const request = asked();
    unsent.add(request, 'a', 9);
    unsent.check('a');
    unsent.add(request, 'a', 1);
    expect(() => unsent.check('a')).toThrow('wait to be read');
    request.sent();
    unsent.check('a');
  });

  test('of jobs do not refuse screenings: who reads them does not stop a pipeline', async () => {
    const unsent = new UnsentBytes(10);
    await unsent.reserve(asked(), 'a', 10);
    unsent.check('a');
  });
});
