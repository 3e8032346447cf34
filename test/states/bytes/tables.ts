/** Tables that fill every field of a state, and the states of their parts. */
import fc from 'fast-check';
import { Format } from '../../../assembly/abi.ts';
import { parseRules } from '../../../src/rules/declared/parse.ts';
import { PatternCache } from '../../../src/rules/declared/patterns.ts';
import { type PartsState, mergePartsStates, printOf } from '../../../src/states/bytes/state-bytes.ts';
import { isBefore } from '../../../src/states/place.ts';
import type { State } from '../../../src/states/state.ts';
import { SIGNS } from '../../../src/table/sign.ts';
import { WholeBatch } from '../../../src/threads/whole-batch.ts';
import { ENGINE } from '../../engine/screen-bytes.ts';

/** Lines of CSV without their header. */
export type Lines = readonly string[];

export const SALT = new Uint8Array(32).fill(7);
const HEADER = 'id,amount,code,when,town,note,flag,town';

const cell = fc.oneof(
  fc.constantFrom('007', '12', '-3', '1.5', 'NA', '-', '""', 'true', 'x', '', 'n/a', '0'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const line = fc
  .record({
    id: fc.nat(500),
    amount: cell,
    code: fc.constantFrom('007', '0815', '4711', 'NA'),
    when: fc
      .date({ min: new Date('2020-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
      .map(each => each.toISOString()),
    town: fc.constantFrom('Berlin', 'Łódź', '東京', ''),
    note: fc.option(fc.constantFrom('a', 'b c', 'D-7', 'long '.repeat(30)), { nil: '' }),
    rest: fc.constantFrom('true,x', 'false,y', ',', 'true', 'true,x,more'),
  })
  .map(({ rest, ...cells }) => [...Object.values(cells), rest].join(','));

/** The parts of a table, each mostly of one kind, as in a sorted file. */
export const anyParts = fc.array(fc.array(line, { minLength: 1, maxLength: 20 }), {
  minLength: 1,
  maxLength: 5,
});

export const RULES = parseRules({
  fields: {
    id: { unique: true, maximum: 400 },
    town: { enum: ['Berlin', 'Łódź'] },
    when: { max_age: 'P1D' },
  },
  rows: { unique: [['id', 'amount']] },
});
export const MEASURED_FOR = { salt: printOf(SALT), rules: 1n, source: 'orders', generation: 'one' } as const;

export function stateOfLines(lines: Lines, part: number): PartsState {
  ENGINE.begin({ format: Format.CSV, delimiter: 44, salt: SALT });
  ENGINE.write(new TextEncoder().encode([HEADER, ...lines].join('\n')));
  ENGINE.end();
  const patterns = new PatternCache();
  const terms = {
    baseline: null,
    rules: RULES,
    patterns,
    now: Date.parse('2026-01-01'),
    findings: null,
    isByIndex: false,
  };
  const batch = new WholeBatch(terms);
  const signs = [{ sign: SIGNS[part % SIGNS.length]!, count: 1, lines: [2], rows: [0] }];
  const sets = batch.add(ENGINE, { part, row: 0, line: 0 }, signs);
  return {
    measuredFor: MEASURED_FOR,
    state: withNews(batch.end()!),
    keys: new Map([[part, [{ row: 0, sets }]]]),
  };
}

/** As if a source had not had some of the towns. */
function withNews(state: State): State {
  const town = state.columns.get('town')!;
  const texts = (town.listed ?? []).slice(0, 2).map(({ text, first }) => ({ text, first }));
  const inOrder = texts.sort((a, b) => (isBefore(a.first, b.first) ? -1 : 1));
  const against = { fresh: 1, unseen: 2, far: 3, texts: inOrder };
  return { ...state, columns: new Map([...state.columns, ['town', { ...town, against }]]) };
}

export const statesOf = (parts: readonly Lines[]): PartsState[] => parts.map(stateOfLines);

/** In an order and a grouping that follow from `seed`. */
export function merged(states: readonly PartsState[], seed: number): PartsState {
  const left = [...states];
  let next = seed + 1;
  while (left.length > 1) {
    next = (next * 48271) % 2147483647;
    const [a] = left.splice(next % left.length, 1);
    const [b] = left.splice((next >> 8) % left.length, 1);
    left.push(mergePartsStates(a!, b!));
  }
  return left[0]!;
}

/** Repeatable: Park and Miller's generator, from 0 to 1. */
export function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/** More different values and numbers than a state keeps each for itself. */
export function longLines(rows: number, seed: number): string[] {
  const next = uniform(seed);
  const rest = (i: number) => `0${i % 90},2026-01-0${1 + (i % 9)}T10:00:00Z,town ${i % 60},n,true,x`;
  return Array.from(
    { length: rows },
    (_, i) => `key-${seed}-${i},${Math.exp(20 * next()) * (next() < 0.5 ? -1 : 1)},${rest(i)}`,
  );
}
