/**
 * Patterns as tables that the engine runs: one look-up for each byte, whatever the pattern. States are sets of places in RE2's program (Thompson
 * 1968). A pattern gets no table where that would be large, or where it asks for words or lines. A text leads to UNDECIDED where the pattern tells
 * characters beyond ASCII apart. The library matches both: slower by far, but in linear time too.
 */
import {
  PATTERN_END,
  PATTERN_FOUND,
  PATTERN_NEVER,
  PATTERN_ROW_BYTES,
  RULE_COLUMNS_BYTES,
  RULE_DATA_BYTES,
  UNDECIDED,
} from '../../../assembly/abi.ts';
import { compile } from './pattern.ts';

export interface Automaton {
  /** A row of PATTERN_ROW_BYTES for each state. */
  bytes: Uint8Array;
  /** The state before the first byte. */
  start: number;
}

/** An instruction of the library, which does not document it: the version is pinned, and tests compare what is matched. */
interface Instruction {
  op: number;
  out: number;
  arg: number;
  /** Ranges of characters; one alone stands for itself. */
  runes: Int32Array;
  matchRune(rune: number): boolean;
}
const ALT = 1;
const ALT_MATCH = 2;
const EMPTY_WIDTH = 4;
const FAIL = 5;
const MATCH = 6;
const RUNE = 8;
/** What an instruction of width zero asks of its place. */
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const FOLDS_CASE = 1;

const STAYING = [PATTERN_NEVER, PATTERN_FOUND, UNDECIDED];
const BYTES = 0x100;
const ASCII = 0x80;
/** The first byte that begins a longer character. Those from ASCII on continue one: they change nothing. */
const LEAD = 0xc0;
const LAST_CHARACTER = 0x10ffff;

/** The table of one pattern fits into the engine alone. */
const MAX_STATES = Math.floor((RULE_DATA_BYTES - RULE_COLUMNS_BYTES) / PATTERN_ROW_BYTES) - STAYING.length;
/** Instructions that are visited: some tens of milliseconds. */
const MAX_STEPS = 100_000;

/** Null: it gets no table. */
export function automatonOf(pattern: string): Automaton | null {
  const { inst, start } = compile(pattern).re2().prog;
  if (inst.some(asksMore)) return null;
  const states = new States(inst, start);
  const first = states.begin();
  const rows = STAYING.map(state => new Uint16Array(BYTES).fill(state));
  // Each row may add states.
  for (const state of states.all) {
    rows.push(states.rowOf(rows.length, state));
    if (states.all.length > MAX_STATES || states.steps > MAX_STEPS) return null;
  }
  const bytes = new Uint8Array(rows.length * PATTERN_ROW_BYTES);
  for (const [i, row] of rows.entries()) bytes.set(new Uint8Array(row.buffer), i * PATTERN_ROW_BYTES);
  return { bytes, start: first };
}

const asksMore = ({ op, arg }: Instruction): boolean =>
  op === EMPTY_WIDTH && (arg & ~(BEGIN_TEXT | END_TEXT)) !== 0;

interface State {
  /** The instructions that read its next character. */
  readers: readonly number[];
  /** Whether a text that ends here has a match. */
  ends: boolean;
}

class States {
  readonly all: State[] = [];
  steps = 0;
  readonly #inst: readonly Instruction[];
  readonly #start: number;
  /** Bytes of ASCII that no instruction tells apart. */
  readonly #classes: number[][];
  readonly #numbers = new Map<string, number>();

  constructor(inst: readonly Instruction[], start: number) {
    this.#inst = inst;
    this.#start = start;
    const reading = inst.filter(({ op }) => op >= RUNE);
    const distinct = [...new Map(reading.map(each => [`${each.runes} ${each.arg}`, each])).values()];
    const bytes = Array.from({ length: ASCII }, (_, byte) => byte);
    const classes = Map.groupBy(bytes, byte => `${distinct.map(each => each.matchRune(byte))}`);
    this.#classes = [...classes.values()];
  }

  begin(): number {
    return this.#stateAt([this.#start], BEGIN_TEXT);
  }

  rowOf(number: number, { readers, ends }: State): Uint16Array<ArrayBuffer> {
    const row = new Uint16Array(BYTES).fill(number, ASCII, LEAD);
    for (const bytes of this.#classes) {
      const next = this.#behind(readers.filter(place => this.#inst[place]!.matchRune(bytes[0]!)));
      for (const byte of bytes) row[byte] = next;
    }
    const others = readers.map(place => readsBeyond(this.#inst[place]!));
    const isUndecided = others.includes(null);
    row.fill(isUndecided ? UNDECIDED : this.#behind(readers.filter((_, i) => others[i])), LEAD);
    row[PATTERN_END] = ends ? PATTERN_FOUND : PATTERN_NEVER;
    return row;
  }

  /** The state behind a character that these instructions have read. */
  #behind(passed: readonly number[]): number {
    const key = `${passed}`;
    let next = this.#numbers.get(key);
    if (next === undefined) {
      // The pattern may begin at any place.
      next = this.#stateAt([...passed.map(place => this.#inst[place]!.out), this.#start], 0);
      this.#numbers.set(key, next);
    }
    return next;
  }

  #stateAt(places: readonly number[], holds: number): number {
    const readers = this.#reached(places, holds);
    if (readers === null) return PATTERN_FOUND;
    const ends = this.#reached(places, holds | END_TEXT) === null;
    if (readers.length === 0 && !ends) return PATTERN_NEVER;
    const key = `${ends} ${readers.sort((a, b) => a - b)}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = STAYING.length + this.all.push({ readers, ends }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** The instructions that read a character, of those that can be reached without one; null where the pattern is found. */
  #reached(places: readonly number[], holds: number): number[] | null {
    const seen = new Set(places);
    const readers: number[] = [];
    // The loop adds to what it goes through.
    for (const place of seen) {
      this.steps++;
      const { op, out, arg } = this.#inst[place]!;
      if (op === MATCH) return null;
      if (op >= RUNE) readers.push(place);
      else if (op !== FAIL && (op !== EMPTY_WIDTH || (arg & holds) === arg)) seen.add(out);
      if (op === ALT || op === ALT_MATCH) seen.add(arg);
    }
    return readers;
  }
}

/** Whether an instruction reads every character beyond ASCII, or none; null: some. */
function readsBeyond({ runes, arg }: Instruction): boolean | null {
  const [low, high] = runes.length === 1 ? [runes[0]!, runes[0]!] : runes.slice(-2);
  if (high! < ASCII) return runes.length === 1 && (arg & FOLDS_CASE) !== 0 ? null : false;
  return low! <= ASCII && high === LAST_CHARACTER ? true : null;
}
