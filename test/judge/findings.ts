/** Findings with the penalty that a test wants. */
import type { Severity } from '../../src/report-schema/report.ts';
import type { Finding } from '../../src/findings/kinds.ts';

/** With these limits a rate is its own penalty. */
const LIMITS = { warn: 0.2, block: 0.5 };

const PARTS = { list: 'thresholds', scope: 'field' } as const;

export const nullRateOf = (severity: Severity, penalty: number, field = 'f'): Finding => ({
  ...PARTS,
  kind: 'null_rate',
  field,
  severity,
  evidence: { rate: penalty, limits: LIMITS, wasNeverNull: false },
});

export const typeMismatchOf = (severity: Severity, penalty: number): Finding => ({
  ...PARTS,
  kind: 'type_mismatch',
  field: 'f',
  severity,
  evidence: { expected: 'number', found: ['string'], rate: penalty, limits: LIMITS },
});

export const raggedRowsOf = (severity: Severity, penalty: number): Finding => ({
  ...PARTS,
  kind: 'ragged_rows',
  field: null,
  severity,
  evidence: { count: 1, rate: penalty, firstLine: 2, endsEarly: false, limits: LIMITS },
});

/** Its penalty is 0.19 at most. */
export const outliersOf = (share: number): Finding => ({
  ...PARTS,
  kind: 'outliers',
  field: 'f',
  severity: 'info',
  evidence: { count: 1, share },
});

export const fieldAddedOf = (severity: Severity, field = 'f'): Finding => ({
  ...PARTS,
  kind: 'field_added',
  field,
  severity,
  evidence: { type: 'string' },
});

export const newEnumValueOf = (severity: Severity): Finding => ({
  ...PARTS,
  kind: 'new_enum_value',
  field: 'f',
  severity,
  evidence: { rate: 0.1, known: 3 },
});
