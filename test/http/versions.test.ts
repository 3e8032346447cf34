/** GET /v1/schema/{source}/versions and the way back to one. */
import { describe, expect, test } from 'bun:test';
import { KEY } from './service.ts';
import { ask, changedBy, known, orders, say, screened, ticking, versionsOf } from './teaching.ts';

/** The description of a baseline, without members that are not part of it. */
const content = async (service: ReturnType<typeof ticking>) => {
  const { batches, rows, fields } = await known(service);
  return { batches, rows, fields };
};

describe('versions', () => {
  test('are stored from time to time while a source learns, and before each change by users', async () => {
    const service = ticking();
    expect(await versionsOf(service)).toEqual([]);
    for (let day = 0; day < 50; day++) await screened(service, orders(day, 40));
    const { request_id: job_id } = await screened(
      service,
      changedBy(orders(51), () => ({ amount: 'x' })),
    );
    await say(service, 'accept', { job_id });
    const good = await screened(
      service,
      changedBy(orders(52), () => ({ amount: 'x' })),
    );
    await say(service, 'feedback', { job_id: good.request_id, verdict: 'bad' });
    await ask(service, 'DELETE', '/v1/schema/orders');
    const versions = await versionsOf(service);
    expect(
      versions.map(({ reason, batches }: { reason: string; batches: number }) => [reason, batches]),
    ).toEqual([
      ['before_reset', 51],
      ['before_feedback', 52],
      ['before_accept', 50],
      ['learned', 16],
    ]);
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2, 1]);
    expect(versions[2]).toMatchObject({
      job_id,
      rows: 50 * 40,
      made_at: expect.stringMatching(/^2026-.*Z$/),
    });
    expect((await ask(service, 'GET', '/v1/schema/orders/versions', undefined, KEY)).body.versions).toEqual(
      [],
    );
  });

  test('are restored exactly, and the rollback can be undone', async () => {
    const service = ticking();
    for (let day = 0; day < 5; day++) await screened(service, orders(day));
    const before = await content(service);
    const { request_id: job_id } = await screened(
      service,
      changedBy(orders(6), () => ({ amount: 'x' })),
    );
    await say(service, 'accept', { job_id });
    const after = await content(service);
    const { status, body } = await say(service, 'rollback', { version: 1 });
    expect([status, body]).toMatchObject([200, { ok: true, version: 1, batches: 5, rows: 600 }]);
    expect(await content(service)).toEqual(before);
    expect((await screened(service, orders(7), { dry_run: true })).status).toBe('PASS');
    const [undo] = await versionsOf(service);
    expect(undo).toMatchObject({ reason: 'before_rollback', batches: 6 });
    await say(service, 'rollback', { version: undo.version });
    expect(await content(service)).toEqual(after);
  });

  test('undo a reset', async () => {
    const service = ticking();
    for (let day = 0; day < 5; day++) await screened(service, orders(day));
    const before = await content(service);
    await ask(service, 'DELETE', '/v1/schema/orders');
    expect((await ask(service, 'GET', '/v1/schema/orders')).status).toBe(404);
    const [{ version }] = await versionsOf(service);
    await say(service, 'rollback', { version });
    expect(await content(service)).toEqual(before);
    expect((await ask(service, 'GET', '/v1/schema')).body.sources).toHaveLength(1);
  });

  test('allow a batch that they lack to be accepted or expected again', async () => {
    const service = ticking();
    for (let day = 0; day < 5; day++) await screened(service, orders(day));
    const { request_id: job_id } = await screened(
      service,
      changedBy(orders(6), () => ({ amount: 'x' })),
    );
    for (const _ of ['once', 'again']) {
      expect((await say(service, 'accept', { job_id })).body.changed).toBe(true);
      await say(service, 'rollback', { version: 1 });
      expect((await say(service, 'feedback', { job_id, verdict: 'expected' })).body.changed).toBe(true);
      expect((await known(service)).batches).toBe(6);
      await say(service, 'rollback', { version: 1 });
    }
  });

  test('bring their rules back, also the oldest one, which the rollback deletes', async () => {
    const service = ticking();
    const rules = (min: number) => ({ rows: { min } });
    for (let day = 0; day < 3; day++) await screened(service, orders(day));
    for (let min = 1; min <= 9; min++) await ask(service, 'PUT', '/v1/schema/orders/rules', rules(min));
    const versions = await versionsOf(service);
    const oldest = versions.at(-1);
    expect([versions.length, oldest.rules_version]).toEqual([8, 1]);
    const { status, body } = await say(service, 'rollback', { version: oldest.version });
    expect([status, body.message]).toEqual([
      200,
      `The baseline of 'orders' is version ${oldest.version} again`,
    ]);
    expect((await ask(service, 'GET', '/v1/schema/orders/rules')).body.rules).toEqual(rules(1));
  });

  test('of an older release leave the rules as they are, and the answer says so', async () => {
    const service = ticking();
    for (let day = 0; day < 3; day++) await screened(service, orders(day));
    await ask(service, 'PUT', '/v1/schema/orders/rules', { rows: { min: 1 } });
    const { versions } = service.baselineStore;
    service.baselineStore.versions = async (...asked) =>
      (await versions.apply(service.baselineStore, asked)).map(({ number, note }) => {
        const { rules_version: _, ...older } = JSON.parse(note);
        return { number, note: JSON.stringify(older) };
      });
    const { body } = await say(service, 'rollback', { version: 1 });
    expect(body.message).toEndWith('; it does not say which rules held then, so the rules stay as they are');
  });

  test('that do not exist give a 404 and change nothing', async () => {
    const service = ticking();
    for (let day = 0; day < 3; day++) await screened(service, orders(day));
    for (const version of [1, 999]) {
      const { status, body } = await say(service, 'rollback', { version });
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    }
    for (const version of [0, -1, 1.5, '1', null, undefined, 1e300])
      expect((await say(service, 'rollback', { version })).body.code).toBe('INVALID_PARAMETER');
    expect((await known(service)).batches).toBe(3);
    expect(await versionsOf(service)).toEqual([]);
  });

  test('restored concurrently leave one of them complete', async () => {
    const service = ticking();
    for (let day = 0; day < 40; day++) await screened(service, orders(day, 30));
    await ask(service, 'DELETE', '/v1/schema/orders');
    const asked = [1, 2].flatMap(version => [version, version]);
    const answers = await Promise.all(asked.map(version => say(service, 'rollback', { version })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect([16, 40]).toContain((await known(service)).batches);
  });
});

describe('what people and programs changed', () => {
  test('is listed newest first, with who did it, when, and the version that was stored just before', async () => {
    const service = ticking();
    const other = () => ({ amount: 'x' });
    for (let day = 0; day < 5; day++) await screened(service, orders(day, 40));
    const { request_id: job_id } = await screened(service, changedBy(orders(5), other));
    await say(service, 'accept', { job_id });
    await say(service, 'accept', { job_id });
    await ask(service, 'PUT', '/v1/schema/orders/settings', { mode: 'adaptive', owner: 'ann' });
    await ask(service, 'PUT', '/v1/schema/orders/settings', { mode: 'adaptive' });
    await ask(service, 'PUT', '/v1/schema/orders/rules', { rows: { min: 1 } });
    await say(service, 'pin', { pinned: true });
    await say(service, 'rollback', { version: 1 });
    await ask(service, 'DELETE', '/v1/schema/orders');
    await ask(service, 'DELETE', '/v1/schema');
    const { changes } = (await ask(service, 'GET', '/v1/schema/orders/changes')).body;
    const by = 'scaler (sluice_live_';
    for (const each of changes)
      expect(each).toMatchObject({ by: expect.stringContaining(by), key_id: 'key_scaler' });
    expect(changes.map(({ at: _, by: __, key_id: ___, ...what }: Record<string, unknown>) => what)).toEqual([
      { action: 'reset' },
      { action: 'reset', version_before: 5 },
      // The rules of then hold again.
      { action: 'rules', detail: '2', version_before: 4 },
      { action: 'rolled_back', detail: '1', version_before: 3 },
      { action: 'pinned' },
      { action: 'rules', detail: '1', version_before: 2 },
      { action: 'settings', detail: 'mode, owner' },
      { action: 'accepted', job_id, version_before: 1 },
    ]);
    expect((await ask(service, 'GET', '/v1/schema/other/changes')).body.changes).toHaveLength(1);
    expect((await ask(service, 'GET', '/v1/schema/orders/changes', undefined, KEY)).body.changes).toEqual([]);
  });

  test.each([0, 201])('a limit of %d is refused', async limit => {
    const { body } = await ask(ticking(), 'GET', `/v1/schema/orders/changes?limit=${limit}`);
    expect(body.code).toBe('INVALID_PARAMETER');
  });
});
