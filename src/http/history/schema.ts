/** Answers of /v1/schema/{source}/history. */
import { Type } from '@sinclair/typebox';
import { DriftEvent, HEALTH, verdict } from '../../report-schema/report.ts';
import { byName, count, dateTime, flag, JOB_ID, SOURCE, share } from '../../report-schema/values.ts';

const HistoryEntry = Type.Object(
  {
    job_id: JOB_ID,
    created_at: dateTime('Time of the response'),
    status: verdict('The verdict'),
    health_score: HEALTH,
    rows_received: count('Rows in the request'),
    drift_count: count('Drift events'),
    drift: Type.Array(DriftEvent),
    null_rates: byName(share('Share of rows without a value'), 'Null rates by field'),
    null_rates_left_out: Type.Optional(
      count('Fields that `null_rates` lacks, where it would exceed 128 KiB; absent elsewhere'),
    ),
    too_large: Type.Optional(
      flag('Version 1.0 stored more than 1 MiB here: `drift` and `null_rates` are empty; absent elsewhere'),
    ),
  },
  { $id: 'HistoryEntry' },
);

export const History = Type.Object(
  {
    source: SOURCE,
    batches: Type.Array(HistoryEntry),
    next: Type.Optional({
      ...JOB_ID,
      description: 'Where the page ends because it has 2 MiB: `before` of the next page',
    }),
  },
  { $id: 'History' },
);
