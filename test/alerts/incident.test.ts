import { describe, expect, test } from 'bun:test';
import { resolved, takeUp } from '../../src/alerts/incident.ts';
import type { BadBatch, Incident } from '../../src/stores/ports.ts';

const AT = 1_790_000_000_000;
const DAY_MS = 24 * 3_600_000;
const newId = () => 'inc_new';

const bad = (number: number, verdict: BadBatch['verdict'] = 'WARN'): BadBatch => ({
  job: `req_${number}`,
  account: 'a',
  source: 'orders',
  verdict,
  healthScore: 1 - number / 100,
  reason: `reason ${number}`,
  at: AT + number,
});

const passedWith = (job: string) => ({ job, healthScore: 0.95 });

const opened = (): Incident => ({ ...takeUp(null, [bad(1)], AT, newId).incident, version: 1 });

describe('a source that turns from PASS', () => {
  test('is an incident, which is said at once', () => {
    expect(takeUp(null, [bad(1, 'BLOCK')], AT + 5, newId)).toEqual({
      event: 'incident.opened',
      passed: null,
      incident: {
        id: 'inc_new',
        account: 'a',
        source: 'orders',
        status: 'open',
        verdict: 'BLOCK',
        openedAt: AT + 1,
        resolvedAt: null,
        batches: 1,
        firstJob: 'req_1',
        lastJob: 'req_1',
        lastAt: AT + 1,
        lastVerdict: 'BLOCK',
        healthScore: 0.99,
        reason: 'reason 1',
        acknowledgedAt: null,
        snoozedUntil: null,
        accepted: null,
        toldAt: AT + 5,
        toldVerdict: 'BLOCK',
        tellNext: null,
        version: 0,
      },
    });
  });

  test('with many batches at once is one incident of the gravest verdict', () => {
    const { incident, event } = takeUp(null, [bad(1), bad(2, 'BLOCK'), bad(3)], AT, newId);
    expect(event).toBe('incident.opened');
    expect(incident).toMatchObject({ verdict: 'BLOCK', batches: 3, firstJob: 'req_1', lastJob: 'req_3' });
  });

  test('again after it was resolved is a new incident', () => {
    const before = resolved(opened(), passedWith('req_2'), AT + 2).incident;
    const { incident, event } = takeUp(before, [bad(3)], AT + 3, newId);
    expect(event).toBe('incident.opened');
    expect(incident).toMatchObject({ batches: 1, firstJob: 'req_3', version: 0 });
  });
});

describe('further batches', () => {
  test('are counted and say nothing', () => {
    const { incident, event } = takeUp(opened(), [bad(2), bad(3)], AT + 3, newId);
    expect(event).toBeNull();
    expect(incident).toMatchObject({
      batches: 3,
      lastJob: 'req_3',
      reason: 'reason 3',
      toldAt: AT,
      version: 1,
    });
  });

  test('that are screened before the last one do not replace it', () => {
    const { incident } = takeUp(opened(), [bad(0, 'BLOCK')], AT + 3, newId);
    expect(incident).toMatchObject({ batches: 2, verdict: 'BLOCK', lastJob: 'req_1', reason: 'reason 1' });
  });

  test('are said where the verdict becomes BLOCK, once', () => {
    const { incident, event } = takeUp(opened(), [bad(2, 'BLOCK')], AT + 2, newId);
    expect(event).toBe('incident.updated');
    expect(takeUp(incident, [bad(3, 'BLOCK')], AT + 3, newId).event).toBeNull();
    expect(takeUp(incident, [bad(3)], AT + 3, newId).incident.verdict).toBe('BLOCK');
  });

  test('are said once a day, unless somebody has acknowledged it', () => {
    expect(takeUp(opened(), [bad(2)], AT + DAY_MS - 1, newId).event).toBeNull();
    const { incident, event } = takeUp(opened(), [bad(2)], AT + DAY_MS, newId);
    expect(event).toBe('incident.updated');
    expect(takeUp(incident, [bad(3)], AT + DAY_MS + 1, newId).event).toBeNull();
    const acknowledged = { ...opened(), acknowledgedAt: AT };
    expect(takeUp(acknowledged, [bad(2)], AT + DAY_MS, newId).event).toBeNull();
    expect(takeUp(acknowledged, [bad(2, 'BLOCK')], AT + 2, newId).event).toBe('incident.updated');
  });
});

describe('an incident with an accepted batch', () => {
  const accepted = (): Incident => ({ ...opened(), accepted: { at: AT + 5, by: 'ann@corp.com' } });

  test('reminds nobody of batches from before the accept', () => {
    const { incident, event } = takeUp(accepted(), [bad(2), bad(5)], AT + 2 * DAY_MS, newId);
    expect(event).toBeNull();
    expect(incident).toMatchObject({ batches: 3, lastJob: 'req_5', toldAt: AT, accepted: { at: AT + 5 } });
  });

  test('is said again at once where a batch after it does not pass, once', () => {
    const { incident, event } = takeUp(accepted(), [bad(6)], AT + 6, newId);
    expect(event).toBe('incident.updated');
    expect(incident.accepted).toBeNull();
    expect(takeUp(incident, [bad(7)], AT + 7, newId).event).toBeNull();
  });

  test('says nothing of a batch after it that is less grave', () => {
    const { incident } = takeUp(accepted(), [bad(2, 'BLOCK')], AT + 3, newId);
    expect(takeUp(incident, [bad(6)], AT + 6, newId).event).toBeNull();
    expect(takeUp(incident, [bad(6, 'BLOCK')], AT + 6, newId).event).toBe('incident.updated');
  });

  test('is said again at once where a batch as grave follows, also after less grave ones', () => {
    const { incident: told } = takeUp(opened(), [bad(2, 'BLOCK')], AT + 3, newId);
    const { incident, event } = takeUp({ ...told, accepted: accepted().accepted }, [bad(6)], AT + 6, newId);
    expect([event, incident.accepted]).toEqual([null, null]);
    expect(takeUp(incident, [bad(7)], AT + 7, newId).event).toBeNull();
    const again = takeUp(incident, [bad(7), bad(8, 'BLOCK'), bad(9)], AT + 9, newId);
    expect(again.event).toBe('incident.updated');
    expect(takeUp(again.incident, [bad(10, 'BLOCK')], AT + 10, newId).event).toBeNull();
  });

  test('is reminded of again where less grave batches follow, and still says at once a graver one', () => {
    const { incident: told } = takeUp(opened(), [bad(2, 'BLOCK')], AT + 3, newId);
    const { incident } = takeUp({ ...told, accepted: accepted().accepted }, [bad(6)], AT + 6, newId);
    const reminded = takeUp(incident, [bad(7)], AT + 3 + DAY_MS, newId);
    expect(reminded.event).toBe('incident.updated');
    expect(takeUp(reminded.incident, [bad(8, 'BLOCK')], AT + 4 + DAY_MS, newId).event).toBe(
      'incident.updated',
    );
  });

  test('waits no longer when it ends', () => {
    expect(resolved(accepted(), passedWith('req_9'), AT + 11).incident.accepted).toBeNull();
  });
});

describe('a snooze', () => {
  const snoozed = () => ({ ...opened(), snoozedUntil: AT + 100 });

  test('silences what is worse and reminders until it ends', () => {
    const { incident, event } = takeUp(snoozed(), [bad(2, 'BLOCK')], AT + 99, newId);
    expect(event).toBeNull();
    expect(incident).toMatchObject({ verdict: 'BLOCK', toldAt: AT, toldVerdict: 'WARN' });
    expect(takeUp(incident, [bad(3)], AT + 100 + DAY_MS, newId).event).toBe('incident.updated');
  });

  test('holds back that it became worse: the first batch after it says so, once, also if acknowledged', () => {
    const { incident: held } = takeUp(snoozed(), [bad(2, 'BLOCK'), bad(3)], AT + 50, newId);
    const still = takeUp(held, [bad(4)], AT + 99, newId);
    expect(still.event).toBeNull();
    for (const acknowledgedAt of [null, AT + 60]) {
      const { incident, event } = takeUp({ ...still.incident, acknowledgedAt }, [bad(5)], AT + 100, newId);
      expect(event).toBe('incident.updated');
      expect(incident).toMatchObject({ verdict: 'BLOCK', lastVerdict: 'WARN', toldVerdict: 'BLOCK' });
      expect(takeUp(incident, [bad(6, 'BLOCK')], AT + 101, newId).event).toBeNull();
    }
  });

  test('holds back that an accept did not help', () => {
    const accepted = { ...snoozed(), accepted: { at: AT + 5, by: 'ann@corp.com' } };
    const { incident, event } = takeUp(accepted, [bad(6)], AT + 6, newId);
    expect(event).toBeNull();
    expect(takeUp(incident, [bad(7)], AT + 100, newId).event).toBe('incident.updated');
  });

  test('says nothing of a worsening that was accepted meanwhile, until there is another', () => {
    const { incident: held } = takeUp(snoozed(), [bad(2, 'BLOCK')], AT + 3, newId);
    const accepted = { ...held, accepted: { at: AT + 5, by: 'ann@corp.com' } };
    const { incident, event } = takeUp(accepted, [bad(101)], AT + 101, newId);
    expect(event).toBeNull();
    expect(takeUp(incident, [bad(102, 'BLOCK')], AT + 102, newId).event).toBe('incident.updated');
  });

  test('outlasts its incident: what begins meanwhile is opened for others when it ends', () => {
    const before = resolved(snoozed(), passedWith('req_2'), AT + 2).incident;
    const { incident, event } = takeUp(before, [bad(3)], AT + 3, newId);
    expect([event, incident.toldAt, incident.snoozedUntil]).toEqual([null, null, AT + 100]);
    expect(takeUp(incident, [bad(4)], AT + 100, newId).event).toBe('incident.opened');
  });
});

describe('the end', () => {
  test('is said of what was said', () => {
    const { incident, event, passed } = resolved(opened(), passedWith('req_9'), AT + 9);
    expect(event).toBe('incident.resolved');
    expect(passed).toEqual({ job: 'req_9', healthScore: 0.95 });
    expect(incident).toMatchObject({ status: 'resolved', resolvedAt: AT + 9, lastJob: 'req_9', batches: 1 });
  });

  test('of an incident that nobody heard of is not', () => {
    expect(resolved({ ...opened(), toldAt: null }, passedWith('req_9'), AT + 9).event).toBeNull();
  });
});
