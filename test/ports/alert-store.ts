/** What every AlertStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { LONG_PAUSE_MS, MAX_DELIVERIES } from '../../src/stores/ports/alerts.ts';
import type {
  AlertStore,
  ChangeStore,
  Channel,
  Delivery,
  Incident,
  Job,
  JobStore,
  SourceChange,
} from '../../src/stores/ports.ts';

export interface AlertStores {
  one: AlertStore;
  other: AlertStore;
  jobs: Pick<JobStore, 'complete'>;
  changes: Pick<ChangeStore, 'add'>;
  /** Makes an account and gives its id. */
  account(email: string): Promise<string>;
  close(): Promise<void>;
}

const AT = 1_790_000_000_000;
const id = (kind: string, number: number) => `${kind}_${String(number).padStart(26, '0')}`;

const channel = (number: number, more: Partial<Channel> = {}): Channel => ({
  id: id('chn', number),
  type: 'webhook',
  name: `Channel ${number}`,
  target: `https://example.com/${number}`,
  sources: ['orders', 'raw/*'],
  on: 'warn',
  secrets: [
    { secret: 'whsec_bmV3', until: null },
    { secret: 'whsec_b2xk', until: AT },
  ],
  createdAt: AT + number,
  failingSince: null,
  ...more,
});

const incident = (account: string, number: number, more: Partial<Incident> = {}): Incident => ({
  id: id('inc', number),
  account,
  source: 'orders',
  status: 'open',
  verdict: 'WARN',
  openedAt: AT,
  resolvedAt: null,
  batches: 1,
  firstJob: id('req', 1),
  lastJob: id('req', 1),
  lastAt: AT,
  lastVerdict: 'WARN',
  healthScore: 0.75,
  reason: 'nulls',
  acknowledgedAt: null,
  snoozedUntil: null,
  accepted: null,
  toldAt: AT,
  toldVerdict: 'WARN',
  tellNext: null,
  version: 0,
  ...more,
});

const delivery = (account: string, number: number, more: Partial<Delivery> = {}): Delivery => ({
  id: id('msg', number),
  account,
  channel: id('chn', 1),
  incident: id('inc', 1),
  type: 'incident.opened',
  payload: '{"type":"incident.opened"}',
  status: 'pending',
  attempts: 0,
  createdAt: AT,
  nextAt: AT + number,
  settledAt: null,
  error: null,
  ...more,
});

/** After the id of every job. */
const ANY_TIME = '~';

/** `open`: two connections to one and the same empty store. */
export function alertStoreContract(name: string, open: () => Promise<AlertStores>): void {
  describe(`${name} as an AlertStore`, () => {
    let stores: AlertStores;
    let one: AlertStore;
    let other: AlertStore;
    let ann: string;
    let bob: string;

    beforeEach(async () => {
      stores = await open();
      ({ one, other } = stores);
      [ann, bob] = [await stores.account('ann@corp.com'), await stores.account('bob@corp.com')];
    });
    afterEach(() => stores.close());

    /** Screens a batch; `reason`: it does not pass. */
    const screen = (number: number, status: Job['status'], source = 'orders', account = ann) =>
      stores.jobs.complete({
        account,
        job: {
          id: id('req', number),
          source,
          status,
          healthScore: 0.5,
          rowsReceived: 1,
          driftCount: 0,
          latencyMs: 1,
          createdAt: AT + number,
        },
        document: { report: '{}', profile: '{}' },
        trend: { drift: '[]', nullRates: '{}' },
        periodStart: AT,
        answer: null,
        reason: status === 'PASS' ? null : `reason ${number}`,
      });

    describe('channels', () => {
      test('are listed for their account alone, oldest first, with all they were given', async () => {
        expect(await one.addChannel(ann, channel(2, { on: 'block', failingSince: null }), 20)).toBe(true);
        await one.addChannel(ann, channel(1), 20);
        await one.addChannel(bob, channel(3, { type: 'email', target: 'b@corp.com', secrets: [] }), 20);
        expect(await other.channels(ann)).toEqual([channel(1), channel(2, { on: 'block' })]);
        expect((await other.channels(bob)).map(each => each.target)).toEqual(['b@corp.com']);
      });

      test('are at most as many as the limit, also if they are added at once', async () => {
        const added = Array.from({ length: 12 }, (_, n) =>
          (n % 2 ? one : other).addChannel(ann, channel(n), 5),
        );
        expect((await Promise.all(added)).filter(Boolean)).toHaveLength(5);
        expect(await one.channels(ann)).toHaveLength(5);
      });

      test('are changed and deleted by their account alone', async () => {
        await one.addChannel(ann, channel(1), 20);
        expect(await one.changeChannel(bob, channel(1, { name: 'x' }), channel(1))).toBe(false);
        expect(await one.removeChannel(bob, channel(1).id)).toBe(false);
        const change = channel(1, {
          name: 'new',
          target: 'https://b',
          sources: ['*'],
          on: 'block',
        });
        expect(await other.changeChannel(ann, { ...change, secrets: [] }, channel(1))).toBe(true);
        expect(await one.channels(ann)).toEqual([change]);
        expect(await other.removeChannel(ann, channel(1).id)).toBe(true);
        expect(await one.channels(ann)).toEqual([]);
      });

      test('are changed by one of several who have read the same, whatever each changes', async () => {
        await one.addChannel(ann, channel(1), 20);
        const changes = [
          channel(1, { name: 'new' }),
          channel(1, { target: 'https://b' }),
          channel(1, { sources: ['*'] }),
          channel(1, { on: 'block' }),
        ];
        const done = await Promise.all(
          changes.map((change, n) => (n % 2 ? one : other).changeChannel(ann, change, channel(1))),
        );
        expect(done.filter(Boolean)).toHaveLength(1);
        expect(await one.channels(ann)).toEqual([changes[done.indexOf(true)]!]);
      });

      test('have their secrets changed by one of several who have read the same', async () => {
        await one.addChannel(ann, channel(1), 20);
        const { secrets } = channel(1);
        const newer = (n: number) => channel(1, { secrets: [{ secret: `whsec_${n}`, until: null }] });
        expect(await one.changeSecrets(bob, newer(0), secrets)).toBe(false);
        const changes = [1, 2, 3, 4].map(n => (n % 2 ? one : other).changeSecrets(ann, newer(n), secrets));
        const done = await Promise.all(changes);
        expect(done.filter(Boolean)).toHaveLength(1);
        expect(await one.channels(ann)).toEqual([newer(done.indexOf(true) + 1)]);
      });

      test('take their deliveries with them', async () => {
        await one.addChannel(ann, channel(1), 20);
        await one.addDelivery(delivery(ann, 1));
        await one.removeChannel(ann, channel(1).id);
        expect(await one.deliveries(ann, { limit: 9 })).toEqual([]);
        await one.addDelivery(delivery(ann, 2));
        expect(await one.due(AT + 9, 9)).toEqual([]);
      });

      test('begin to fail once, until they work again', async () => {
        await one.addChannel(ann, channel(1), 20);
        const marks = [one.setFailing(channel(1).id, AT + 5), other.setFailing(channel(1).id, AT + 6)];
        expect((await Promise.all(marks)).sort()).toEqual([false, true]);
        expect((await one.channels(ann))[0]!.failingSince).toBeGreaterThan(AT);
        expect(await one.setFailing(channel(1).id, null)).toBe(true);
        expect(await one.setFailing(channel(1).id, null)).toBe(false);
        expect((await one.channels(ann))[0]!.failingSince).toBeNull();
      });

      test('have an owner with an address', async () => {
        expect(await one.ownerEmail(ann)).toBe('ann@corp.com');
        expect(await one.ownerEmail('nobody')).toBeNull();
      });
    });

    describe('a bad batch', () => {
      test('is written with its job; a batch that passes is not', async () => {
        await screen(2, 'BLOCK', 'raw/"orders"\u{1F600}');
        await screen(1, 'WARN');
        await screen(3, 'PASS');
        expect(await other.badBatches(10)).toEqual([
          {
            job: id('req', 1),
            account: ann,
            source: 'orders',
            verdict: 'WARN',
            healthScore: 0.5,
            reason: 'reason 1',
            at: AT + 1,
          },
          {
            job: id('req', 2),
            account: ann,
            source: 'raw/"orders"\u{1F600}',
            verdict: 'BLOCK',
            healthScore: 0.5,
            reason: 'reason 2',
            at: AT + 2,
          },
        ]);
        expect(await one.badBatches(1)).toHaveLength(1);
      });

      test('is forgotten when its incident is written, in one transaction with the deliveries', async () => {
        await one.addChannel(ann, channel(1), 20);
        await screen(1, 'WARN');
        const batches = await one.badBatches(10);
        expect(await one.move(incident(ann, 1), batches, [delivery(ann, 1)])).toBe(true);
        expect(await other.badBatches(10)).toEqual([]);
        expect(await other.lastIncident(ann, 'orders')).toEqual(incident(ann, 1, { version: 1 }));
        expect((await other.deliveries(ann, { limit: 9 })).map(each => each.id)).toEqual([id('msg', 1)]);
      });

      test('is taken up by one of several processes', async () => {
        await one.addChannel(ann, channel(1), 20);
        await screen(1, 'WARN');
        const batches = await one.badBatches(10);
        const moves = Array.from({ length: 8 }, (_, n) =>
          (n % 2 ? one : other).move(incident(ann, n + 1), batches, [delivery(ann, n + 1)]),
        );
        expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1);
        expect(await one.deliveries(ann, { limit: 99 })).toHaveLength(1);
        expect(await one.incidents(ann, { limit: 99 })).toHaveLength(1);
      });
    });

    test('a bad batch counts once, also if a process reads the incident after another has written it', async () => {
      await screen(1, 'WARN');
      const batches = await one.badBatches(10);
      expect(await other.move(incident(ann, 1), batches, [])).toBe(true);
      const read = (await one.lastIncident(ann, 'orders'))!;
      expect(await one.move({ ...read, batches: 2 }, batches, [])).toBe(false);
      expect((await one.lastIncident(ann, 'orders'))!.batches).toBe(1);
    });

    describe('an incident', () => {
      test('is written by one of several who have read the same', async () => {
        await one.move(incident(ann, 1), [], []);
        const read = (await one.lastIncident(ann, 'orders'))!;
        const moves = [2, 3, 4, 5].map(batches =>
          (batches % 2 ? one : other).move({ ...read, batches }, [], []),
        );
        expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1);
        expect((await one.lastIncident(ann, 'orders'))!.version).toBe(2);
      });

      test('keeps the verdict that was last announced, and which one is announced next', async () => {
        const state = { lastVerdict: 'WARN', toldVerdict: null, tellNext: 'any' } as const;
        await one.move(incident(ann, 1, { ...state, verdict: 'BLOCK', toldAt: null }), [], []);
        const read = (await other.lastIncident(ann, 'orders'))!;
        expect(read).toMatchObject({ ...state, verdict: 'BLOCK' });
        const next = { lastVerdict: 'BLOCK', toldVerdict: 'BLOCK', tellNext: 'gravest' } as const;
        await other.move({ ...read, ...next }, [], []);
        expect(await one.findIncident(ann, read.id)).toMatchObject(next);
      });

      test('is the only open one of its source; a resolved one makes room', async () => {
        expect(await one.move(incident(ann, 1), [], [])).toBe(true);
        expect(await one.move(incident(ann, 2), [], [])).toBe(false);
        expect(await one.move(incident(bob, 3), [], [])).toBe(true);
        expect(await one.move(incident(ann, 4, { source: 'raw' }), [], [])).toBe(true);
        const open = (await one.findIncident(ann, id('inc', 1)))!;
        await one.move({ ...open, status: 'resolved', resolvedAt: AT + 1 }, [], []);
        expect(await one.move(incident(ann, 5), [], [])).toBe(true);
        expect((await one.lastIncident(ann, 'orders'))!.id).toBe(id('inc', 5));
      });

      test('is found and listed for its account alone, newest first, by status and source', async () => {
        await one.move(incident(ann, 1, { source: 'a' }), [], []);
        await one.move(incident(ann, 2, { source: 'b' }), [], []);
        await one.move(incident(ann, 3, { source: 'c', status: 'resolved', resolvedAt: AT }), [], []);
        await one.move(incident(bob, 4), [], []);
        const numbers = async (query: Partial<Parameters<AlertStore['incidents']>[1]>) =>
          (await other.incidents(ann, { limit: 9, ...query })).map(each => Number(each.id.slice(4)));
        expect(await numbers({})).toEqual([3, 2, 1]);
        expect(await numbers({ limit: 1 })).toEqual([3]);
        expect(await numbers({ before: id('inc', 2) })).toEqual([1]);
        expect(await numbers({ status: 'open' })).toEqual([2, 1]);
        expect(await numbers({ status: 'resolved', source: 'a' })).toEqual([]);
        expect(await numbers({ source: 'b' })).toEqual([2]);
        expect(await other.findIncident(ann, id('inc', 4))).toBeNull();
      });

      describe('says who accepted a batch of its source', () => {
        const say = (action: SourceChange['action'], at: number, source: string | null = 'orders') =>
          stores.changes.add(ann, { source, action, at, by: `by ${at - AT}`, key: null });
        const acceptedOf = async () => {
          const found = await one.findIncident(ann, id('inc', 1));
          expect((await other.incidents(ann, { limit: 1, source: 'orders' }))[0]).toEqual(found!);
          expect(await other.lastIncident(ann, 'orders')).toEqual(found);
          return found!.accepted;
        };
        beforeEach(async () => {
          await one.move(incident(ann, 1, { lastAt: AT + 5 }), [], []);
        });

        test('since the newest batch that did not pass', async () => {
          await say('accepted', AT + 4);
          await say('accepted', AT + 6, 'others');
          await say('rules', AT + 7);
          expect(await acceptedOf()).toBeNull();
          await say('accepted', AT + 5);
          expect(await acceptedOf()).toEqual({ at: AT + 5, by: 'by 5' });
          await say('settings', AT + 8);
          await say('accepted', AT + 9);
          expect(await acceptedOf()).toEqual({ at: AT + 9, by: 'by 9' });
        });

        test('unless it is resolved', async () => {
          await say('accepted', AT + 6);
          const found = (await one.lastIncident(ann, 'orders'))!;
          await one.move({ ...found, status: 'resolved', resolvedAt: AT + 7 }, [], []);
          expect(await acceptedOf()).toBeNull();
        });

        test.each([
          ['a rollback', 'rolled_back', 'orders'],
          ['a reset', 'reset', 'orders'],
          ['a reset of all sources', 'reset', null],
        ] as const)('until %s', async (_, action, source) => {
          await say('accepted', AT + 6);
          await say(action, AT + 7, source);
          expect(await acceptedOf()).toBeNull();
        });
      });

      test('has recovered when the newest job of its source passes', async () => {
        await screen(1, 'BLOCK');
        await screen(2, 'PASS', 'others');
        await screen(3, 'PASS', 'orders', bob);
        await one.move(incident(ann, 1), [], []);
        expect(await one.recovered(ANY_TIME, 9)).toEqual([]);
        await screen(4, 'PASS');
        expect(await other.recovered(ANY_TIME, 9)).toEqual([
          { incident: incident(ann, 1, { version: 1 }), job: id('req', 4), healthScore: 0.5 },
        ]);
        await screen(5, 'WARN');
        expect(await one.recovered(ANY_TIME, 9)).toEqual([]);
      });

      test('has not recovered by jobs of the future, from before the clock was set back', async () => {
        await screen(8, 'PASS');
        await one.move(incident(ann, 9, { status: 'resolved', resolvedAt: AT }), [], []);
        await screen(2, 'BLOCK');
        await one.move(incident(ann, 1, { lastJob: id('req', 2) }), [], []);
        expect(await other.recovered(id('req', 3), 9)).toEqual([]);
        expect((await other.lastIncident(ann, 'orders'))!.id).toBe(id('inc', 1));
        await screen(3, 'PASS');
        expect((await other.recovered(id('req', 3), 9)).map(({ job }) => job)).toEqual([id('req', 3)]);
      });

      test('whose batch comes from a process with its clock ahead has not recovered by an earlier job', async () => {
        await screen(2, 'PASS');
        await screen(8, 'BLOCK');
        await one.move(incident(ann, 1, { lastJob: id('req', 8) }), [], []);
        expect(await one.recovered(id('req', 3), 9)).toEqual([]);
      });
    });

    describe('a delivery', () => {
      beforeEach(async () => {
        await one.addChannel(ann, channel(1), 20);
      });

      test('is due from its time on, the longest due first', async () => {
        for (const number of [2, 3]) await one.addChannel(ann, channel(number), 20);
        for (const number of [3, 1, 2])
          await one.addDelivery(delivery(ann, number, { channel: id('chn', number) }));
        expect((await other.due(AT + 2, 9)).map(each => each.id)).toEqual([id('msg', 1), id('msg', 2)]);
        expect(await other.due(AT + 9, 1)).toEqual([
          { id: id('msg', 1), account: ann, channel: id('chn', 1), nextAt: AT + 1, attempts: 0 },
        ]);
      });

      test('hides no other behind many of its channel', async () => {
        await one.addChannel(ann, channel(2), 20);
        for (const number of [3, 1, 2]) await one.addDelivery(delivery(ann, number));
        await one.addDelivery(delivery(ann, 4, { channel: id('chn', 2) }));
        expect((await other.due(AT + 9, 9)).map(each => each.id)).toEqual([id('msg', 1), id('msg', 4)]);
      });

      test('waits while an earlier one of its incident to its channel is pending; others do not', async () => {
        await one.addChannel(ann, channel(2), 20);
        const due = async (at: number) => (await other.due(at, 9)).map(each => Number(each.id.slice(4)));
        await one.addDelivery(delivery(ann, 1, { nextAt: AT + 50 }));
        await one.addDelivery(delivery(ann, 2));
        expect(await due(AT + 49)).toEqual([]);
        expect(await due(AT + 50)).toEqual([1]);
        await one.addDelivery(delivery(ann, 3, { channel: id('chn', 2) }));
        await one.addDelivery(delivery(ann, 4, { incident: id('inc', 2) }));
        expect(await due(AT + 9)).toEqual([3, 4]);
        for (const number of [3, 4]) await one.settle(delivery(ann, number, { status: 'delivered' }));
        for (const number of [5, 6]) await one.addDelivery(delivery(ann, number, { incident: null }));
        expect(await due(AT + 9)).toEqual([5]);
        await one.settle(delivery(ann, 5, { nextAt: AT + 50 }));
        expect(await due(AT + 9)).toEqual([6]);
        await one.settle(delivery(ann, 6, { status: 'delivered' }));
        for (const status of ['failed', 'delivered'] as const) {
          await one.settle(delivery(ann, 1, { status }));
          expect(await due(AT + 9)).toEqual([2]);
          await one.settle(delivery(ann, 1, { nextAt: AT + 50 }));
          expect(await due(AT + 9)).toEqual([]);
        }
      });

      test('that pauses is due when a newer one of its incident is added', async () => {
        const late = AT + LONG_PAUSE_MS;
        for (const [number, nextAt] of [
          [1, late + 1],
          [2, late],
        ] as const)
          await one.addDelivery(delivery(ann, number, { nextAt }));
        await one.addDelivery(delivery(ann, 3, { nextAt: late + 1, incident: id('inc', 2) }));
        await one.addDelivery(delivery(ann, 4, { nextAt: late + 1 }));
        for (const number of [1, 4]) {
          await one.take(id('msg', number), late + 1, AT);
          await one.settle(delivery(ann, number, { nextAt: late + 1 }));
        }
        await one.settle(delivery(ann, 4, { status: 'failed', settledAt: AT, nextAt: late + 1 }));
        await one.move(incident(ann, 1), [], []);
        expect((await one.deliveries(ann, { limit: 9 })).map(each => each.nextAt).at(-1)).toBe(late + 1);
        const open = (await one.findIncident(ann, id('inc', 1)))!;
        expect(await one.move(open, [], [delivery(ann, 5)])).toBe(true);
        const found = await other.deliveries(ann, { limit: 9 });
        expect(found.map(each => [Number(each.id.slice(4)), each.nextAt - AT, each.attempts])).toEqual([
          [5, 5, 0],
          [4, LONG_PAUSE_MS + 1, 1],
          [3, LONG_PAUSE_MS + 1, 0],
          [2, LONG_PAUSE_MS, 0],
          [1, 0, 1],
        ]);
      });

      test(`is one of the newest ${MAX_DELIVERIES} of its channel, or waits; so many wait at most`, async () => {
        const numbers = Array.from({ length: MAX_DELIVERIES }, (_, n) => n + 1);
        await one.move(
          incident(ann, 1),
          [],
          numbers.map(number => delivery(ann, number)),
        );
        const add = (number: number) => one.addDelivery(delivery(ann, MAX_DELIVERIES + number));
        const settle = (number: number) =>
          one.settle(delivery(ann, number, { status: 'delivered', settledAt: AT }));
        const oldest = async () =>
          (await one.deliveries(ann, { limit: 2 * MAX_DELIVERIES }))
            .slice(-3)
            .map(each => Number(each.id.slice(4)));
        expect(await add(1)).toBe(false);
        await settle(2);
        expect(await add(1)).toBe(true);
        expect(await oldest()).toEqual([3, 2, 1]);
        await settle(1);
        expect(await add(2)).toBe(true);
        expect(await oldest()).toEqual([5, 4, 3]);
      });

      test('counts as a mail of its account for as long as was asked, also when its channel is gone', async () => {
        await one.addChannel(ann, channel(2, { type: 'email', target: 'a@corp.com', secrets: [] }), 20);
        for (const at of [AT, AT + 5, AT + 5]) await one.noteMail(ann, at, AT - 1);
        expect(await other.mailsSince(ann, AT - 1)).toBe(3);
        expect(await other.mailsSince(ann, AT + 4)).toBe(2);
        expect(await other.mailsSince(ann, AT + 5)).toBe(0);
        expect(await other.mailsSince(bob, AT - 1)).toBe(0);
        await other.removeChannel(ann, id('chn', 2));
        await one.noteMail(ann, AT + 6, AT);
        expect(await other.mailsSince(ann, 0)).toBe(3);
      });

      test('is taken by one of several processes, and by another only after its time', async () => {
        await one.addDelivery(delivery(ann, 1));
        const takes = Array.from({ length: 8 }, (_, n) =>
          (n % 2 ? one : other).take(id('msg', 1), AT + 1, AT + 60),
        );
        const taken = (await Promise.all(takes)).filter(each => each !== null);
        expect(taken).toEqual([
          { delivery: delivery(ann, 1, { attempts: 1, nextAt: AT + 60 }), channel: channel(1) },
        ]);
        expect(await one.due(AT + 59, 9)).toEqual([]);
        expect(await one.due(AT + 60, 9)).toHaveLength(1);
        expect((await other.take(id('msg', 1), AT + 60, AT + 120))!.delivery.attempts).toBe(2);
      });

      test('that is settled is not due, and can be sent again', async () => {
        await one.addDelivery(delivery(ann, 1));
        const failed = {
          status: 'failed',
          settledAt: AT + 9,
          error: 'it answered 500',
          attempts: 1,
        } as const;
        await one.take(id('msg', 1), AT + 1, AT + 60);
        await one.settle(delivery(ann, 1, failed));
        expect(await one.due(AT + 99, 9)).toEqual([]);
        expect(await other.deliveries(ann, { limit: 9 })).toEqual([delivery(ann, 1, failed)]);
        expect(await one.resend(bob, id('msg', 1), AT + 10)).toBeNull();
        expect(await one.resend(ann, id('msg', 1), AT + 10)).toEqual(delivery(ann, 1, { nextAt: AT + 10 }));
        expect(await one.resend(ann, id('msg', 1), AT + 11)).toBeNull();
        expect(await one.due(AT + 10, 9)).toHaveLength(1);
      });

      test('is listed for its account alone, newest first, by channel', async () => {
        await one.addChannel(ann, channel(2), 20);
        await one.addDelivery(delivery(ann, 1));
        await one.addDelivery(delivery(ann, 2, { channel: id('chn', 2) }));
        await one.addDelivery(delivery(ann, 3));
        const numbers = async (query: object) =>
          (await other.deliveries(ann, { limit: 9, ...query })).map(each => Number(each.id.slice(4)));
        expect(await numbers({})).toEqual([3, 2, 1]);
        expect(await numbers({ channel: id('chn', 1), limit: 1 })).toEqual([3]);
        expect(await numbers({ channel: id('chn', 1), before: id('msg', 3) })).toEqual([1]);
        expect(await other.deliveries(bob, { limit: 9 })).toEqual([]);
      });
    });

    test('old deliveries and incidents that ended are deleted in limited steps', async () => {
      await one.addChannel(ann, channel(1), 20);
      for (const number of [1, 2, 3])
        await one.addDelivery(delivery(ann, number, { createdAt: AT + number }));
      await one.move(incident(ann, 1, { status: 'resolved', resolvedAt: AT + 1 }), [], []);
      await one.move(incident(ann, 2), [], []);
      expect(await one.prune(AT + 3, 1)).toBe(2);
      expect(await one.prune(AT + 3, 9)).toBe(1);
      expect(await one.prune(AT + 3, 9)).toBe(0);
      expect(await one.deliveries(ann, { limit: 9 })).toHaveLength(1);
      expect(await one.incidents(ann, { limit: 9 })).toHaveLength(1);
    });
  });
}
