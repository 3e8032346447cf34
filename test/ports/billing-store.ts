/** What every BillingStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { BillingStore, IdentityStore, Entitlement, Subscription } from '../../src/stores/ports.ts';

export interface OpenBilling {
  /** Two connections to one and the same store. */
  one: BillingStore;
  other: BillingStore;
  identities: IdentityStore;
  /** Makes an account on the plan developer, with a session of this token's SHA-256; its id. */
  account(email: string, session: string): Promise<string>;
  close(): Promise<void>;
}

const NONE: Entitlement = { plan: null, period: null, until: null };
const PERIOD = { start: 1_790_000_000_000, end: 1_792_600_000_000 };
const PAID: Entitlement = { plan: 'growth', period: PERIOD, until: null };
const ENDED: Entitlement = { plan: null, period: null, until: 1_791_000_000_000 };
const subscription = (given: Partial<Subscription> = {}): Subscription => ({
  id: 'sub_1',
  status: 'active',
  plan: 'growth',
  periodStart: PERIOD.start,
  periodEnd: PERIOD.end,
  createdAt: PERIOD.start,
  endedAt: null,
  ...given,
});

/** `open`: connections to an empty store. */
export function billingStoreContract(name: string, open: () => Promise<OpenBilling>): void {
  describe(`${name} as a BillingStore`, () => {
    let opened: OpenBilling;
    let one: BillingStore;
    let other: BillingStore;
    let ann: string;
    let bob: string;

    beforeEach(async () => {
      opened = await open();
      ({ one, other } = opened);
      ann = await opened.account('ann@corp.com', 'aa');
      bob = await opened.account('bob@corp.com', 'bb');
    });
    afterEach(() => opened.close());

    const accountBehind = async (session: string) =>
      (await opened.identities.ownerOfSession(session, 1))!.account;

    test('a new account has no customer and no subscription', async () => {
      expect(await one.payer(ann)).toEqual({
        id: ann,
        email: 'ann@corp.com',
        customer: null,
        version: 0,
        subscriptions: [],
      });
      expect(await one.payer('acc_nobody')).toBeNull();
      expect(await accountBehind('aa')).toMatchObject({
        plan: 'developer',
        paidPeriod: null,
        paidUntil: null,
      });
    });

    test('concurrent calls give an account one customer', async () => {
      const ids = ['cus_1', 'cus_2', 'cus_3', 'cus_4'];
      const kept = await Promise.all(ids.map((id, i) => (i % 2 ? one : other).keepCustomer(ann, id, null)));
      expect(kept.filter(Boolean)).toHaveLength(1);
      const { customer } = (await one.payer(ann))!;
      expect(customer).toBe(ids[kept.indexOf(true)]!);
      expect(await other.accountOf('sub_1', customer!)).toBe(ann);
    });

    test('a customer replaces only the one that is named', async () => {
      await one.keepCustomer(ann, 'cus_1', null);
      expect(await one.keepCustomer(ann, 'cus_2', 'cus_0')).toBe(false);
      expect(await one.keepCustomer(ann, 'cus_2', 'cus_1')).toBe(true);
      expect((await one.payer(ann))!.customer).toBe('cus_2');
      expect(await one.accountOf('sub_1', 'cus_1')).toBeNull();
    });

    test('a customer belongs to one account', async () => {
      await one.keepCustomer(ann, 'cus_1', null);
      expect(await one.keepCustomer(bob, 'cus_1', null)).toBe(false);
      expect(await one.keepCustomer('acc_nobody', 'cus_3', null)).toBe(false);
      expect((await one.payer(bob))!.customer).toBeNull();
    });

    test('owners of keys and sessions have the recorded plan', async () => {
      expect(await one.record(ann, 0, subscription(), PAID)).toBe(true);
      expect(await accountBehind('aa')).toMatchObject({
        plan: 'growth',
        paidPeriod: PERIOD,
        paidUntil: null,
      });
      expect(await accountBehind('bb')).toMatchObject({ plan: 'developer', paidPeriod: null });
      const { version, subscriptions } = (await other.payer(ann))!;
      expect({ version, subscriptions }).toEqual({ version: 1, subscriptions: [subscription()] });
      expect(
        await one.record(ann, 1, subscription({ status: 'canceled', endedAt: ENDED.until }), ENDED),
      ).toBe(true);
      expect(await accountBehind('aa')).toMatchObject({
        plan: 'developer',
        paidPeriod: null,
        paidUntil: ENDED.until,
      });
    });

    test('a subscription is found by its id first, then by its customer', async () => {
      await one.record(ann, 0, subscription(), PAID);
      await one.keepCustomer(bob, 'cus_2', null);
      expect(await other.accountOf('sub_1', 'cus_2')).toBe(ann);
      expect(await other.accountOf('sub_2', 'cus_2')).toBe(bob);
      expect(await other.accountOf('sub_2', 'cus_3')).toBeNull();
    });

    test('subscriptions are listed oldest first, each as it was last described', async () => {
      const later = subscription({ id: 'sub_0', createdAt: PERIOD.start + 1, plan: null });
      await one.record(ann, 0, later, NONE);
      await one.record(ann, 1, subscription({ status: 'incomplete' }), NONE);
      await one.record(ann, 2, subscription({ periodEnd: 5, plan: 'scale' }), PAID);
      expect((await one.payer(ann))!.subscriptions).toEqual([
        subscription({ periodEnd: 5, plan: 'scale' }),
        later,
      ]);
    });

    test('of concurrent writes at one version exactly one succeeds', async () => {
      const tries = Array.from({ length: 6 }, (_, i) =>
        (i % 2 ? one : other).record(ann, 0, subscription({ id: `sub_${i}` }), PAID),
      );
      const recorded = await Promise.all(tries);
      expect(recorded.filter(Boolean)).toHaveLength(1);
      const { version, subscriptions } = (await one.payer(ann))!;
      expect(version).toBe(1);
      expect(subscriptions.map(({ id }) => id)).toEqual([`sub_${recorded.indexOf(true)}`]);
      expect(await one.record('acc_nobody', 0, subscription({ id: 'sub_9' }), PAID)).toBe(false);
    });

    test('subscriptions whose period ended without a later event are overdue', async () => {
      await one.record(ann, 0, subscription({ endedAt: 5, id: 'sub_0' }), NONE);
      await one.record(ann, 1, subscription(), PAID);
      await one.record(bob, 0, subscription({ id: 'sub_2' }), ENDED);
      const found = [{ account: ann, subscription: 'sub_1' }];
      expect(await other.overdue(PERIOD.end - 1, PERIOD.end + 1, 10)).toEqual(found);
      expect(await other.overdue(PERIOD.end - 1, PERIOD.end, 10)).toEqual([]);
      expect(await other.overdue(PERIOD.end, PERIOD.end + 1, 10)).toEqual([]);
      await one.record(ann, 2, subscription({ id: 'sub_3' }), PAID);
      const some = await Promise.all(Array.from({ length: 30 }, () => other.overdue(0, PERIOD.end + 1, 1)));
      expect(new Set(some.flat().map(({ subscription: id }) => id))).toEqual(new Set(['sub_1', 'sub_3']));
      expect(some.every(({ length }) => length === 1)).toBe(true);
    });

    test('an event stays done, even if marked several times', async () => {
      expect(await one.isDone('evt_1')).toBe(false);
      await Promise.all([one, other, one].map(store => store.done('evt_1', 'invoice.paid', 10)));
      expect(await other.isDone('evt_1')).toBe(true);
      expect(await other.isDone('evt_2')).toBe(false);
    });

    test('old events are deleted in limited steps', async () => {
      for (const at of [1, 2, 3, 4]) await one.done(`evt_${at}`, 'invoice.paid', at);
      expect([await one.prune(4, 2), await one.prune(4, 2), await one.prune(4, 2)]).toEqual([2, 1, 0]);
      expect(await one.isDone('evt_4')).toBe(true);
      expect(await one.isDone('evt_3')).toBe(false);
    });
  });
}
