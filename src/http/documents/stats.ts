/** Documents of GET /v1/stats. */
import { Type } from '@sinclair/typebox';
import { answer, operation } from './operation.ts';
import { integerInQuery } from './parameters.ts';
import { CALLER, refusals } from './refusals.ts';
import { count, dateTime, SOURCE, share } from '../../contract/values.ts';

const COUNTS = {
  totalJobs: count('Jobs'),
  passCount: count('PASS'),
  warnCount: count('WARN'),
  blockCount: count('BLOCK'),
  totalRows: count('Rows received'),
};

const SourceStatistics = Type.Object(
  {
    source: SOURCE,
    ...COUNTS,
    avgHealthPct: Type.Number({ minimum: 0, maximum: 100, description: 'Mean health, in percent' }),
    totalDrift: count('Drift events'),
    lastRun: dateTime('When the newest job was made'),
  },
  { $id: 'SourceStatistics' },
);

const Statistics = Type.Object(
  {
    ...COUNTS,
    avgHealth: share('Mean health over the jobs; 0 without any'),
    sourceCount: count('Sources'),
    periodDays: Type.Integer({ minimum: 1, maximum: 365, description: 'Days of 24 hours that are counted' }),
    sources: Type.Array(SourceStatistics, { description: 'The last run first' }),
  },
  { $id: 'Statistics' },
);

const ORDERS = { totalJobs: 12, passCount: 10, warnCount: 1, blockCount: 1, totalRows: 14400 };

export const STATISTICS = operation({
  operationId: 'statistics',
  tags: ['Jobs'],
  summary: 'Sums over the jobs of the last days',
  parameters: [
    integerInQuery('days', 'How far back, in days of 24 hours', { min: 1, max: 365, fallback: 30 }),
  ],
  responses: {
    200: answer('In all and by source', Statistics, {
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
          },
        ],
      },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], {
      INVALID_PARAMETER: "days must be a whole number from 1 to 365, not '0'",
    }),
  },
});
