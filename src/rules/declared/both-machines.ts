/**
 * Two patterns that must both be found, as one machine: its states are pairs of theirs (Rabin and Scott 1959). What two patterns say in a few
 * characters, such as a form and a length, may be far too large as one.
 */
import { FIRST, FOUND, type Machine, NEVER } from './machine.ts';

const BYTES = 256;
const MAX_STATES = 0x10000;

export class BothMachines {
  readonly classOf = new Uint8Array(BYTES);
  readonly #first: Machine;
  readonly #second: Machine;
  /** By class: the class in each machine. The last one is the end of the text. */
  readonly #classes: (readonly [number, number])[] = [];
  readonly #pairs: (readonly [number, number])[] = [];
  readonly #numbers = new Map<number, number>();

  constructor(first: Machine, second: Machine) {
    this.#first = first;
    this.#second = second;
    const known = new Map<number, number>();
    for (let byte = 0; byte < BYTES; byte++) {
      const [one, other] = [first.classOf[byte]!, second.classOf[byte]!];
      const key = one * BYTES + other;
      if (!known.has(key)) known.set(key, this.#classes.push([one, other]) - 1);
      this.classOf[byte] = known.get(key)!;
    }
    this.#classes.push([first.classes - 1, second.classes - 1]);
  }

  get classes(): number {
    return this.#classes.length;
  }

  get steps(): number {
    return this.#first.steps + this.#second.steps;
  }

  get states(): number {
    return FIRST + this.#pairs.length;
  }

  get isFull(): boolean {
    return this.#first.isFull || this.#second.isFull;
  }

  begin(): number {
    return this.#stateOf(this.#first.begin(), this.#second.begin());
  }

  next(state: number, byteClass: number): number {
    const [first, second] = this.#pairs[state - FIRST]!;
    const [one, other] = this.#classes[byteClass]!;
    return this.#stateOf(after(this.#first, first, one), after(this.#second, second, other));
  }

  #stateOf(first: number, second: number): number {
    if (first === NEVER || second === NEVER) return NEVER;
    if (first === FOUND && second === FOUND) return FOUND;
    const key = first * MAX_STATES + second;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const state = FIRST + this.#pairs.push([first, second]) - 1;
    this.#numbers.set(key, state);
    return state;
  }
}

/** A state that stays is followed by itself. */
const after = (machine: Machine, state: number, byteClass: number): number =>
  state < FIRST ? state : machine.next(state, byteClass);
