/** Answers of /v1/stats. */
import { Type } from '@sinclair/typebox';
import { verdict } from '../../report-schema/report.ts';
import { count, dateTime, integer, largeCount, SOURCE, share } from '../../report-schema/values.ts';

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

export const Statistics = Type.Object(
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
export const VerdictsOverTime = Type.Object(
  {
    seconds: integer('Length of a span', SPAN_SECONDS.min, SPAN_SECONDS.max),
    spans: Type.Array(VerdictSpan, { description: 'Oldest first, also those without jobs' }),
  },
  { $id: 'VerdictsOverTime' },
);
