/**
 * Patterns as deterministic automata over bytes of UTF-8, which the engine runs: one look-up for each byte, whatever the pattern. The states are
 * sets of places in RE2's program (Thompson 1968). A pattern whose automaton is too large has none: then the library matches, in linear time too.
 */
import { RULE_DATA_BYTES } from '../../../assembly/abi.ts';
import { At, type Instruction, Op, type Program, programOf, rangesOf } from './program.ts';
import { type Edge, type Node, NodePool, nodeOf } from './utf8-ranges.ts';

export interface Automaton {
  /**
   * Class of each byte as a u16, 256 of them, then the table: for each state and class where the row of the next state begins, as a u32. The first
   * row is NEVER, the second FOUND; the last class is the end of the text. Classes and rows are places in the table, in bytes.
   */
  bytes: Uint8Array;
  /** Where the row of the first state begins. */
  start: number;
  rowBytes: number;
}

/** States that stay, whatever follows. */
const NEVER = 0;
const FOUND = 1;
const FIRST = 2;

const BYTES = 256;
const CLASS_BYTES = 2 * BYTES;
const ENTRY_BYTES = 4;
const MAX_ENTRIES = (RULE_DATA_BYTES - CLASS_BYTES) / ENTRY_BYTES;
/** Each place is one character of a state's key. */
const MAX_PLACES = 0xffff;
/** These bound the time that an automaton takes to build, to some tens of milliseconds. */
const MAX_STATES = 2000;
const MAX_STEPS = 300_000;

/** Null where it would be too large. */
export function automatonOf(pattern: string): Automaton | null {
  const builder = new Builder(programOf(pattern));
  return builder.isPossible ? builder.build() : null;
}

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

class Builder {
  readonly isPossible: boolean;
  readonly #nodes = new NodePool();
  /** The first node of each instruction that reads a character. */
  readonly #first: (Node | null)[] = [];
  /** Nodes within characters, with the instruction that follows them: places from the number of instructions on. */
  readonly #inner: Reading[] = [];
  readonly #innerPlaces = new Map<string, number>();
  readonly #rows: Uint32Array[] = [];
  readonly #states: State[] = [];
  readonly #stateKeys = new Map<string, number>();
  readonly #classOf = new Uint8Array(BYTES);
  #samples: number[] = [];
  readonly #isAnchored: boolean;
  #asks = 0;
  #steps = 0;

  constructor(readonly program: Program) {
    let isPossible = true;
    for (const instruction of program.inst) {
      const ranges = instruction.op >= Op.RUNE ? rangesOf(instruction) : [];
      if (ranges === null) isPossible = false;
      this.#first.push(ranges && instruction.op >= Op.RUNE ? nodeOf(ranges, this.#nodes) : null);
      if (instruction.op === Op.EMPTY_WIDTH) this.#asks |= instruction.arg;
    }
    this.isPossible = isPossible;
    this.#isAnchored = isAnchored(program, program.start);
  }

  build(): Automaton | null {
    this.#classify();
    const classes = this.#samples.length + 1;
    const first = this.#stateOf([this.program.start], Before.Start);
    this.#rows.push(new Uint32Array(classes).fill(NEVER), new Uint32Array(classes).fill(FOUND));
    for (let made = 0; made < this.#states.length; made++) {
      if (this.#isTooLarge(made + 1 + FIRST, classes)) return null;
      this.#rows.push(this.#rowOf(this.#states[made]!, classes));
    }
    return this.#written(first, classes);
  }

  #isTooLarge(rows: number, classes: number): boolean {
    const places = this.program.inst.length + this.#inner.length;
    const isLarge = rows > MAX_STATES || rows * classes > MAX_ENTRIES || places > MAX_PLACES;
    return isLarge || this.#steps > MAX_STEPS;
  }

  /** Bytes before which the same holds reach the same places. */
  #rowOf(state: State, classes: number): Uint32Array {
    const reached = new Map<number, readonly Reading[] | null>();
    const next = (byte: number | null): number => {
      const holds = whatHolds(state.before, byte) & this.#asks;
      if (!reached.has(holds)) reached.set(holds, this.#reached(state, holds));
      const readings = reached.get(holds)!;
      if (readings === null) return FOUND;
      return byte === null ? NEVER : this.#next(readings, byte);
    };
    const row = new Uint32Array(classes);
    for (const [i, byte] of this.#samples.entries()) row[i] = next(byte);
    row[classes - 1] = next(null);
    return row;
  }

  #written(first: number, classes: number): Automaton {
    const rowBytes = classes * ENTRY_BYTES;
    const bytes = new Uint8Array(CLASS_BYTES + this.#rows.length * rowBytes);
    new Uint16Array(bytes.buffer, 0, BYTES).set(Uint16Array.from(this.#classOf, each => each * ENTRY_BYTES));
    const table = new Uint32Array(bytes.buffer, CLASS_BYTES);
    for (const [i, row] of this.#rows.entries())
      table.set(
        row.map(next => next * rowBytes),
        i * classes,
      );
    return { bytes, start: first * rowBytes, rowBytes };
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
    for (const node of this.#first) if (node) visit(node);
    if (this.#asks & (At.BEGIN_LINE | At.END_LINE)) split(10, 10);
    if (this.#asks & (At.WORD_BOUNDARY | At.NO_WORD_BOUNDARY))
      for (const [low, high] of WORD_RANGES) split(low, high);
    this.#samples = [...begins].filter(byte => byte < BYTES).sort((a, b) => a - b);
    for (const [i, byte] of this.#samples.entries()) this.#classOf.fill(i, byte);
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
  #next(readings: readonly Reading[], byte: number): number {
    const places = new Set<number>();
    for (const { node, out } of readings) {
      const edge = edgeFor(node, byte);
      if (edge) places.add(edge.next ? this.#placeOf(edge.next, out) : out);
    }
    // The pattern may begin at any place.
    if (!this.#isAnchored) places.add(this.program.start);
    if (places.size === 0) return NEVER;
    this.#steps += readings.length;
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

  /** What a state reads next, where `holds`; null where the pattern is found. */
  #reached({ places }: State, holds: number): Reading[] | null {
    const readings: Reading[] = [];
    const seen = new Set<number>();
    const left = [...places];
    while (left.length > 0) {
      const place = left.pop()!;
      if (seen.has(place)) continue;
      seen.add(place);
      this.#steps++;
      const instruction = this.program.inst[place];
      if (instruction === undefined || instruction.op >= Op.RUNE) readings.push(this.#reading(place));
      else if (instruction.op === Op.MATCH) return null;
      else left.push(...behind(instruction, holds));
    }
    return readings;
  }

  #reading(place: number): Reading {
    const instruction = this.program.inst[place];
    return instruction
      ? { node: this.#first[place]!, out: instruction.out }
      : this.#inner[place - this.program.inst.length]!;
  }

  #placeOf(node: Node, out: number): number {
    const key = `${this.#nodes.numberOf(node)} ${out}`;
    const known = this.#innerPlaces.get(key);
    if (known !== undefined) return known;
    const place = this.program.inst.length + this.#inner.length;
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
