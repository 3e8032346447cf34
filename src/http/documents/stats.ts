/** API description of GET /v1/stats. */
import { Type } from '@sinclair/typebox';
import { verdict } from '../../contract/report.ts';
import { count, dateTime, integer, largeCount, SOURCE, share } from '../../contract/values.ts';
import { answer, operation } from './operation.ts';
import { integerInQuery, timeInQuery } from './parameters.ts';
import { CALLER, refusals } from './refusals.ts';

const COUNTS = {
  totalJobs: count('Jobs'),
  passCount: count('PASS'),
  warnCount: count('WARN'),
  blockCount: count('BLOCK'),
  totalRows: largeCount('Rows received'),
};

const OF_SOURCES = {
  ...COUNTS,
  avgHealthPct: Type.Number({ minimum: 0, maximum: 100, description: 'Mean health, in percent' }),
  totalDrift: count('Drift events'),
  lastRun: dateTime('Time of the newest job'),
};

const SourceStatistics = Type.Object(
  { source: SOURCE, ...OF_SOURCES, lastStatus: verdict('Verdict of the newest job') },
  { $id: 'SourceStatistics' },
);

const OtherSources = Type.Object(
  { sourceCount: count('Sources'), ...OF_SOURCES },
  { $id: 'OtherSources', description: 'The sources beyond `limit` together; absent without any' },
);

const Statistics = Type.Object(
  {
    ...COUNTS,
    avgHealth: share('Mean health of the jobs; 0 without jobs'),
    sourceCount: count('Sources'),
    periodDays: Type.Integer({ minimum: 1, maximum: 365, description: 'Number of days of 24 hours' }),
    sources: Type.Array(SourceStatistics, { description: 'Latest run first, at most `limit`' }),
    others: Type.Optional(OtherSources),
  },
  { $id: 'Statistics' },
);

const ORDERS = { totalJobs: 12, passCount: 10, warnCount: 1, blockCount: 1, totalRows: 14400 };

export const STATISTICS = operation({
  operationId: 'statistics',
  tags: ['Jobs'],
  summary: 'Get totals of the last days',
  parameters: [
    integerInQuery('days', 'Number of days of 24 hours, back from now', { min: 1, max: 365, fallback: 30 }),
    integerInQuery('limit', 'Sources that are listed one by one', { min: 1, max: 1000, fallback: 200 }),
  ],
  responses: {
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
    ...refusals(['INVALID_PARAMETER', ...CALLER], {
      INVALID_PARAMETER: "days must be a whole number from 1 to 365, not '0'",
    }),
  },
});

/** Equal spans of time, each of so many seconds. */
export const SPANS = { min: 1, max: 60, fallback: 30 };
export const SPAN_SECONDS = { min: 60, max: 14 * 86_400, fallback: 86_400 };

const VerdictSpan = Type.Object(
  {
    start: dateTime('When it begins'),
    passCount: count('PASS'),
    warnCount: count('WARN'),
    blockCount: count('BLOCK'),
  },
  { $id: 'VerdictSpan' },
);
const VerdictsOverTime = Type.Object(
  {
    seconds: integer('Length of a span', SPAN_SECONDS.min, SPAN_SECONDS.max),
    spans: Type.Array(VerdictSpan, { description: 'Oldest first, also those without jobs' }),
  },
  { $id: 'VerdictsOverTime' },
);

export const VERDICTS_OVER_TIME = operation({
  operationId: 'verdictsOverTime',
  tags: ['Jobs'],
  summary: 'Count the verdicts in equal spans of time',
  description: 'Every job counts, by the time at which its request began.',
  parameters: [
    timeInQuery('from', 'Start of the first span; without it the last span ends now'),
    integerInQuery('spans', 'Number of spans', SPANS),
    integerInQuery('seconds', 'Length of a span', SPAN_SECONDS),
  ],
  responses: {
    200: answer('The verdicts', VerdictsOverTime, {
      days: {
        seconds: 86_400,
        spans: [
          { start: '2026-11-20T00:00:00.000Z', passCount: 9, warnCount: 0, blockCount: 0 },
          { start: '2026-11-21T00:00:00.000Z', passCount: 10, warnCount: 1, blockCount: 1 },
        ],
      },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], {
      INVALID_PARAMETER: "spans must be a whole number from 1 to 60, not '61'",
    }),
  },
});
