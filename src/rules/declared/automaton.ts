/**
 * Patterns as tables that the engine runs: one look-up for each byte, whatever the pattern. A pattern with too many states for a table has none:
 * then `LazyMatcher` matches.
 */
import { PATTERN_STATE_BYTES, RULE_COLUMNS_BYTES, RULE_DATA_BYTES } from '../../../assembly/abi.ts';
import { FIRST, FOUND, Machine, NEVER } from './machine.ts';

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

const CLASS_BYTES = 512;
const ENTRY_BYTES = 4;
/** A check of the pattern fits into the engine alone. */
const MAX_ENTRIES = (RULE_DATA_BYTES - RULE_COLUMNS_BYTES - PATTERN_STATE_BYTES - CLASS_BYTES) / ENTRY_BYTES;
/** These bound what a table costs, to some tens of milliseconds. */
const MAX_STATES = 2000;
const MAX_STEPS = 200_000;
/** Steps that take less than a millisecond. */
const STEPS_AT_ONCE = 5000;

/** Null where it would be too large. */
export function automatonOf(pattern: string): Automaton | null {
  const machine = Machine.of(pattern);
  const { classes } = machine;
  const first = machine.begin();
  const rows = [new Uint32Array(classes).fill(NEVER), new Uint32Array(classes).fill(FOUND)];
  let pauseAt = STEPS_AT_ONCE;
  for (let state = FIRST; state < machine.states; state++) {
    const row = new Uint32Array(classes);
    for (let each = 0; each < classes; each++) {
      row[each] = machine.next(state, each);
      if (machine.steps > MAX_STEPS || machine.isFull) return null;
      if (machine.steps < pauseAt) continue;
      pauseAt = machine.steps + STEPS_AT_ONCE;
    }
    if (machine.states > MAX_STATES || machine.states * classes > MAX_ENTRIES) return null;
    rows.push(row);
  }
  return written(machine, first, rows);
}

function written({ classes, classOf }: Machine, first: number, rows: readonly Uint32Array[]): Automaton {
  const rowBytes = classes * ENTRY_BYTES;
  const bytes = new Uint8Array(CLASS_BYTES + rows.length * rowBytes);
  new Uint16Array(bytes.buffer, 0, classOf.length).set(Uint16Array.from(classOf, each => each * ENTRY_BYTES));
  const table = new Uint32Array(bytes.buffer, CLASS_BYTES);
  for (const [i, row] of rows.entries())
    table.set(
      row.map(next => next * rowBytes),
      i * classes,
    );
  return { bytes, start: first * rowBytes, rowBytes };
}
