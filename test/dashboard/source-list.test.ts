/** The list of sources: order, filters, and the choice in the address. */
import { describe, expect, test } from 'bun:test';
import type { Incident } from '../../src/dashboard/contract.ts';
import {
  type Choice,
  choiceIn,
  EVERYTHING,
  joined,
  queryOf,
  shownOf,
  valuesIn,
} from '../../src/dashboard/source-list.ts';

const counts = { totalJobs: 9, passCount: 9, warnCount: 0, blockCount: 0, totalDrift: 0, avgHealthPct: 99 };
const totals = (source: string, hour: number, totalRows: number, more: object = {}) => ({
  ...counts,
  source,
  totalRows,
  lastRun: `2026-11-21T0${hour}:00:00.000Z`,
  lastStatus: 'PASS' as const,
  ...more,
});
const baseline = (source: string, more: object = {}) => ({
  source,
  batches: 3,
  rows: 30,
  last_seen: '2026-11-20T00:00:00.000Z',
  ...more,
});
const incident = (source: string, more: object = {}) =>
  ({
    source,
    verdict: 'BLOCK',
    acknowledged_at: null,
    snoozed_until: null,
    accepted_at: null,
    ...more,
  }) as Incident;

const SOURCES = joined(
  [
    totals('calm', 5, 10),
    totals('warned', 1, 70, { warnCount: 2, lastStatus: 'WARN' }),
    totals('open', 2, 20, { blockCount: 1, lastStatus: 'BLOCK' }),
    totals('seen', 3, 30, { blockCount: 9, lastStatus: 'BLOCK' }),
  ],
  [
    baseline('calm', { owner: 'Ann', tags: ['daily'] }),
    baseline('only a baseline', { tags: ['daily', 'eu'] }),
  ],
  [incident('seen', { acknowledged_at: '2026-11-21T00:00:00.000Z' }), incident('open')],
);
const namesOf = (choice: Partial<Choice>) =>
  shownOf(SOURCES, { ...EVERYTHING, ...choice }).map(({ name }) => name);

describe('sources', () => {
  test.each<[Choice['sort'], string[]]>([
    ['trouble', ['open', 'seen', 'warned', 'calm', 'only a baseline']],
    ['name', ['calm', 'only a baseline', 'open', 'seen', 'warned']],
    ['last', ['calm', 'seen', 'open', 'warned', 'only a baseline']],
    ['rows', ['warned', 'seen', 'open', 'calm', 'only a baseline']],
  ])('are sorted by %s', (sort, names) => {
    expect(namesOf({ sort })).toEqual(names);
  });

  test.each<[Partial<Choice>, string[]]>([
    [{ verdict: 'BLOCK' }, ['open', 'seen']],
    [{ isOpen: true }, ['open', 'seen']],
    [{ owner: 'Ann' }, ['calm']],
    [{ tag: 'daily' }, ['calm', 'only a baseline']],
    [{ search: ' ANN ' }, ['calm']],
    [{ search: 'eu' }, ['only a baseline']],
    [{ search: 'e', verdict: 'WARN' }, ['warned']],
    [{ tag: 'none of these' }, []],
  ])('that match %j are shown', (choice, names) => {
    expect(namesOf(choice)).toEqual(names);
  });

  test('have owners and tags to choose from', () => {
    expect([valuesIn(SOURCES, 'owner'), valuesIn(SOURCES, 'tags')]).toEqual([['Ann'], ['daily', 'eu']]);
  });
});

test('an incident with an accepted batch comes after those that nobody has seen to', () => {
  const at = '2026-11-21T00:00:00.000Z';
  const open = [incident('accepted', { accepted_at: at }), incident('warned', { verdict: 'WARN' })];
  const names = shownOf(joined([], [], open), EVERYTHING).map(({ name }) => name);
  expect(names).toEqual(['warned', 'accepted']);
});

test('a choice is in the address and read from there', () => {
  const choice = {
    search: 'a&b=c #',
    sort: 'rows',
    verdict: 'WARN',
    isOpen: true,
    owner: '',
    tag: 'é',
  } as const;
  expect(choiceIn(queryOf(choice))).toEqual(choice);
  expect(queryOf(EVERYTHING)).toBe('');
  expect(choiceIn('sort=toString&verdict=MAYBE&incident=closed')).toEqual(EVERYTHING);
});
