/** The parts of the fuzzer: what counts work, what makes inputs, and what repeats them. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Choices, mutated, randomOf } from './choices.ts';
import { told } from './explore.ts';
import { bytesOf, inputIn, kept } from './input.ts';
import { withCounters } from './instrument.ts';
import { TARGETS } from './targets.ts';

/** Runs code with counters, and shows the hits of each function. */
function hitsOf(code: string, run: string): Record<string, number[]> {
  const hits = new Uint32Array(100);
  const counted = withCounters(code, 0);
  const global = { __hits: hits };
  new Function('globalThis', `${counted.code}\n${run}`)(global);
  const byName: Record<string, number[]> = {};
  counted.functions.forEach((name, i) => {
    byName[name] = [...(byName[name] ?? []), hits[i]!];
  });
  return byName;
}

describe('counters', () => {
  test.each([
    ['a loop without a block', 'function f(n) { for (let i = 0; i < n; i++) i; }', 'f(7)', { f: [1, 7] }],
    [
      'both branches',
      'function f(x) { if (x) return 1; else return 2; }',
      'f(0); f(1); f(2)',
      { f: [3, 2, 1] },
    ],
    ['a conditional', 'const f = x => x ? 1 : (2, 3);', 'f(0); f(1); f(0)', { f: [3, 1, 2] }],
    ['what follows &&', 'const f = (a, b) => a && b && 1;', 'f(1, 0); f(1, 1); f(0, 1)', { f: [3, 1, 2] }],
    [
      'a case',
      'function f(x) { switch (x) { case 1: return 1; default: return 2; } }',
      'f(1); f(2); f(3)',
      { f: [3, 1, 2] },
    ],
    ['a method', 'class A { m() { while (this.n-- > 0); } n = 3; }', 'new A().m()', { m: [1, 3] }],
    ['an object as a value', 'const f = () => ({ a: 1 });', 'f()', { f: [1] }],
  ])('count %s', (_, code, run, expected) => {
    expect(hitsOf(code, run)).toEqual(expected);
  });
});

describe('choices', () => {
  test('repeat an input, and take what is missing from the random numbers', () => {
    const first = new Choices([], randomOf(5));
    const made = Array.from({ length: 20 }, (_, i) => first.below(i + 2));
    const again = new Choices(first.made, () => 0);
    expect(Array.from({ length: 20 }, (_, i) => again.below(i + 2))).toEqual(made);
    expect(new Choices([], () => 0).below(9)).toBe(0);
  });

  test('that are changed are still choices', () => {
    const random = randomOf(1);
    for (let i = 0; i < 1000; i++) {
      const choices = new Choices(mutated([1, 2, 3, 4], [9, 9], random), random);
      for (let k = 0; k < 10; k++) expect(choices.below(5)).toBeWithin(0, 5);
    }
    expect(mutated([], [], random)).toBeArray();
  });
});

describe.each(Object.keys(TARGETS))('the grammar of %s', name => {
  const made = (choices: Choices) => {
    const { connections, segments } = TARGETS[name]!.grammar(choices);
    return [connections, ...segments.map(({ bytes, times }) => [Bun.hash(bytes), times])];
  };

  test('makes the same input of the same choices, and an input of any choices', () => {
    const random = randomOf(3);
    for (let i = 0; i < 20; i++) {
      const choices = new Choices([], random);
      const input = made(choices);
      expect(made(new Choices(choices.made, () => 0))).toEqual(input);
      expect(made(new Choices(mutated(choices.made, [], random), () => 0))).toBeArray();
    }
  });
});

test('an input is read from its file as it was written', () => {
  const input = {
    connections: 8,
    segments: [
      { bytes: Uint8Array.of(1, 2, 3), times: 5 },
      { bytes: Uint8Array.of(9), times: 1 },
    ],
  };
  const again = inputIn(JSON.parse(JSON.stringify(kept('http', 'holds', input))));
  expect(again).toEqual(input);
  expect([...bytesOf(again)]).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 9]);
});

test('a fault is printed as docs/development.md shows', async () => {
  const printed = told({
    target: 'websocket',
    fault: 'holds the thread for more than 250 ms',
    hottest: [{ name: 'src/http/wire/websocket.ts read', hits: 4_328_287 }],
    outcome: { ms: 1087.3, problem: null, peakBytes: 386 * 1024 * 1024, isGone: false },
    seconds: 20.4,
    input: { connections: 1, segments: [{ bytes: new Uint8Array(3_999_998), times: 1 }] },
    file: 'test/.artifacts/fuzz/websocket-1-1.json',
  });
  const page = await Bun.file(join(import.meta.dir, '../../docs/development.md')).text();
  expect(page).toContain(printed.replace(/^/gm, '    '));
});
