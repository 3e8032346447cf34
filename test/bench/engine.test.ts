/** A tiny run: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchEngine } from '../../bench/engine.ts';
import { expectPositive } from './positive.ts';

const TINY = { rows: 40, payloads: 2, budgetMs: 0, rounds: 3, warmRounds: 0 };
const SHAPES = [
  ...['small_integers', 'floats_17_digits', 'pretty_printed', 'keys_missing', 'keys_shuffled'],
  ...['long_text', 'escapes', 'nested', 'booleans_nulls', 'non_ascii'],
];

test('the engine bench gives every ratio and every figure', async () => {
  const { ratios, figures, peak_rss_mb } = await benchEngine(7, TINY);
  expect(Object.keys(ratios)).toEqual(
    expect.arrayContaining([
      ...['wide_json', 'narrow_json', 'geomean_json', 'csv_wide_udsv', 'csv_wide_papaparse'],
      ...['plain_profile_wide', 'shapes_decode'],
    ]),
  );
  expect(Object.keys(ratios.shapes_decode)).toEqual(SHAPES);
  expect(Object.keys(figures)).toEqual([
    ...['wide', 'wide_plain_profile', 'narrow', ...SHAPES, 'csv_wide', 'csv_narrow', 'csv_quoted'],
  ]);
  for (const figure of Object.values(figures)) expect(figure.sluice!.runs).toBe(3);
  expectPositive({ ratios, figures, peak_rss_mb });
});

test('a ratio is our median / the peer’s, except for the plain profile', async () => {
  const { ratios, figures } = await benchEngine(8, TINY);
  const through = (input: string, above: string, below: string) =>
    figures[input]![above]!.medianMs / figures[input]![below]!.medianMs;
  const near = (ratio: number, expected: number) => expect(ratio / expected).toBeCloseTo(1, 2);
  near(ratios.wide_json, through('wide', 'sluice', 'json_parse'));
  near(ratios.shapes_decode.nested!, through('nested', 'sluice', 'decode_and_parse'));
  near(ratios.csv_wide_udsv, through('csv_wide', 'sluice', 'udsv_strings'));
  near(ratios.csv_wide_papaparse, through('csv_wide', 'sluice', 'papaparse'));
  near(ratios.plain_profile_wide, through('wide_plain_profile', 'parse_and_plain_profile', 'sluice'));
  const logs = SHAPES.map(name => Math.log(through(name, 'sluice', 'json_parse')));
  near(ratios.geomean_json, Math.exp(logs.reduce((sum, log) => sum + log) / logs.length));
});
