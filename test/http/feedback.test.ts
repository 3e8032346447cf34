/** POST /v1/schema/{source}/accept and /feedback, and what a report says of a BLOCK that goes on. */
import { describe, expect, test } from 'bun:test';
import type { Baselines } from '../../src/sources/baselines.ts';
import { BaselineEditor } from '../../src/sources/editor.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { batch, changed, KEY, type Service } from './service.ts';
import { ask, changedBy, known, orders, say, sayInTurn, screened, ticking, versionsOf } from './teaching.ts';

const MODES = ['contract', 'adaptive'] as const;

/** After a dozen clean batches. */
async function settled(mode: (typeof MODES)[number], changes = {}) {
  const service = ticking(changes);
  const options = { mode };
  for (let day = 0; day < 12; day++)
    expect((await screened(service, orders(day), options)).status).toBe('PASS');
  let next = 12;
  const clean = () => orders(next++);
  return { service, options, clean };
}

/** Ways in which a source changes for good, each as a batch of it. */
const CHANGES: [string, (rows: Record<string, unknown>[]) => object[]][] = [
  ['another type', rows => changedBy(rows, ({ amount }) => ({ amount: `${amount} kr` }))],
  ['a field that is gone', rows => rows.map(({ city: _, ...rest }) => rest)],
  ['fields renamed', rows => rows.map(({ amount, ...rest }) => ({ ...rest, price: amount }))],
  [
    'another type, and a field gone',
    rows => rows.map(({ city: _, ...rest }) => ({ ...rest, id: `ORD-${rest.id}` })),
  ],
  ['half of the values missing', rows => rows.map((row, i) => (i % 2 ? { ...row, city: null } : row))],
];

describe('an accepted batch', () => {
  for (const mode of MODES)
    test.each(CHANGES)(`of %s passes from then on in ${mode} mode`, async (_, change) => {
      const { service, options, clean } = await settled(mode);
      const thresholds = mode === 'contract' ? { null_rate_warn: 0.6 } : {};
      const all = { ...options, thresholds };
      const blocked = await screened(service, change(clean()), all);
      // What little history there is lets half of the values missing be a WARN in adaptive mode.
      expect(blocked.status).not.toBe('PASS');
      const { status, body } = await say(service, 'accept', { job_id: blocked.request_id });
      expect([status, body.changed]).toEqual([200, true]);
      const next = await screened(service, change(clean()), all);
      expect([next.status, next.decision.reason]).toEqual([
        'PASS',
        expect.stringMatching(/^Nothing crossed a threshold/),
      ]);
      for (let more = 0; more < 3; more++)
        expect((await screened(service, change(clean()), all)).status).toBe('PASS');
    });

  for (const mode of MODES)
    test(`passes when its rows are sent again in ${mode} mode: the first time they are no repeated batch`, async () => {
      const { service, options, clean } = await settled(mode);
      const rows = changedBy(clean(), ({ amount }) => ({ amount: `${amount} kr` }));
      const send = async (key: string) => {
        const headers = { 'Idempotency-Key': key };
        return (await service.post(batch(rows, { options }), headers)).body;
      };
      const first = await send('one');
      const { message } = (await say(service, 'accept', { job_id: first.request_id })).body;
      expect(message).toContain('send them again, with a new Idempotency-Key');
      expect(await send('one')).toEqual(first);
      const second = await send('two');
      expect([second.status, second.anomalies]).toEqual(['PASS', undefined]);
      expect((await send('three')).anomalies).toMatchObject([{ statistic: 'repeated_batch' }]);
    });

  test('that was loaded is a repeated batch when it comes again', async () => {
    const { service, clean } = await settled('adaptive');
    const rows = clean().map(row => ({ ...row, amount: Number(row.amount) + 40 }));
    const first = await screened(service, rows, { mode: 'adaptive' });
    expect(first.status).toBe('WARN');
    const { message } = (await say(service, 'accept', { job_id: first.request_id })).body;
    expect(message).not.toContain('send');
    const { anomalies } = await screened(service, rows, { mode: 'adaptive' });
    expect(anomalies).toMatchObject([{ statistic: 'repeated_batch' }]);
  });

  test('says so in its job, with the key and the time, once', async () => {
    const { service, clean } = await settled('contract');
    const { request_id: job_id } = await screened(
      service,
      changedBy(clean(), () => ({ amount: 'x' })),
    );
    const jobOf = async () => (await ask(service, 'GET', `/v1/jobs/${job_id}`)).body;
    expect(await jobOf()).not.toHaveProperty('feedback');
    await say(service, 'accept', { job_id });
    const first = await jobOf();
    expect(first.feedback).toEqual([
      {
        said: 'accepted',
        by: expect.stringMatching(/^key_/),
        at: expect.stringMatching(/^2026-11-21T/),
        who: expect.stringContaining('sluice_live_'),
      },
    ]);
    await say(service, 'accept', { job_id });
    expect((await jobOf()).feedback).toEqual(first.feedback);
    await ask(service, 'DELETE', '/v1/schema/orders');
    expect((await jobOf()).feedback[0].undone_at).toMatch(/^2026-11-21T/);
  });

  for (const mode of MODES)
    test(`is accepted in ${mode} mode where no values are kept`, async () => {
      const { service, options, clean } = await settled(mode, { storeValues: false });
      const change = () =>
        changedBy(clean(), ({ amount }) => ({ amount: Number(amount) * 1000 + 7, city: null }));
      const all = { ...options, thresholds: { null_rate_warn: 1 } };
      const { status, request_id: job_id } = await screened(service, change(), all);
      expect(status).toBe('BLOCK');
      expect((await say(service, 'accept', { job_id })).body.changed).toBe(true);
      expect((await screened(service, change(), all)).status).toBe('PASS');
    });

  test('makes batches from before the change differ: another type is BLOCK, a returned field is new', async () => {
    const { service, options, clean } = await settled('contract');
    const changed = (rows: Record<string, unknown>[]) =>
      rows.map(({ city: _, ...rest }) => ({ ...rest, amount: String(rest.amount) }));
    const { request_id } = await screened(service, changed(clean()), options);
    await say(service, 'accept', { job_id: request_id });
    const { status, drift } = await screened(service, clean(), options);
    expect(status).toBe('BLOCK');
    expect(drift.map(({ kind, field }: { kind: string; field: string }) => `${kind} ${field}`)).toEqual([
      'type_changed amount',
      'field_added city',
    ]);
  });

  test('keeps what was learned about other fields', async () => {
    const { service, options, clean } = await settled('contract');
    const before = await known(service);
    const { request_id } = await screened(
      service,
      changedBy(clean(), () => ({ amount: 'x' })),
      options,
    );
    await say(service, 'accept', { job_id: request_id });
    const after = await known(service);
    expect(after.fields.amount).toMatchObject({ type: 'string', approx_distinct: 1 });
    expect(after.fields.id.approx_distinct).toBeGreaterThan(before.fields.id.approx_distinct);
    expect(after.batches).toBe(before.batches + 1);
    expect(after.fields.id.quantiles['0']).toBe(0);
  });

  test('is accepted once: repeats and concurrent requests change nothing', async () => {
    const { service, options, clean } = await settled('contract');
    const { request_id: job_id } = await screened(
      service,
      changedBy(clean(), () => ({ amount: 'x' })),
      options,
    );
    const said = await Promise.all(Array.from({ length: 10 }, () => say(service, 'accept', { job_id })));
    expect(said.map(({ status }) => status)).toEqual(said.map(() => 200));
    expect(said.filter(({ body }) => body.changed)).toHaveLength(1);
    const { batches, rows } = await known(service);
    expect([batches, rows]).toEqual([13, 13 * 120]);
    expect((await say(service, 'accept', { job_id })).body.changed).toBe(false);
  });

  test('is not lost when other batches are learned at the same time', async () => {
    const { service, options, clean } = await settled('contract');
    const withoutCity = clean().map(({ city: _, ...rest }) => rest);
    const { request_id: job_id } = await screened(service, withoutCity, options);
    const meanwhile = Array.from({ length: 8 }, () => screened(service, clean(), options));
    const { body } = await say(service, 'accept', { job_id });
    const learned = (await Promise.all(meanwhile)).filter(({ status }) => status !== 'BLOCK');
    expect([body.changed, learned.length]).toEqual([true, 8]);
    expect((await known(service)).batches).toBe(12 + 1 + 8);
  });

  test('that exceeds a threshold still does, with advice that makes it pass', async () => {
    const { service, options, clean } = await settled('contract');
    const gap = () => clean().map((row, i) => (i % 10 ? { ...row, city: null } : row));
    const { request_id: job_id } = await screened(service, gap(), options);
    const { body } = await say(service, 'accept', { job_id });
    expect(body).toMatchObject({
      changed: true,
      advice: [
        { fields: ['city'], set: { thresholds: { null_rate_warn: 0.95 } } },
        { set: { mode: 'adaptive' } },
      ],
    });
    expect((await screened(service, gap(), options)).status).toBe('BLOCK');
    await ask(service, 'PUT', '/v1/schema/orders/settings', body.advice[0].set);
    expect((await screened(service, gap(), options)).status).toBe('PASS');
    expect((await say(service, 'accept', { job_id })).body).not.toHaveProperty('advice');
  });

  test('leaves a first batch that was BLOCK to be called expected', async () => {
    const service = ticking();
    const bad = (day: number) => changedBy(orders(day), ({ id }) => ({ amount: Number(id) % 2 ? 'x' : 1 }));
    const first = await screened(service, bad(0));
    const second = await screened(service, bad(1));
    expect([first.status, second.status]).toEqual(['BLOCK', 'BLOCK']);
    expect((await say(service, 'accept', { job_id: second.request_id })).body.changed).toBe(true);
    const expected = { job_id: first.request_id, verdict: 'expected' };
    expect((await say(service, 'feedback', expected)).body.changed).toBe(true);
    expect(await known(service)).toMatchObject({ provisional: false, batches: 2 });
  });

  test('may be the first of its source, and one that was WARN', async () => {
    const service = ticking();
    const bad = changedBy(orders(0), ({ id }) => ({ amount: Number(id) % 2 ? 'x' : 1 }));
    const first = await screened(service, bad);
    expect(first.status).toBe('BLOCK');
    expect((await known(service)).provisional).toBe(true);
    expect((await say(service, 'accept', { job_id: first.request_id })).body.changed).toBe(true);
    expect(await known(service)).toMatchObject({ provisional: false, batches: 1 });

    const { service: other, options, clean } = await settled('contract');
    for (let i = 0; i < 3; i++)
      await screened(
        other,
        clean().map((row, at) => (at ? row : { ...row, rare: 1 })),
        options,
      );
    const optional = () => clean().map(({ note: _, ...rest }) => rest);
    const gone = await screened(other, optional(), options);
    expect([gone.status, gone.drift[0].kind]).toEqual(['WARN', 'field_removed']);
    expect((await screened(other, optional(), options)).status).toBe('WARN');
    expect((await say(other, 'accept', { job_id: gone.request_id })).body.changed).toBe(true);
    expect((await screened(other, optional(), options)).status).toBe('PASS');
  });

  /** First batches that are BLOCK, and what differs in them. */
  const FIRST: [string, (row: Record<string, unknown>) => object][] = [
    ['of two types', ({ id }) => (Number(id) % 2 ? { amount: 'x' } : {})],
    ['without values', () => ({ city: null })],
    ['of another type, and with too many nulls', ({ amount }) => ({ amount: `${amount} kr`, city: null })],
  ];
  test.each(FIRST)(
    'may be the first of its source, %s, and passes with its advice after others did',
    async (_, change) => {
      const service = ticking();
      let day = 0;
      const bad = () => changedBy(orders(day++), change);
      const { status, request_id: job_id } = await screened(service, bad());
      expect(status).toBe('BLOCK');
      for (let i = 0; i < 6; i++) await screened(service, orders(day++));
      const { body } = await say(service, 'accept', { job_id });
      expect([body.changed, body.message]).toEqual([true, expect.stringContaining('see advice')]);
      expect((await screened(service, bad(), { dry_run: true })).status).toBe('BLOCK');
      await ask(service, 'PUT', '/v1/schema/orders/settings', body.advice[0].set);
      const next = await screened(service, bad());
      expect([next.status, next.decision.reason]).toEqual([
        'PASS',
        expect.stringMatching(/^Nothing crossed a threshold/),
      ]);
    },
  );

  test('of two types gets no advice to set a mode in which the thresholds of types hold, too', async () => {
    const service = ticking();
    const { request_id: job_id } = await screened(
      service,
      changedBy(orders(0), ({ id }) => (Number(id) % 2 ? { amount: 'x' } : {})),
    );
    const { advice } = (await say(service, 'accept', { job_id })).body;
    expect(advice).toMatchObject([{ fields: ['amount'], set: { thresholds: { type_mismatch_warn: 0.55 } } }]);
    for (let day = 1; day < 4; day++) await screened(service, orders(day));
    const { body } = await say(service, 'accept', { job_id });
    expect(body.advice[1].set).toEqual({ mode: 'adaptive' });
  });

  test('passes also where the structure changed after it', async () => {
    const { service, options, clean } = await settled('contract');
    const old = () => changedBy(clean(), ({ amount }) => ({ amount: Number(amount) * 1000 }));
    const { request_id: job_id } = await screened(service, old(), options);
    const renewed = await screened(
      service,
      changedBy(clean(), ({ id }) => ({ id: `ORD-${id}`, shop: 'a' })),
      options,
    );
    await say(service, 'accept', { job_id: renewed.request_id });
    const { drift } = await screened(service, old(), { ...options, dry_run: true });
    expect(drift.slice(0, 2)).toMatchObject([
      { kind: 'type_changed', field: 'id' },
      { kind: 'field_removed', field: 'shop' },
    ]);
    expect((await say(service, 'accept', { job_id })).body.changed).toBe(true);
    expect((await screened(service, old(), options)).status).toBe('PASS');
  });

  test('that passed changes nothing, and after a reset its state makes a new baseline', async () => {
    const { service, options, clean } = await settled('contract');
    const passed = await screened(service, clean(), options);
    expect((await say(service, 'accept', { job_id: passed.request_id })).body.changed).toBe(false);
    const { request_id: job_id } = await screened(
      service,
      changedBy(clean(), () => ({ amount: 'x' })),
      options,
    );
    await ask(service, 'DELETE', '/v1/schema/orders');
    expect((await say(service, 'accept', { job_id })).body.changed).toBe(true);
    expect(await known(service)).toMatchObject({ batches: 1, fields: { amount: { type: 'string' } } });
  });
});

describe('feedback', () => {
  test('bad removes a batch from the history, expected adds it again, each once', async () => {
    const { service, options, clean } = await settled('contract');
    const { request_id: job_id } = await screened(service, clean(), options);
    expect((await known(service)).batches).toBe(13);
    await sayInTurn(service, job_id, [
      ['expected', false, 13],
      ['bad', true, 12],
      ['bad', false, 12],
      ['expected', true, 13],
      ['expected', false, 13],
      ['bad', true, 12],
    ]);
  });

  test('that ten requests give at the same time changes the history once', async () => {
    const { service, options, clean } = await settled('contract');
    const { request_id: job_id } = await screened(service, clean(), options);
    for (const verdict of ['bad', 'expected']) {
      const said = await Promise.all(
        Array.from({ length: 10 }, () => say(service, 'feedback', { job_id, verdict })),
      );
      expect(said.map(({ status }) => status)).toEqual(said.map(() => 200));
      expect(said.filter(({ body }) => body.changed)).toHaveLength(1);
    }
    expect((await known(service)).batches).toBe(13);
    expect(await versionsOf(service)).toHaveLength(2);
    expect((await ask(service, 'GET', '/v1/schema/orders/changes')).body.changes).toHaveLength(2);
  });

  test('bad that was already given changes nothing, and is not too late', async () => {
    const { service, options, clean } = await settled('contract');
    const { request_id: job_id } = await screened(service, clean(), options);
    const { jobs, baselines } = service.deps;
    const bad = () => say(service, 'feedback', { job_id, verdict: 'bad' });
    const keepState = async (...kept: Parameters<typeof jobs.keepState>) => {
      service.deps.jobs = jobs;
      // That of another process.
      service.deps.editor = new BaselineEditor(service.baselineStore, baselines as Baselines);
      expect((await bad()).body.changed).toBe(true);
      await jobs.keepState(...kept);
    };
    service.deps.jobs = changed(jobs, { keepState });
    expect(await bad()).toMatchObject({ status: 200, body: { changed: false } });
    expect((await known(service)).batches).toBe(12);
  });

  const changesOf = async (service: Service) =>
    (await ask(service, 'GET', '/v1/schema/orders/changes')).body.changes;
  const away = async () => {
    throw new Rejection('SERVICE_UNAVAILABLE', 'away');
  };

  test.each([
    ['accept', {}, 'accepted', true],
    ['feedback', { verdict: 'expected' }, 'expected', true],
    ['feedback', { verdict: 'bad' }, 'bad', false],
  ] as const)('%s %j that was applied and not listed is listed by its repeat, once', async (...given) => {
    const [what, verdict, action, isBlocked] = given;
    const { service, options, clean } = await settled('contract');
    const rows = isBlocked ? changedBy(clean(), () => ({ amount: 'x' })) : clean();
    const { request_id: job_id } = await screened(service, rows, options);
    const give = () => say(service, what, { job_id, ...verdict });
    const { changes } = service.deps;
    service.deps.changes = changed(changes, { add: away });
    expect((await give()).status).toBe(503);
    service.deps.changes = changes;
    expect(await changesOf(service)).toEqual([]);
    for (let repeats = 0; repeats < 2; repeats++) {
      expect(await give()).toMatchObject({ status: 200, body: { changed: false } });
      expect(await changesOf(service)).toMatchObject([{ action, job_id }]);
    }
    const { body } = await ask(service, 'GET', `/v1/jobs/${job_id}`);
    expect(body.feedback).toMatchObject([{ said: action }]);
  });

  test('of a batch that the source learned by itself, or never, lists nothing', async () => {
    const { service, options, clean } = await settled('contract');
    const learned = await screened(service, clean(), options);
    const blocked = await screened(
      service,
      changedBy(clean(), () => ({ amount: 'x' })),
      options,
    );
    await say(service, 'feedback', { job_id: learned.request_id, verdict: 'expected' });
    await say(service, 'feedback', { job_id: blocked.request_id, verdict: 'bad' });
    expect(await changesOf(service)).toEqual([]);
  });

  test('bad undoes what was learned from the batch', async () => {
    const { service, options, clean } = await settled('contract');
    const before = (await known(service)).fields;
    const poisoned = changedBy(clean(), ({ id, city }) => ({ city: Number(id) % 4 ? city : 'Atlantis' }));
    const { request_id: job_id, status } = await screened(service, poisoned, options);
    expect(status).toBe('WARN');
    expect((await known(service)).fields).not.toEqual(before);
    await say(service, 'feedback', { job_id, verdict: 'bad' });
    expect((await known(service)).fields).toEqual(before);
  });

  test('expected adds a BLOCKed batch to the history, except its types', async () => {
    const { service, options, clean } = await settled('contract');
    const { request_id: job_id } = await screened(
      service,
      changedBy(clean(), () => ({ amount: 'x' })),
      options,
    );
    expect((await say(service, 'feedback', { job_id, verdict: 'bad' })).body.changed).toBe(false);
    expect((await say(service, 'feedback', { job_id, verdict: 'expected' })).body.changed).toBe(true);
    expect(await known(service)).toMatchObject({ batches: 13, fields: { amount: { type: 'number' } } });
    expect((await say(service, 'feedback', { job_id, verdict: 'bad' })).body.changed).toBe(true);
    expect((await known(service)).batches).toBe(12);
  });

  test('expected makes the next batch like it less unusual, as if it had passed', async () => {
    const { service, options, clean } = await settled('adaptive');
    const dear = () => changedBy(clean(), ({ amount }) => ({ amount: Number(amount) * 100 }));
    const first = await screened(service, dear(), options);
    expect(first.status).toBe('BLOCK');
    await say(service, 'feedback', { job_id: first.request_id, verdict: 'expected' });
    const { anomalies = [] } = await screened(service, dear(), options);
    const unusual = Math.max(0, ...anomalies.map((each: { unusual: number }) => each.unusual));
    expect(unusual).toBeLessThan(first.anomalies[0].unusual / 2);
  });

  test('bad for a folded batch names the version without it', async () => {
    const { service, options, clean } = await settled('contract');
    for (let i = 0; i < 10; i++) await screened(service, clean(), options);
    const { request_id: job_id } = await screened(
      service,
      changedBy(clean(), ({ id, city }) => ({ city: Number(id) % 4 ? city : 'Atlantis' })),
      options,
    );
    for (let i = 0; i < 40; i++) await screened(service, clean(), options);
    const { status, body } = await say(service, 'feedback', { job_id, verdict: 'bad' });
    expect([status, body.code]).toEqual([409, 'TOO_LATE']);
    const version = Number(/version (\d+)/.exec(body.message)![1]);
    expect((await say(service, 'rollback', { version })).status).toBe(200);
    expect((await known(service)).fields.city.low_cardinality).toBe(3);
  });

  test('bad for a batch that a rollback forgot finds nothing to remove', async () => {
    const { service, options, clean } = await settled('contract');
    for (let i = 0; i < 30; i++) await screened(service, clean(), options);
    await ask(service, 'PUT', '/v1/schema/orders/rules', { rows: { min: 1 } });
    const { request_id: job_id } = await screened(service, clean(), options);
    const [{ version }] = await versionsOf(service);
    expect((await say(service, 'rollback', { version })).body.batches).toBe(42);
    const { status, body } = await say(service, 'feedback', { job_id, verdict: 'bad' });
    expect([status, body.changed, body.message]).toEqual([
      200,
      false,
      'The batch is not part of the history',
    ]);
  });

  test('bad for a first batch that was admitted, removed and admitted again names no version that has it', async () => {
    const service = ticking();
    const { request_id: job_id, status } = await screened(
      service,
      changedBy(orders(0), ({ id }) => ({ amount: Number(id) % 2 ? 'x' : 1 })),
    );
    expect(status).toBe('BLOCK');
    await say(service, 'feedback', { job_id, verdict: 'expected' });
    await say(service, 'feedback', { job_id, verdict: 'bad' });
    const [{ version }] = await versionsOf(service);
    await screened(service, orders(1));
    expect((await say(service, 'rollback', { version })).status).toBe(200);
    const said = await say(service, 'feedback', { job_id, verdict: 'bad' });
    expect([said.status, said.body.message]).toEqual([
      409,
      'The batch is part of the averages and cannot be taken out alone. Reset the source',
    ]);
  });

  test.each(['accepted', 'expected'] as const)(
    'a batch that was %s more than 32 batches ago is still known as part of the history',
    async said => {
      const { service, options, clean } = await settled('contract');
      const inText = (rows: Record<string, unknown>[]) =>
        changedBy(rows, ({ amount }) => ({ amount: `${amount} kr` }));
      const { request_id: job_id } = await screened(service, inText(clean()), options);
      const again = () =>
        said === 'accepted'
          ? say(service, 'accept', { job_id })
          : say(service, 'feedback', { job_id, verdict: 'expected' });
      expect((await again()).body.changed).toBe(true);
      const [{ version }] = await versionsOf(service);
      for (let i = 0; i < 40; i++)
        await screened(service, said === 'accepted' ? inText(clean()) : clean(), options);
      expect((await known(service)).batches).toBe(53);
      expect((await again()).body.changed).toBe(false);
      const bad = await say(service, 'feedback', { job_id, verdict: 'bad' });
      expect([bad.status, bad.body.code]).toEqual([409, 'TOO_LATE']);
      expect(bad.body.message).toContain(`Roll back to version ${version}, `);
      if (said === 'expected')
        expect((await say(service, 'accept', { job_id })).body).toMatchObject({ code: 'TOO_LATE' });
      expect((await known(service)).batches).toBe(53);
      await say(service, 'rollback', { version });
      expect((await again()).body.changed).toBe(true);
    },
  );

  test('gives the same 404 for unknown jobs and for jobs of another source or account', async () => {
    const { service, options, clean } = await settled('contract');
    const { request_id: job_id } = await screened(service, clean(), options);
    const said = { job_id, verdict: 'bad' };
    const nobody = await say(service, 'feedback', {
      ...said,
      job_id: `${job_id.slice(0, -1)}${job_id.endsWith('0') ? '1' : '0'}`,
    });
    const stranger = await ask(service, 'POST', '/v1/schema/orders/feedback', said, KEY);
    const elsewhere = await ask(service, 'POST', '/v1/schema/visits/feedback', said);
    for (const { status, body } of [nobody, stranger, elsewhere])
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    expect(stranger.body).toEqual(nobody.body);
    expect((await known(service)).batches).toBe(13);
  });
});

/** A new field is WARN. */
const withExtra = (rows: Record<string, unknown>[]) => changedBy(rows, () => ({ extra: 1 }));

describe('a WARN that was not learned', () => {
  const LOST: [string, (service: Service) => Promise<() => Promise<unknown>>][] = [
    [
      'because the source is pinned',
      async service => {
        await say(service, 'pin', { pinned: true });
        return () => say(service, 'pin', { pinned: false });
      },
    ],
    [
      'because its storage is full',
      async service => {
        const { append } = service.baselineStore;
        service.baselineStore.append = async (_account, _source, _entry, bounds) => {
          throw bounds!.refusal('bytes', { sources: 1, bytes: 1 });
        };
        return async () => {
          service.baselineStore.append = append;
        };
      },
    ],
  ];

  for (const mode of MODES)
    test.each(LOST)(`%s can be accepted in ${mode} mode`, async (_, lose) => {
      const { service, options, clean } = await settled(mode);
      const find = await lose(service);
      const { status, request_id: job_id } = await screened(service, withExtra(clean()), options);
      expect([status, (await known(service)).batches]).toEqual(['WARN', 12]);
      await find();
      expect((await say(service, 'accept', { job_id })).body.changed).toBe(true);
      expect((await screened(service, withExtra(clean()), options)).status).toBe('PASS');
      const { body } = await say(service, 'feedback', { job_id, verdict: 'bad' });
      expect(body.message).toContain('Roll back to version 1, ');
    });

  test.each(LOST)('%s can be called expected, and bad again', async (_, lose) => {
    const { service, options, clean } = await settled('contract');
    const find = await lose(service);
    const { request_id: job_id } = await screened(service, withExtra(clean()), options);
    await find();
    await sayInTurn(service, job_id, [
      ['bad', false, 12],
      ['expected', true, 13],
      ['expected', false, 13],
      ['bad', true, 12],
    ]);
  });

  test.each(LOST)('%s is taught while that lasts, if there is room', async (_, lose) => {
    const { service, options, clean } = await settled('contract');
    const find = await lose(service);
    const { request_id: job_id } = await screened(service, withExtra(clean()), options);
    expect((await say(service, 'accept', { job_id })).body.changed).toBe(true);
    expect((await screened(service, withExtra(clean()), options)).status).toBe('PASS');
    await find();
  });

  test.each(LOST)('%s: a batch that passed says so, and what to do', async (_, lose) => {
    const { service, options, clean } = await settled('contract');
    await lose(service);
    const { request_id: job_id, status } = await screened(service, clean(), options);
    expect(status).toBe('PASS');
    const said = await say(service, 'feedback', { job_id, verdict: 'expected' });
    expect([said.status, said.body.code]).toEqual([409, 'TOO_LATE']);
    expect(said.body.message).toMatch(
      /^The batch was not learned, because (the source was pinned|its storage was full), /,
    );
    expect(said.body.message).toEndWith('Unpin the source, or free storage, and send the batch again');
  });
});

describe('a WARN that was merged with others', () => {
  test('by its accept can be accepted again after a rollback', async () => {
    const { service, options, clean } = await settled('adaptive');
    const { request_id: job_id } = await screened(service, withExtra(clean()), options);
    for (const _ of ['once', 'again']) {
      expect((await say(service, 'accept', { job_id })).body.changed).toBe(true);
      expect((await known(service)).batches).toBe(13);
      const [{ version }] = await versionsOf(service);
      await say(service, 'rollback', { version });
    }
  });

  test('by the accept of another batch says so', async () => {
    const { service, options, clean } = await settled('adaptive');
    const { request_id: job_id } = await screened(service, withExtra(clean()), options);
    const other = await screened(
      service,
      changedBy(clean(), () => ({ extra: 1, amount: 'x' })),
      options,
    );
    await say(service, 'accept', { job_id: other.request_id });
    const { status, body } = await say(service, 'accept', { job_id });
    expect([status, body]).toEqual([
      409,
      {
        code: 'TOO_LATE',
        message:
          'The batch was merged with others, by further batches, an accept or a rollback, and cannot be taught alone. Send it again, or choose a newer one like it',
      },
    ]);
  });

  test('before a reset says so, and bad finds nothing to remove', async () => {
    const { service, options, clean } = await settled('adaptive');
    const { request_id: job_id } = await screened(service, withExtra(clean()), options);
    await ask(service, 'DELETE', '/v1/schema/orders');
    for (const [what, said] of [
      ['accept', { job_id }],
      ['feedback', { job_id, verdict: 'expected' }],
    ] as const) {
      const { status, body } = await say(service, what, said);
      expect([status, body.message]).toEqual([
        409,
        'The batch is not among the last 32 of the source: others came since, or the source was reset or rolled back. Send it again, or choose a newer one like it',
      ]);
    }
    for (const _ of ['without a baseline', 'with a new one']) {
      const { status, body } = await say(service, 'feedback', { job_id, verdict: 'bad' });
      expect([status, body.changed]).toEqual([200, false]);
      await screened(service, clean(), options);
    }
  });
});

describe('a run of BLOCKed batches', () => {
  for (const mode of MODES)
    test(`is said since when, in ${mode} mode, until something passes or is accepted`, async () => {
      const { service, options, clean } = await settled(mode);
      const change = (rows: Record<string, unknown>[]) => changedBy(rows, () => ({ amount: 'x' }));
      const first = await screened(service, change(clean()), options);
      expect(first).not.toHaveProperty('blocked_since');
      for (const batches of [2, 3]) {
        const next = await screened(service, change(clean()), options);
        expect(next.blocked_since).toEqual({
          job_id: first.request_id,
          timestamp: first.timestamp,
          batches,
          accept: expect.stringContaining(`/v1/schema/orders/accept {"job_id":"${next.request_id}"}`),
        });
        const { report } = (await ask(service, 'GET', `/v1/jobs/${next.request_id}`)).body;
        expect(report.blocked_since).toEqual(next.blocked_since);
      }
      expect((await known(service)).blocked_since).toMatchObject({ job_id: first.request_id, batches: 3 });
      const rehearsed = await screened(service, change(clean()), { ...options, dry_run: true });
      expect(rehearsed.blocked_since.batches).toBe(4);
      const another = await screened(
        service,
        changedBy(clean(), () => ({ id: true })),
        options,
      );
      expect(another).not.toHaveProperty('blocked_since');
      expect((await screened(service, clean(), options)).status).toBe('PASS');
      expect(await known(service)).not.toHaveProperty('blocked_since');
      expect(await screened(service, change(clean()), options)).not.toHaveProperty('blocked_since');
    });

  test('ends with a passing batch, also with a pinned baseline', async () => {
    const { service, options, clean } = await settled('contract');
    await say(service, 'pin', { pinned: true });
    const bad = () =>
      screened(
        service,
        changedBy(clean(), () => ({ amount: 'x' })),
        options,
      );
    await bad();
    expect((await bad()).blocked_since.batches).toBe(2);
    await screened(service, clean(), options);
    expect(await known(service)).not.toHaveProperty('blocked_since');
    expect(await bad()).not.toHaveProperty('blocked_since');
  });

  test('does not fail the batch if it cannot be recorded', async () => {
    const { service, options, clean } = await settled('contract');
    service.baselineStore.noteRun = async () => {
      throw new Rejection('SERVICE_UNAVAILABLE', 'away');
    };
    expect(
      (
        await screened(
          service,
          changedBy(clean(), () => ({ amount: 'x' })),
          options,
        )
      ).status,
    ).toBe('BLOCK');
  });
});

describe('advice', () => {
  test('a field that is BLOCKed every day gets advice, which makes it pass', async () => {
    const service = ticking();
    const gap = (day: number) => orders(day).map((row, i) => (i % 4 ? { ...row, city: null } : row));
    const said = [];
    for (let day = 0; day < 4; day++) said.push(await screened(service, gap(day)));
    expect(said.map(({ status }) => status)).toEqual(['BLOCK', 'BLOCK', 'BLOCK', 'BLOCK']);
    expect(said.map(({ advice }) => advice?.[0].set)).toEqual([
      undefined,
      undefined,
      { thresholds: { null_rate_warn: 0.8, null_rate_block: 0.9 } },
      { thresholds: { null_rate_warn: 0.8, null_rate_block: 0.9 } },
    ]);
    expect((await known(service)).advice).toEqual(said[3].advice);
    await ask(service, 'PUT', '/v1/schema/orders/settings', said[3].advice[0].set);
    expect(await known(service)).not.toHaveProperty('advice');
    const next = await screened(service, gap(4));
    expect(next.status).toBe('PASS');
    expect(next).not.toHaveProperty('advice');
    expect(await known(service)).not.toHaveProperty('advice');
  });

  test('a field that warns every day too, and the advised mode judges it by its past', async () => {
    const service = ticking();
    const gap = (day: number) => orders(day).map((row, i) => (i % 2 ? { ...row, city: null } : row));
    for (let day = 0; day < 3; day++) expect(await screened(service, gap(day))).not.toHaveProperty('advice');
    const { status, advice } = await screened(service, gap(3));
    expect(status).toBe('WARN');
    expect(advice.map(({ fields }: { fields: string[] }) => fields)).toEqual([['city'], ['city']]);
    await ask(service, 'PUT', '/v1/schema/orders/settings', advice[1].set);
    const next = await screened(service, gap(4));
    expect([next.status, next.gate.mode]).toEqual(['PASS', 'adaptive']);
    expect(next).not.toHaveProperty('advice');
  });

  test('a clean source and a single bad day get no advice', async () => {
    const { service, options, clean } = await settled('contract');
    const bad = await screened(
      service,
      clean().map(row => ({ ...row, city: null })),
      options,
    );
    expect(bad.status).toBe('BLOCK');
    expect(bad).not.toHaveProperty('advice');
    expect(await known(service)).not.toHaveProperty('advice');
  });
});

test('feedback is stored as versions before and after', async () => {
  const { service, options, clean } = await settled('contract');
  const { request_id: job_id } = await screened(
    service,
    changedBy(clean(), () => ({ amount: 'x' })),
    options,
  );
  await say(service, 'accept', { job_id });
  expect(await versionsOf(service)).toMatchObject([
    { version: 1, reason: 'before_accept', job_id, batches: 12 },
  ]);
});
