/** GET /v1/stats: totals over the jobs of the last days, overall and by source. GET /v1/stats/verdicts: verdicts over time. */
import { setImmediate } from 'node:timers/promises';
import { sumUp, type Totals } from '../../account/statistics.ts';
import { DAY_MS } from '../../time/durations.ts';
import { Rejection } from '../../terms/errors.ts';
import { LAST_INSTANT } from '../../time/instant.ts';
import { firstIdAt } from '../../names/request-id.ts';
import type { JobStore } from '../../stores/ports.ts';
import { dateTime } from '../date-time.ts';
import { answer } from '../documents/operation.ts';
import { integer, time, timeIn } from '../parameters.ts';
import { route } from '../route.ts';
import { SPAN_SECONDS, SPANS, Statistics, VerdictsOverTime } from './schema.ts';

interface Dependencies {
  jobs: Pick<JobStore, 'facts' | 'verdicts'>;
  now(): number;
}

const DAYS = { min: 1, max: 365, fallback: 30 };
/** Sources that are shown one by one. */
const SOURCES = { min: 1, max: 1000, fallback: 200 };

const ORDERS = { totalJobs: 12, passCount: 10, warnCount: 1, blockCount: 1, totalRows: 14400 };

const statistics = route('GET /v1/stats', {
  operationId: 'statistics',
  tag: 'Jobs',
  summary: 'Get totals of the last days',
  query: {
    days: integer('Number of days of 24 hours, back from now', DAYS),
    limit: integer('Sources that are listed one by one', SOURCES),
  },
  answers: {
    200: answer('Totals overall and by source', Statistics, {
      orders: {
        ...ORDERS,
        avgHealth: 0.9125,
        sourceCount: 1,
        periodDays: 30,
        sources: [
          {
            source: 'orders',
            ...ORDERS,
            avgHealthPct: 91.25,
            totalDrift: 3,
            lastRun: '2026-11-21T15:38:07.472Z',
            lastStatus: 'PASS',
          },
        ],
      },
    }),
  },
  async handle({ caller: { account }, query: { days, limit } }, deps: Dependencies) {
    // Days of 24 hours; calendar days do not matter.
    const from = firstIdAt(deps.now() - days * DAY_MS);
    const read = (before: string | null, part: number) => deps.jobs.facts(account.id, from, before, part);
    const { total, sourceCount, sources, others } = await sumUp(read, limit);
    const { totalJobs, passCount, warnCount, blockCount, totalRows, avgHealth } = total;
    const left = sourceCount - sources.length;
    return {
      ...{ totalJobs, passCount, warnCount, blockCount, totalRows },
      avgHealth: trimmed(avgHealth),
      sourceCount,
      periodDays: days,
      sources: sources.map(([source, of]) => ({ source, ...entryOf(of), lastStatus: of.lastStatus })),
      ...(left > 0 && { others: { sourceCount: left, ...entryOf(others) } }),
    };
  },
});

const verdictsOverTime = route('GET /v1/stats/verdicts', {
  operationId: 'verdictsOverTime',
  tag: 'Jobs',
  summary: 'Count the verdicts in equal spans of time',
  description: 'Every job counts, by the time at which its request began.',
  query: {
    from: time('Start of the first span; without it the last span ends now'),
    spans: integer('Number of spans', SPANS),
    seconds: integer('Length of a span', SPAN_SECONDS),
  },
  answers: {
    200: answer('The verdicts', VerdictsOverTime, {
      days: {
        seconds: 86_400,
        spans: [
          { start: '2026-11-20T00:00:00.000Z', passCount: 9, warnCount: 0, blockCount: 0 },
          { start: '2026-11-21T00:00:00.000Z', passCount: 10, warnCount: 1, blockCount: 1 },
        ],
      },
    }),
  },
  async handle({ caller: { account }, query: { spans: count, seconds, from: first } }, deps: Dependencies) {
    const from = timeIn(first) ?? deps.now() - count * seconds * 1000;
    if (from + (count - 1) * seconds * 1000 > LAST_INSTANT)
      throw new Rejection(
        'INVALID_PARAMETER',
        'The last span begins after the year 9999: give an earlier from, fewer spans or fewer seconds',
      );
    const spans = [];
    for (let i = 0; i < count; i++) {
      const [start, end] = [from + i * seconds * 1000, from + (i + 1) * seconds * 1000];
      const { PASS, WARN, BLOCK } = await deps.jobs.verdicts(account.id, firstIdAt(start), firstIdAt(end));
      spans.push({ start: dateTime(start), passCount: PASS, warnCount: WARN, blockCount: BLOCK });
      await setImmediate();
    }
    return { seconds, spans };
  },
});

const entryOf = ({ avgHealth, lastRun, lastStatus: _, ...totals }: Totals) => ({
  ...totals,
  avgHealthPct: trimmed(avgHealth * 100),
  lastRun: dateTime(lastRun),
});

/** Rounds to ten decimals, to remove the rounding errors of sums. */
const trimmed = (value: number): number => Math.round(value * 1e10) / 1e10;

export const statsRoutes = [statistics, verdictsOverTime];
