/** What naming rows does to a judgement: it adds, and changes nothing. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../../property/seed.ts';
import { judge } from '../../../src/judge/judge.ts';
import { parseOptions } from '../../../src/judge/options.ts';
import type { Judgement } from '../../../src/judge/report.ts';
import { nameRows } from '../../../src/judge/rows/name.ts';
import { newEngine, screenBytes } from '../../engine/screen-bytes.ts';
import { jsonBody } from '../../property/json-bodies.ts';

const engine = newEngine();
const ADDED = new Set(['rows', 'new_enum_value_rows', 'rowNumbers', 'quarantine']);

/** As JSON, which keeps the order of keys, without those that are added. */
const without = (judgement: Judgement): string =>
  JSON.stringify(judgement, (key, value) => (ADDED.has(key) ? undefined : value));

test('every key that was there stays as it was, in its order', () => {
  const options = parseOptions({
    row_verdicts: true,
    thresholds: { type_mismatch_warn: 0, null_rate_warn: 0 },
  });
  fc.assert(
    fc.property(jsonBody, bytes => {
      const { profile } = screenBytes(engine, bytes);
      const judged = judge(profile!, engine.queries, null, options);
      const before = JSON.stringify(judged);
      const named = nameRows(judged, profile!, engine.rowQueries, null, options);
      // Names of fields are the payload's: "rows" may be one of them, on both sides.
      expect(without(named)).toBe(without(judged));
      expect(JSON.stringify(judged)).toBe(before);
    }),
    { numRuns: 100 },
  );
});

test('a judgement without findings is given back as it is, and no row is looked for', () => {
  const bytes = Buffer.from('{"rows":[{"a":1},{"a":2}]}');
  const { profile } = screenBytes(engine, bytes);
  const options = parseOptions({});
  const judged = judge(profile!, engine.queries, null, options);
  expect(nameRows(judged, profile!, null as never, null, options)).toBe(judged);
});
