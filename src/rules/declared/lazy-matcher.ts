/**
 * Matches a pattern whose automaton is too large for a table: states are found when a text reaches them, and forgotten when there are many. Most
 * texts reach few. Where each character reaches a new one, it costs as many steps as the pattern has places: the caller bounds them.
 */
import { FIRST, FOUND, Machine } from './machine.ts';

const MAX_STATES = 1000;
const UNKNOWN = 0xffffffff;

export class LazyMatcher {
  readonly #machine: Machine;
  readonly #spend: (steps: number) => void;
  /** By state, then by class. */
  #rows: Uint32Array[] = [];

  private constructor(machine: Machine, spend: (steps: number) => void) {
    this.#machine = machine;
    this.#spend = spend;
  }

  /** `spend` receives the cost of each text, and throws past the bound. */
  static of(pattern: string, spend: (steps: number) => void): LazyMatcher {
    return new LazyMatcher(Machine.of(pattern), spend);
  }

  /** Whether the pattern is found in the text, given in UTF-8. */
  isMatch(text: Uint8Array): boolean {
    const { classOf, classes } = this.#machine;
    let state = this.#machine.begin();
    for (let at = 0; at <= text.length && state >= FIRST; at++) {
      const byteClass = at < text.length ? classOf[text[at]!]! : classes - 1;
      const known = this.#rows[state]?.[byteClass] ?? UNKNOWN;
      if (known === UNKNOWN) {
        state = this.#find(state, byteClass);
      } else state = known;
    }
    return state === FOUND;
  }

  #find(state: number, byteClass: number): number {
    const machine = this.#machine;
    const before = machine.steps;
    const next = machine.next(state, byteClass);
    this.#spend(machine.steps - before);
    this.#rows[state] ??= new Uint32Array(machine.classes).fill(UNKNOWN);
    this.#rows[state][byteClass] = next;
    if (next < FIRST || (machine.states <= MAX_STATES && !machine.isFull)) return next;
    this.#rows = [];
    return machine.restart(next);
  }
}
