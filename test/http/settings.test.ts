/** /v1/schema/{source}/settings and /pin, and what judges a batch: its request, else its source, else the server. */
import { FIELD_SIGN_NAMES } from '../../src/signs/sign.ts';
import { describe, expect, test } from 'bun:test';
import { MAX_INTEGER } from '../../src/options/options.ts';
import { THRESHOLDS } from '../../src/terms/policy.ts';
import { batch, KEY, newStores } from './service.ts';
import { ask, changedBy, known, orders, say, screened, ticking, versionsOf } from './teaching.ts';

const SETTINGS = '/v1/schema/orders/settings';

describe('settings', () => {
  test('are returned with the effective values, and removed by null, by absence and by an empty body', async () => {
    const service = ticking();
    const none = {
      source: 'orders',
      mode: null,
      thresholds: null,
      false_alarm_rate: null,
      settle_after: null,
      signs: null,
      window: null,
      owner: null,
      tags: null,
    };
    const inForce = {
      mode: 'contract',
      thresholds: { ...THRESHOLDS },
      false_alarm_rate: 0.01,
      settle_after: 8,
      signs: FIELD_SIGN_NAMES,
    };
    const never = { ...none, version: 0, effective: inForce };
    expect((await ask(service, 'GET', SETTINGS)).body).toEqual(never);
    const given = {
      mode: 'adaptive',
      thresholds: { null_rate_warn: 0.8, health_block: null },
      false_alarm_rate: 0.05,
      settle_after: 'never',
      signs: ['mojibake', 'impossible_date', 'mojibake'],
    };
    const put = await ask(service, 'PUT', SETTINGS, given);
    const set = {
      source: 'orders',
      mode: 'adaptive',
      thresholds: { null_rate_warn: 0.8 },
      false_alarm_rate: 0.05,
      settle_after: 'never',
      signs: ['mojibake', 'impossible_date'],
      window: null,
      owner: null,
      tags: null,
      version: 1,
      updated_at: expect.any(String),
      updated_by: expect.stringContaining('key_'),
      effective: {
        mode: 'adaptive',
        thresholds: { ...THRESHOLDS, null_rate_warn: 0.8, null_rate_block: 0.8 },
        false_alarm_rate: 0.05,
        settle_after: 'never',
        signs: ['mojibake', 'impossible_date'],
      },
    };
    expect([put.status, put.body]).toEqual([200, set]);
    // What was got can be put.
    expect((await ask(service, 'PUT', SETTINGS, put.body)).body).toEqual(set);
    expect((await ask(service, 'GET', SETTINGS)).body).toEqual(set);
    expect((await ask(service, 'GET', '/v1/schema/visits/settings')).body.effective).toEqual(inForce);
    expect((await ask(service, 'GET', SETTINGS, undefined, KEY)).body).toEqual(never);
    const empty = [{ mode: null }, { thresholds: { null_rate_warn: null } }, {}, undefined];
    for (const [n, nothing] of empty.entries()) {
      const removed = { ...none, version: 2 * n + 2, effective: inForce };
      await ask(service, 'PUT', SETTINGS, given);
      expect((await ask(service, 'PUT', SETTINGS, nothing)).body).toEqual(removed);
      expect((await ask(service, 'GET', SETTINGS)).body).toEqual(removed);
    }
  });

  test('that somebody else has changed are not overwritten, and the answer says which version they have', async () => {
    const service = ticking();
    const put = (version: number | string, settings: object) =>
      ask(service, 'PUT', `${SETTINGS}?if_version=${version}`, settings);
    expect((await put(0, { mode: 'adaptive' })).body.version).toBe(1);
    expect((await put(1, { false_alarm_rate: 0.05 })).body.version).toBe(2);
    const late = await put(1, { thresholds: { null_rate_warn: 0.8 } });
    expect([late.status, late.body]).toEqual([
      409,
      {
        message: "The settings of 'orders' have version 2, not 1: read them again and repeat the change",
        code: 'VERSION_CONFLICT',
      },
    ]);
    expect((await ask(service, 'GET', SETTINGS)).body).toMatchObject({
      version: 2,
      thresholds: null,
      false_alarm_rate: 0.05,
    });
    // A repeat of what was stored, after an answer that was lost, changes nothing.
    expect((await put(1, { false_alarm_rate: 0.05 })).body.version).toBe(2);
    for (const wrong of ['', 'x', -1, MAX_INTEGER + 1]) {
      const { status, body } = await put(wrong, {});
      expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    }
    expect((await put(MAX_INTEGER, {})).body.code).toBe('VERSION_CONFLICT');
  });

  test('that several processes change from one version are changed once', async () => {
    const service = ticking();
    const changes = [0.01, 0.02, 0.03, 0.04].map(rate =>
      ask(service, 'PUT', `${SETTINGS}?if_version=0`, { false_alarm_rate: rate }),
    );
    const answers = await Promise.all(changes);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect((await ask(service, 'GET', SETTINGS)).body.version).toBe(1);
  });

  test('keep their version when all are removed, and those of older releases have version 1', async () => {
    const { baselineStore } = newStores();
    const service = ticking({ baselineStore });
    await baselineStore.setTexts('scaler', 'orders', { settings: null }, { settings: '{"mode":"adaptive"}' });
    expect((await ask(service, 'GET', SETTINGS)).body).toMatchObject({ mode: 'adaptive', version: 1 });
    expect((await ask(service, 'PUT', `${SETTINGS}?if_version=1`, {})).body).toMatchObject({
      mode: null,
      version: 2,
    });
    const again = await ask(service, 'PUT', `${SETTINGS}?if_version=0`, { mode: 'adaptive' });
    expect([again.status, again.body.code]).toEqual([409, 'VERSION_CONFLICT']);
  });

  test('owner and tags stay until they are given, and are in the list of sources', async () => {
    const service = ticking();
    await screened(service, orders(1));
    const owned = { owner: 'team-checkout', tags: ['billing', 'eu', 'billing'] };
    const put = await ask(service, 'PUT', SETTINGS, { mode: 'adaptive', ...owned });
    expect(put.body).toMatchObject({ owner: 'team-checkout', tags: ['billing', 'eu'] });
    const other = await ask(service, 'PUT', SETTINGS, { thresholds: { null_rate_warn: 0.8 } });
    expect(other.body).toMatchObject({ mode: null, owner: 'team-checkout', tags: ['billing', 'eu'] });
    const listed = async () => (await ask(service, 'GET', '/v1/schema')).body.sources[0];
    expect(await listed()).toMatchObject({
      source: 'orders',
      owner: 'team-checkout',
      tags: ['billing', 'eu'],
    });
    await ask(service, 'PUT', SETTINGS, { owner: null, tags: [] });
    expect(Object.keys(await listed())).toEqual(['source', 'batches', 'rows', 'last_seen']);
    expect((await ask(service, 'GET', SETTINGS)).body).not.toHaveProperty('updated_at');
  });

  test('that are changed at the same time are all kept', async () => {
    const service = ticking();
    const changes = [{ owner: 'team-checkout' }, { tags: ['eu'] }, { owner: 'team-checkout' }];
    for (const change of await Promise.all(changes.map(each => ask(service, 'PUT', SETTINGS, each))))
      expect(change.status).toBe(200);
    expect((await ask(service, 'GET', SETTINGS)).body).toMatchObject({
      owner: 'team-checkout',
      tags: ['eu'],
    });
  });

  test.each([
    [{ owner: 'x'.repeat(200) }, { tags: Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(50, 'x')) }],
    [{ owner: '😀'.repeat(200) }, { tags: ['😀'.repeat(50)] }],
  ])('the longest owner and the most tags are kept', async (...longest) => {
    for (const given of longest) {
      const { status, body } = await ask(ticking(), 'PUT', SETTINGS, given);
      expect([status, body]).toEqual([200, expect.objectContaining(given)]);
    }
  });

  test.each([
    [{ owner: 'x'.repeat(201) }, 'owner must be one line of 1 to 200 characters'],
    [{ owner: '😀'.repeat(201) }, 'owner must be one line'],
    [{ owner: ' ' }, 'owner must be one line'],
    [{ owner: 'a\u202eb' }, 'owner must be one line'],
    [{ owner: 'a\u2028b' }, 'owner must be one line'],
    [{ owner: 'a\ud800b' }, 'owner must be one line'],
    [{ owner: 'a\nb' }, 'owner must be one line'],
    [{ owner: 7 }, 'owner must be one line'],
    [{ tags: 'billing' }, "tags must be a list of at most 20, not 'billing'"],
    [{ tags: ['x'.repeat(51)] }, 'tags[0] must be one line of 1 to 50 characters, without'],
    [{ tags: ['😀'.repeat(51)] }, 'tags[0] must be one line of 1 to 50 characters, without'],
    [{ tags: ['a\u2066b'] }, 'tags[0] must be one line of 1 to 50 characters, without'],
    [{ tags: ['a\udc00b'] }, 'tags[0] must be one line of 1 to 50 characters, without'],
    [{ tags: [''] }, 'tags[0] must be one line of 1 to 50 characters, without'],
    [{ tags: Array.from({ length: 21 }, (_, i) => `${i}`) }, 'tags must be a list'],
  ])('%j is refused', async (given, message) => {
    const { status, body } = await ask(ticking(), 'PUT', SETTINGS, given);
    expect([status, body.code]).toEqual([400, 'INVALID_OPTIONS']);
    expect(body.message).toStartWith(message);
  });

  test.each(['[]', '"x"', 'null', '7'])('a body of %s is refused', async text => {
    const { status, body } = await ask(ticking(), 'PUT', SETTINGS, text);
    expect([status, body]).toEqual([
      400,
      { code: 'INVALID_OPTIONS', message: 'The body must be a JSON object' },
    ]);
  });

  test('signs are looked for as the source says, unless the batch says otherwise', async () => {
    const service = ticking();
    const rows = Array.from({ length: 50 }, (_, i) => ({
      day: i === 7 ? '2026-02-30' : `2026-03-0${1 + (i % 9)}`,
    }));
    const signsWith = async (options: object) =>
      (await ask(service, 'POST', '/v1/screen', { source: 'orders', rows, options })).body.issues?.signs
        ?.length ?? 0;
    for (const [signs, found] of [
      [null, 1],
      [true, 1],
      [false, 0],
      [[], 0],
      [['mojibake'], 0],
      [['impossible_date'], 1],
    ] as const) {
      expect((await ask(service, 'PUT', SETTINGS, { signs })).body.signs).toEqual(signs);
      expect([signs, await signsWith({ dry_run: true })]).toEqual([signs, found]);
    }
    await ask(service, 'PUT', SETTINGS, { signs: false });
    expect(await signsWith({ dry_run: true, signs: true })).toBe(1);
    expect(await signsWith({ dry_run: true, signs: ['mojibake'] })).toBe(0);
  });

  test('signs of a newer release are no error', async () => {
    const service = ticking();
    const { baselineStore } = service;
    await baselineStore.setTexts(
      'scaler',
      'orders',
      { settings: null },
      { settings: '{"signs":["mojibake","newer"]}' },
    );
    expect((await ask(service, 'GET', SETTINGS)).body.effective.signs).toEqual(['mojibake']);
  });

  test.each([
    ['no', "signs must be true, false or a list of signs, not 'no'"],
    [['mojibak'], "signs has no 'mojibak'; the known signs are odd_name, similar_names"],
    [[7], 'signs has no '],
  ])('signs %j are refused', async (signs, message) => {
    const { status, body } = await ask(ticking(), 'PUT', SETTINGS, { signs });
    expect([status, body.code]).toEqual([400, 'INVALID_OPTIONS']);
    expect(body.message).toStartWith(message);
  });

  test.each([2, 31, 4.5, 'soon'])('settle_after %p is refused', async settle_after => {
    const { status, body } = await ask(ticking(), 'PUT', SETTINGS, { settle_after });
    expect([status, body.code]).toEqual([400, 'INVALID_OPTIONS']);
    expect(body.message).toStartWith("settle_after must be a whole number from 3 to 30, or 'never', not ");
  });

  test.each([3, 30, 'never'])('settle_after %p is kept', async settle_after => {
    const { status, body } = await ask(ticking(), 'PUT', SETTINGS, { settle_after });
    expect([status, body.settle_after, body.effective.settle_after]).toEqual([
      200,
      settle_after,
      settle_after,
    ]);
  });

  test.each([
    [{ mode: 'strict' }, "mode must be one of contract, adaptive, auto, not 'strict'"],
    [{ mode: 7 }, 'mode must be one of contract, adaptive, auto, not 7'],
    [{ thresholds: 1 }, 'thresholds must be an object, not 1'],
    [{ thresholds: { nulls: 1 } }, "thresholds has no 'nulls'"],
    [
      { thresholds: { null_rate_warn: 30 } },
      'thresholds.null_rate_warn must be a number from 0 to 1, not 30',
    ],
    [
      { thresholds: { null_rate_warn: 0.9, null_rate_block: 0.1 } },
      'thresholds.null_rate_warn (0.9) is above',
    ],
    [{ false_alarm_rate: 0 }, 'false_alarm_rate must be a number from 0.0001 to 0.2, not 0'],
  ])('%j is refused as options are', async (given, message) => {
    const service = ticking();
    await ask(service, 'PUT', SETTINGS, { mode: 'adaptive' });
    const { status, body } = await ask(service, 'PUT', SETTINGS, given);
    expect([status, body.code]).toEqual([400, 'INVALID_OPTIONS']);
    expect(body.message).toStartWith(message);
    expect((await ask(service, 'GET', SETTINGS)).body.mode).toBe('adaptive');
    const options = await service.post(batch(orders(1), { options: given }));
    expect([options.status, options.body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('survive resets, and belong to one source', async () => {
    const service = ticking();
    await ask(service, 'PUT', SETTINGS, { mode: 'adaptive' });
    await screened(service, orders(1));
    for (const path of ['/v1/schema/orders', '/v1/schema']) {
      await ask(service, 'DELETE', path);
      expect((await ask(service, 'GET', SETTINGS)).body.mode).toBe('adaptive');
    }
  });

  test('apply at once in every process', async () => {
    const { baselineStore } = newStores();
    const [here, there] = [1, 2].map(() => ticking({ baselineStore }));
    for (const service of [here!, there!]) await screened(service, orders(1));
    for (const mode of ['adaptive', 'contract']) {
      await ask(here!, 'PUT', SETTINGS, { mode });
      const answers = [await there!.post(batch(orders(2))), await here!.post(batch(orders(3)))];
      expect(answers.map(({ headers }) => headers.get('x-service-mode'))).toEqual([mode, mode]);
    }
  });
});

describe('the mode', () => {
  const modeOf = async (service: ReturnType<typeof ticking>, options: object = {}) =>
    (await service.post(batch(orders(1), { options }))).headers.get('x-service-mode');

  test('is that of the request, else of the source, else of the server', async () => {
    for (const defaultMode of ['contract', 'adaptive'] as const) {
      const other = defaultMode === 'contract' ? 'adaptive' : 'contract';
      const service = ticking({ defaultMode });
      expect(await modeOf(service)).toBe(defaultMode);
      expect(await modeOf(service, { mode: other })).toBe(other);
      await ask(service, 'PUT', SETTINGS, { mode: other });
      expect(await modeOf(service)).toBe(other);
      expect(await modeOf(service, { mode: defaultMode })).toBe(defaultMode);
      expect((await known(service)).mode).toBe(other);
      const csv = await service.csv('id,amount\n1,2\n', {});
      expect(csv.headers.get('x-service-mode')).toBe(other);
    }
  });

  test('has each threshold from the request, else from the source, else the documented one', async () => {
    const service = ticking();
    const gap = () => orders(1).map((row, i) => (i % 2 ? { ...row, city: null } : row));
    const judged = async (thresholds: object = {}) => {
      const { status, issues } = await screened(service, gap(), { thresholds, dry_run: true });
      return [status, issues?.null_rates?.city.threshold];
    };
    expect(await judged()).toEqual(['WARN', 0.3]);
    await ask(service, 'PUT', SETTINGS, { thresholds: { null_rate_warn: 0.1, null_rate_block: 0.4 } });
    expect(await judged()).toEqual(['BLOCK', 0.4]);
    expect(await judged({ null_rate_block: 0.9 })).toEqual(['WARN', 0.1]);
    // A lone one moves its partner of the settings, and is not refused for it.
    expect((await judged({ null_rate_warn: 0.6 }))[0]).toBe('PASS');
    expect(await judged({ null_rate_warn: 0.45 })).toEqual(['BLOCK', 0.45]);
    expect(await judged({ null_rate_block: 0.05 })).toEqual(['BLOCK', 0.05]);
  });

  test('adaptive also applies the thresholds and the false alarm rate of the source', async () => {
    const service = ticking();
    await ask(service, 'PUT', SETTINGS, {
      mode: 'adaptive',
      thresholds: { null_rate_block: 0.2 },
      false_alarm_rate: 0.1,
    });
    const gap = orders(1).map((row, i) => (i % 2 ? { ...row, city: null } : row));
    const { status, gate, issues } = await screened(service, gap);
    expect([status, gate.false_alarm_rate, issues.null_rates.city.threshold]).toEqual(['BLOCK', 0.1, 0.2]);
    const told = await screened(service, orders(2), { false_alarm_rate: 0.02 });
    expect(told.gate.false_alarm_rate).toBe(0.02);
  });
});

describe('a pin', () => {
  test('stops learning until it is removed; batches are still judged, stored and counted', async () => {
    const service = ticking();
    expect((await say(service, 'pin', { pinned: true })).status).toBe(404);
    for (let day = 0; day < 3; day++) await screened(service, orders(day));
    const before = await known(service);
    const { status, body } = await say(service, 'pin', { pinned: true });
    expect([status, body]).toEqual([
      200,
      { ok: true, source: 'orders', pinned: true, message: expect.stringContaining("'orders'") },
    ]);
    const fresh = () => changedBy(orders(9), () => ({ extra: 1 }));
    for (const _ of ['once', 'again']) {
      const { status, drift, stats } = await screened(service, fresh());
      expect([status, drift[0].kind, stats.pinned]).toEqual(['WARN', 'field_added', true]);
    }
    const { last_seen: _, ...after } = await known(service);
    const { last_seen: __, ...unpinned } = before;
    expect(after).toEqual({ ...unpinned, pinned: true });
    await say(service, 'pin', { pinned: false });
    const learned = await screened(service, fresh());
    expect(learned.stats).not.toHaveProperty('pinned');
    expect(await screened(service, fresh())).not.toHaveProperty('drift');
  });

  test('does not keep a provisional baseline', async () => {
    const service = ticking();
    await screened(
      service,
      changedBy(orders(0), () => ({ city: null })),
    );
    await say(service, 'pin', { pinned: true });
    for (const day of [1, 2]) await screened(service, orders(day));
    expect(await known(service)).toMatchObject({ provisional: false, pinned: true, batches: 1 });
  });

  test('allows feedback, and ends with a reset', async () => {
    const service = ticking();
    for (let day = 0; day < 3; day++) await screened(service, orders(day));
    await say(service, 'pin', { pinned: true });
    const { request_id: job_id } = await screened(
      service,
      changedBy(orders(4), () => ({ amount: 'x' })),
    );
    expect((await say(service, 'accept', { job_id })).body.changed).toBe(true);
    expect(await known(service)).toMatchObject({ pinned: true, fields: { amount: { type: 'string' } } });
    const [{ version }] = await versionsOf(service);
    await say(service, 'rollback', { version });
    expect(await known(service)).toMatchObject({ pinned: true, fields: { amount: { type: 'number' } } });
    await ask(service, 'DELETE', '/v1/schema/orders');
    await screened(service, orders(5));
    expect(await known(service)).toMatchObject({ pinned: false, batches: 1 });
  });
});
