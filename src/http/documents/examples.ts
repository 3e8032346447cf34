/** Example answers that several documents show. */

/** The answer to the two rows of the README's first example. */
export const BLOCKED = {
  request_id: 'req_01M7Z0BX0D32GJW6HVAF04EKQ6',
  batch_id: 'req_01M7Z0BX0D32GJW6HVAF04EKQ6',
  status: 'BLOCK',
  health_score: 0.2813,
  decision: {
    action: 'BLOCK',
    reason: "Type mismatch in 'amount' (50% not number); High null rate in 'email' (50%)",
  },
  schema: {
    order_id: { type: 'string', confidence: 1 },
    amount: { type: 'mixed', confidence: 0.5 },
    email: { type: 'string', confidence: 1 },
  },
  schema_fingerprint: 'e377be42d664078b41f4c7b40df02d6cf25a04bdce5b8fde8dccf06964b46f1f',
  issues: {
    type_mismatches: {
      amount: {
        expected: 'number',
        found: ['string'],
        sample_value: 'broken',
        rate: 0.5,
        severity: 'critical',
        rows: [1],
      },
    },
    null_rates: { email: { actual: 0.5, severity: 'warning', threshold: 0.3 } },
  },
  stats: {
    rows_received: 2,
    rows_sampled: 2,
    sample_ratio: 1,
    sample_version: 'stratified-1',
    source: 'orders',
    row_numbers: 'index',
  },
  latency_ms: 2,
  timestamp: '2026-11-21T12:12:45.455Z',
};

/** A later batch of a source with a baseline. */
export const DRIFTED = {
  request_id: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
  batch_id: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
  status: 'WARN',
  health_score: 0.8,
  decision: { action: 'WARN', reason: "New field 'coupon' (string)" },
  schema: { order_id: { type: 'string', confidence: 1 }, coupon: { type: 'string', confidence: 1 } },
  schema_fingerprint: '4bd0a02e716db786f7e0ac25b37151a87f5663dc5fbb39cb0892fafa6ef9b0ee',
  drift: [
    {
      field: 'coupon',
      kind: 'field_added',
      severity: 'warn',
      detail: "New field 'coupon' (string)",
      previous: 'absent',
      current: 'string',
    },
  ],
  stats: {
    rows_received: 1200,
    rows_sampled: 1000,
    sample_ratio: 0.8333333333333334,
    sample_version: 'stratified-1',
    source: 'orders',
  },
  latency_ms: 4,
  timestamp: '2026-11-21T15:38:07.472Z',
};
