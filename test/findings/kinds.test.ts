import { describe, expect, test } from 'bun:test';
import type { Issues } from '../../src/report-schema/report.ts';
import { type Finding, KINDS, kindOf, withoutValues } from '../../src/findings/kinds.ts';
import { PLANTED_NUMBER, PLANTED_TEXT, SAMPLES } from './samples.ts';

const samples = Object.values(SAMPLES) as Finding[];

/** Everything that people and programs see of a finding. */
function shownOf(finding: Finding): string {
  const kind = kindOf(finding);
  const issues: Issues = {};
  kind.issue?.(finding, issues);
  return JSON.stringify([kind.words(finding), issues, kind.drift?.(finding), kind.anomaly?.(finding)]);
}

/** Figures of the planted number share its first digits. */
const PLANTED = [PLANTED_TEXT, String(PLANTED_NUMBER).slice(0, 4)];

const planted = (text: string): string[] => PLANTED.filter(value => text.includes(value));

describe('a kind of findings', () => {
  test('is found under its name', () => {
    for (const [name, kind] of Object.entries(KINDS)) expect(kind.name).toBe(name as never);
  });

  test('has a penalty from 0 to 1 for each severity', () => {
    for (const sample of samples)
      for (const severity of ['info', 'warn', 'block'] as const) {
        const finding = { ...sample, severity } as Finding;
        expect(kindOf(finding).penalty(finding)).toBeWithin(0, 1 + Number.EPSILON);
      }
  });

  test('says its field and has a description', () => {
    for (const sample of samples) {
      const { words, description } = kindOf(sample);
      if (sample.field !== null) expect(words(sample)).toContain("'price'");
      expect(words(sample).length).toBeGreaterThan(5);
      expect(description).not.toBe('');
    }
  });
});

test.each([
  ['null_rate', 'down', 0, 1, "Null rate in 'price' fell from 100% to 0%"],
  ['capitals_share', 'up', 1, 0, "Unusual share of texts in capital letters in 'price': 100%, usually 0%"],
  [
    'format_distribution',
    'up',
    0.65,
    0,
    "Unusual mix of formats in 'price': 65% of it differs from the usual mix",
  ],
  ['mean_length', 'up', 12.5, 4, "Unusual mean length in 'price': 12.5 characters, usually about 4"],
  [
    'date_range',
    'down',
    6,
    24,
    "Unusual time from the oldest dates to the newest in 'price': 6 hours, usually about 24",
  ],
  [
    'date_age',
    'up',
    2400,
    24,
    "Unusual age of the newest dates in 'price': 100 days, usually about 24 hours",
  ],
  [
    'max_distance',
    'up',
    9.3,
    1.5,
    "Unusual distance of the largest number from the median in 'price': 9.3 interquartile ranges, usually about 1.5",
  ],
] as const)(
  '%s %s says what is unusual, in the unit of each figure',
  (statistic, direction, observed, usual, said) => {
    const range: [number, number] = [0, usual];
    const figures = { observed, usual, expected: range, usualRange: range };
    const evidence = { ...SAMPLES.unusual_statistic.evidence, statistic, direction, figures, values: {} };
    const finding: Finding = { ...SAMPLES.unusual_statistic, evidence };
    expect(kindOf(finding).words(finding)).toBe(said);
  },
);

describe('without values', () => {
  test.each(samples.map(sample => [sample.kind, sample] as const))(
    '%s shows neither a value nor a figure of values',
    (_, sample) => {
      expect(planted(shownOf(withoutValues(sample)))).toEqual([]);
    },
  );

  test('a private statistic that shows as no issue has an event and an anomaly without figures', () => {
    const { evidence } = SAMPLES.unusual_statistic;
    const { statistic, direction, unusual, lines, values, isConsequence } = evidence;
    const bare = {
      statistic,
      direction,
      unusual,
      lines,
      isConsequence,
      values: { figures: values!.figures },
    };
    const finding = { ...SAMPLES.unusual_statistic, evidence: bare } as Finding;
    expect(planted(shownOf(finding))).toEqual([PLANTED[1]!]);
    const kept = withoutValues(finding);
    expect(planted(shownOf(kept))).toEqual([]);
    expect(kindOf(kept).words(kept)).toBe("Unusual mean of 'price'");
    expect(kindOf(kept).drift?.(kept)).toMatchObject({ kind: 'cardinality_change', current: 'above' });
  });

  test('a statistic of shares keeps its figures', () => {
    const { evidence } = SAMPLES.unusual_statistic;
    const range: [number, number] = [0, 0.02];
    const figures = { observed: 0.5, usual: 0.01, expected: range, usualRange: range };
    const share = { ...evidence, statistic: 'null_rate', figures, values: {} };
    const { outliers: _, otherTypes: __, newValues: ___, ...rest } = share;
    const kept = withoutValues({ ...SAMPLES.unusual_statistic, evidence: rest } as Finding);
    expect(kindOf(kept).words(kept)).toBe("Null rate in 'price' rose from 1% to 50%");
  });

  test('fields, counts, rates and types stay', () => {
    const shown = shownOf(withoutValues(SAMPLES.type_mismatch));
    expect(JSON.parse(shown)[1]).toEqual({
      type_mismatches: {
        price: { expected: 'number', found: ['string'], rate: 0.5, severity: 'critical' },
      },
    });
    const values = shownOf(withoutValues(SAMPLES.new_enum_value));
    expect(JSON.parse(values)[0]).toBe("New values in 'price' (10% of rows)");
    expect(JSON.parse(values)[1]).toEqual({ new_enum_values: { price: [] } });
    expect(JSON.parse(values)[2]).not.toHaveProperty('current');
    const outliers = shownOf(withoutValues(SAMPLES.outliers));
    expect(JSON.parse(outliers)[1]).toEqual({ outliers: { price: { count: 2, severity: 'warning' } } });
  });

  test('the finding itself is not changed', () => {
    for (const sample of samples) {
      const before = structuredClone(sample);
      withoutValues(sample);
      expect(sample as unknown).toEqual(before);
    }
  });

  test('the planted values are seen where values are kept, so the search finds them', () => {
    const seen = new Set(samples.flatMap(sample => planted(shownOf(sample))));
    expect([...seen].sort()).toEqual([...PLANTED].sort());
  });
});
