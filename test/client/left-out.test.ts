import { expect, test } from 'bun:test';
import { leftOutText } from '../../src/client/left-out.ts';

const stats = { rows_received: 1, rows_sampled: 1, sample_ratio: 1, source: 's' };

test('the text lists what a report leaves out, with counts', () => {
  expect(leftOutText({ stats })).toBeNull();
  expect(
    leftOutText({ stats: { ...stats, left_out: { schema: 1259, issues: 1, anomalies: 3, quarantine: 2 } } }),
  ).toBe(
    'left out, because the report would be too long: 1,259 fields of the schema, 1 issue, 3 anomalies, 2 reasons in quarantine',
  );
});
