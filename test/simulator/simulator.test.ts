import { afterAll, expect, test } from 'bun:test';
import { KNOWN_FAULTS, unknownIn } from './known-faults.ts';
import { BROKER_PLANTS, STORE_PLANTS } from './plants.ts';
import { type Result, Simulator } from './simulator.ts';

/** Another place to begin: SIMULATOR_SEED=… npm test. */
const FIRST = Number(process.env.SIMULATOR_SEED ?? 1);
const SEEDS = 100;

const simulator = new Simulator();
afterAll(() => simulator.close());

const results: Result[] = [];

test(`${SEEDS} seeds find nothing that is not known`, () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) results.push(simulator.run(seed));
  const found = results.filter(result => unknownIn(result).length > 0);
  expect(found.map(({ line }) => line)).toEqual([]);
});

test('these seeds have all kinds of runs, with kills, faults and feedback', () => {
  const having = (what: RegExp) => results.filter(({ line }) => what.test(line)).length;
  for (const kind of [/alone/, /shared/, /servers/, /feedback/, /stream/, /log cut/, /log expires/])
    expect(having(kind)).toBeGreaterThan(3);
  expect(having(/kills [1-9]/)).toBeGreaterThan(SEEDS / 4);
  expect(having(/faults [1-9]/)).toBeGreaterThan(SEEDS / 2);
});

test('a seed replays to the same line and trace, also after other seeds', () => {
  for (const before of results.slice(0, 30)) {
    const again = simulator.run(before.seed);
    expect(again.line).toBe(before.line);
    expect(again.trace).toEqual(before.trace);
  }
});

test.each(KNOWN_FAULTS.map(fault => [fault.name, fault] as const))('still known: %s', (_, fault) => {
  const { line, violations } = simulator.run(fault.seed);
  expect(line).toMatch(fault.runs);
  expect(violations.join('\n')).toMatch(fault.shows);
});

/** The rarest is found by the 311th. */
const MOST_SEEDS = 1000;

const PLANTS = [
  ...Object.entries(STORE_PLANTS).map(([name, { shows }]) => [name, shows] as const),
  ...Object.entries(BROKER_PLANTS),
];

test.each(PLANTS)('a planted fault is found: %s', (plant, shows) => {
  const isOfStreams = plant in BROKER_PLANTS;
  const isFound = (seed: number): boolean => {
    if ((seed % 3 === 0) !== isOfStreams) return false;
    const { line, violations } = simulator.run(seed, plant);
    const mayBeCut = plant === 'cut unseen';
    return line.includes('log cut') === mayBeCut && violations.some(each => shows.test(each));
  };
  const seeds = Array.from({ length: MOST_SEEDS }, (_, i) => i + 1);
  expect(seeds.find(isFound)).toBeNumber();
});
