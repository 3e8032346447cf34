/** A tiny run: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchGuesses } from '../../bench/guesses.ts';

test('in the guesses bench every guess is refused, and the regular client gets answers', async () => {
  const effort = { guessesPerSecond: 200, rounds: 1, phaseMs: 100, warmRuns: 1 };
  const { ratios, batches, guesses } = await benchGuesses(7, effort);
  for (const figure of [ratios.codes, ratios.keys]) expect(figure).toBeGreaterThan(0);
  for (const { runs } of Object.values(batches)) expect(runs).toBeGreaterThan(0);
  for (const { per_s, statuses } of Object.values(guesses)) {
    expect(per_s).toBeGreaterThan(0);
    expect(Object.keys(statuses)).toEqual(['401']);
  }
});
