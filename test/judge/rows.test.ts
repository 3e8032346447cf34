/** Rows are added to findings and change nothing else. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { stateOf } from '../../src/baseline/state-of-batch.ts';
import { type Assessment, assess } from '../../src/judge/assess.ts';
import { parseOptions } from '../../src/options/options.ts';
import type { RowQueries } from '../../src/engine/queries.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { RULES } from '../../src/rules/rules.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import { jsonBody } from '../property/json-bodies.ts';
import { NO_ROWS } from '../../bench/no-rows.ts';
import { judgementOf } from './judgement.ts';

const engine = ENGINE;
const ADDED = new Set(['rows', 'new_enum_value_rows', 'quarantine']);
const FACTS = { id: 'b', at: 0, chunk: false, provisional: false, verdict: 'PASS', health: 1 } as const;

/** As JSON, which keeps the order of keys, without those that are added. */
const without = (assessment: Assessment, profile: Profile): string =>
  JSON.stringify(judgementOf(assessment, profile, null), (key, value) =>
    ADDED.has(key) ? undefined : value,
  );

function assessed(profile: Profile, rowQueries: RowQueries, given: object): Assessment {
  const options = parseOptions(given);
  const state = stateOf(profile, FACTS, null, new Map());
  const batch = { profile, queries: engine.queries, rowQueries, state };
  return assess(batch, { baseline: null, history: null }, RULES, options);
}

test('every other key is the same, in the same order', () => {
  const thresholds = { type_mismatch_warn: 0, null_rate_warn: 0 };
  fc.assert(
    fc.property(jsonBody, bytes => {
      const profile = screenBytes(engine, bytes).profile!;
      const plain = assessed(profile, NO_ROWS, { thresholds });
      const named = assessed(profile, engine.rowQueries, { thresholds, row_verdicts: true });
      // Names of fields are the payload's: "rows" may be one of them, on both sides.
      expect(without(named, profile)).toBe(without(plain, profile));
    }),
    { numRuns: 100 },
  );
});

test('no row is looked for in a batch without findings', () => {
  const { profile } = screenBytes(engine, Buffer.from('{"rows":[{"a":1},{"a":2}]}'));
  const { findings, rowNumbers } = assessed(profile!, null as never, {});
  expect(findings).toEqual([]);
  expect(rowNumbers).toBeNull();
});
