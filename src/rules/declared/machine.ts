/**
 * Patterns as deterministic automata over bytes of UTF-8. The states are sets of places in RE2's program (Thompson 1968), and are found as they are
 * asked for: an automaton may have more of them than there is memory.
 */
import { At, type Instruction, Op, type Program, programOf, rangesOf } from './program.ts';
import { type Edge, type Node, NodePool, nodeOf } from './utf8-ranges.ts';

/** States that stay, whatever follows. */
export const NEVER = 0;
export const FOUND = 1;
export const FIRST = 2;

const BYTES = 256;
/** Each place is one character of a state's key. */
const MAX_PLACES = 0xffff;

/** What the character before a place was. */
enum Before {
  Other,
  Start,
  LineFeed,
  Word,
}

/** A state: instructions that are reached, nodes within a character, and what was read before. */
interface State {
  places: readonly number[];
  before: Before;
}

/** A node that reads a byte, and the instruction behind its character. */
interface Reading {
  node: Node;
  out: number;
}

export class Machine {
  /** Class of each byte: bytes that no edge tells apart are one. The last class is the end of the text. */
  readonly classOf = new Uint8Array(BYTES);
  classes = 0;
  /** Places and readings that were visited: what the work costs. */
  steps = 0;
  readonly #program: Program;
  readonly #nodes = new NodePool();
  /** The first node of each instruction that reads a character. */
  readonly #first: (Node | null)[] = [];
  /** Nodes within characters, with the instruction that follows them: places from the number of instructions on. */
  #inner: Reading[] = [];
  #innerPlaces = new Map<string, number>();
  #states: State[] = [];
  #stateKeys = new Map<string, number>();
  /** A byte of each class. */
  #samples: number[] = [];
  readonly #isAnchored: boolean;
  #asks = 0;
  /** What is reached from the state that was asked last, by what holds. */
  #reached = { state: NEVER, byHolds: new Map<number, readonly Reading[] | null>() };

  private constructor(program: Program) {
    this.#program = program;
    this.#isAnchored = isAnchored(program, program.start);
  }

  static of(pattern: string): Machine {
    const machine = new Machine(programOf(pattern));
    machine.#readCharacters();
    machine.#classify();
    return machine;
  }

  /** States so far, the two that stay included. */
  get states(): number {
    return FIRST + this.#states.length;
  }

  get isFull(): boolean {
    return this.#program.inst.length + this.#inner.length > MAX_PLACES;
  }

  /** The state at the start of a text. */
  begin(): number {
    return this.#stateOf([this.#program.start], Before.Start);
  }

  /** The state that follows one that does not stay. */
  next(state: number, byteClass: number): number {
    const byte = this.#samples[byteClass] ?? null;
    const readings = this.#reachedFrom(state, byte);
    if (readings === null) return FOUND;
    return byte === null ? NEVER : this.#behind(readings, byte);
  }

  /** Forgets all states but this one, and returns its new number. */
  restart(state: number): number {
    const { places, before } = this.#states[state - FIRST]!;
    const count = this.#program.inst.length;
    const readings = places.map(place => (place < count ? place : this.#inner[place - count]!));
    [this.#inner, this.#states] = [[], []];
    this.#innerPlaces = new Map();
    this.#stateKeys = new Map();
    this.#reached = { state: NEVER, byHolds: new Map() };
    return this.#stateOf(
      readings.map(each => (typeof each === 'number' ? each : this.#placeOf(each.node, each.out))),
      before,
    );
  }

  /** Copies of an instruction share their ranges. */
  #readCharacters(): void {
    const known = new Map<ArrayLike<number>, Node>();
    for (const instruction of this.#program.inst) {
      if (instruction.op === Op.EMPTY_WIDTH) this.#asks |= instruction.arg;
      if (instruction.op < Op.RUNE) {
        this.#first.push(null);
        continue;
      }
      let node = known.get(instruction.runes);
      if (node === undefined) {
        node = nodeOf(rangesOf(instruction), this.#nodes);
        if (instruction.runes) known.set(instruction.runes, node);
      }
      this.#first.push(node);
    }
  }

  /** Bytes that no edge tells apart are one class. */
  #classify(): void {
    const begins = new Set([0]);
    const split = (low: number, high: number) => begins.add(low).add(high + 1);
    const seen = new Set<Node>();
    const visit = (node: Node) => {
      if (seen.has(node)) return;
      seen.add(node);
      for (const { low, high, next } of node) {
        split(low, high);
        if (next) visit(next);
      }
    };
    for (const node of this.#first) {
      if (node === null || seen.has(node)) continue;
      visit(node);
    }
    if (this.#asks & (At.BEGIN_LINE | At.END_LINE)) split(10, 10);
    if (this.#asks & (At.WORD_BOUNDARY | At.NO_WORD_BOUNDARY))
      for (const [low, high] of WORD_RANGES) split(low, high);
    this.#samples = [...begins].filter(byte => byte < BYTES).sort((a, b) => a - b);
    for (const [i, byte] of this.#samples.entries()) this.classOf.fill(i, byte);
    this.classes = this.#samples.length + 1;
  }

  #stateOf(places: readonly number[], before: Before): number {
    const key = String.fromCharCode(before, ...places);
    const known = this.#stateKeys.get(key);
    if (known !== undefined) return known;
    this.#states.push({ places, before });
    this.#stateKeys.set(key, this.#states.length - 1 + FIRST);
    return this.#states.length - 1 + FIRST;
  }

  /** The state behind a byte. */
  #behind(readings: readonly Reading[], byte: number): number {
    const places = new Set<number>();
    for (const { node, out } of readings) {
      const edge = edgeFor(node, byte);
      if (edge) places.add(edge.next ? this.#placeOf(edge.next, out) : out);
    }
    // The pattern may begin at any place.
    if (!this.#isAnchored) places.add(this.#program.start);
    if (places.size === 0) return NEVER;
    this.steps += readings.length;
    return this.#stateOf(
      [...places].sort((a, b) => a - b),
      this.#beforeAfter(byte),
    );
  }

  #beforeAfter(byte: number): Before {
    if (byte === 10 && this.#asks & (At.BEGIN_LINE | At.END_LINE)) return Before.LineFeed;
    const asksWords = this.#asks & (At.WORD_BOUNDARY | At.NO_WORD_BOUNDARY);
    return asksWords && isWord(byte) ? Before.Word : Before.Other;
  }

  #reachedFrom(state: number, byte: number | null): readonly Reading[] | null {
    const { places, before } = this.#states[state - FIRST]!;
    const holds = whatHolds(before, byte) & this.#asks;
    if (this.#reached.state !== state) this.#reached = { state, byHolds: new Map() };
    const { byHolds } = this.#reached;
    if (!byHolds.has(holds)) byHolds.set(holds, this.#readingsAt(places, holds));
    return byHolds.get(holds)!;
  }

  /** What a state reads next, where `holds`; null where the pattern is found. */
  #readingsAt(start: readonly number[], holds: number): Reading[] | null {
    const readings: Reading[] = [];
    const seen = new Set<number>();
    const left = [...start];
    while (left.length > 0) {
      const place = left.pop()!;
      if (seen.has(place)) continue;
      seen.add(place);
      this.steps++;
      const instruction = this.#program.inst[place];
      if (instruction === undefined || instruction.op >= Op.RUNE) readings.push(this.#reading(place));
      else if (instruction.op === Op.MATCH) return null;
      else left.push(...behind(instruction, holds));
    }
    return readings;
  }

  #reading(place: number): Reading {
    const instruction = this.#program.inst[place];
    return instruction
      ? { node: this.#first[place]!, out: instruction.out }
      : this.#inner[place - this.#program.inst.length]!;
  }

  #placeOf(node: Node, out: number): number {
    const key = `${this.#nodes.numberOf(node)} ${out}`;
    const known = this.#innerPlaces.get(key);
    if (known !== undefined) return known;
    const place = this.#program.inst.length + this.#inner.length;
    this.#inner.push({ node, out });
    this.#innerPlaces.set(key, place);
    return place;
  }
}

const WORD_RANGES = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
] as const;

const isWord = (byte: number): boolean => WORD_RANGES.some(([low, high]) => low <= byte && byte <= high);

/** The edge of a byte; edges are ascending. */
function edgeFor(node: Node, byte: number): Edge | null {
  let [low, high] = [0, node.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (node[middle]!.high < byte) low = middle + 1;
    else high = middle;
  }
  const edge = node[low];
  return edge && edge.low <= byte ? edge : null;
}

/** What holds of the place between what was read before and `byte`; null: the end. */
function whatHolds(before: Before, byte: number | null): number {
  const isStart = before === Before.Start;
  const differs = (before === Before.Word) !== (byte !== null && isWord(byte));
  return (
    (isStart ? At.BEGIN_TEXT : 0) |
    (isStart || before === Before.LineFeed ? At.BEGIN_LINE : 0) |
    (byte === null ? At.END_TEXT : 0) |
    (byte === null || byte === 10 ? At.END_LINE : 0) |
    (differs ? At.WORD_BOUNDARY : At.NO_WORD_BOUNDARY)
  );
}

/** Instructions behind one that reads nothing. */
function behind({ op, out, arg }: Instruction, holds: number): number[] {
  if (op === Op.ALT || op === Op.ALT_MATCH) return [arg, out];
  if (op === Op.FAIL) return [];
  return op !== Op.EMPTY_WIDTH || (arg & holds) === arg ? [out] : [];
}

/** Whether every match begins at the start of the text. */
function isAnchored({ inst }: Program, start: number): boolean {
  let place = start;
  while (inst[place]!.op === Op.CAPTURE || inst[place]!.op === Op.NOP) place = inst[place]!.out;
  return inst[place]!.op === Op.EMPTY_WIDTH && (inst[place]!.arg & At.BEGIN_TEXT) !== 0;
}
