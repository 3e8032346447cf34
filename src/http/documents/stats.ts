/** API description of GET /v1/stats. */
import { Type } from '@sinclair/typebox';
import { verdict } from '../../contract/report.ts';
import { answer, operation } from './operation.ts';
import { integerInQuery } from './parameters.ts';
import { CALLER, refusals } from './refusals.ts';
import { count, dateTime, largeCount, SOURCE, share } from '../../contract/values.ts';

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
