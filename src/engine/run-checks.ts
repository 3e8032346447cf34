/**
 * Runs checks of declared rules side by side, in pieces of rows: the texts that one check reads are still in the processor cache for the
 * next. Cache misses cost more than the checks.
 */
import { MAX_CHECKS, RULE_COLUMNS_BYTES, RULE_DATA_BYTES } from '../../assembly/abi.ts';
import type { Held } from './queries.ts';
import type { RowCheck, RuleChecks } from './row-check.ts';

/** Rows of a piece: most have less than a processor's second cache. */
const PIECE_ROWS = 256;
/** Where the bytes of a check begin. Checks read 16 bytes behind their last. */
const ALIGNMENT = 16;

export function runningChecks(
  held: Held,
): Pick<RuleChecks, 'chooseAll' | 'choose' | 'count' | 'run' | 'failing'> {
  const { exports, texts } = held;
  const running = new Running(held);
  return {
    chooseAll: () => exports.beginRules(),
    choose(check, found) {
      running.run([check]);
      return exports.chooseFlagged(0, found) >>> 0;
    },
    count(check) {
      running.run([check]);
      return exports.failingRows(0, 0);
    },
    run: checks => running.run(checks),
    failing(i, limit) {
      const count = exports.failingRows(i, limit);
      return { count, rows: texts().memory.u16(exports.foundRowsAddress(), Math.min(count, limit)) };
    },
  };
}

class Running {
  readonly #held: Held;

  constructor(held: Held) {
    this.#held = held;
  }

  run(checks: readonly RowCheck[]): number {
    const { exports, rows } = this.#held;
    const places = this.#placesOf(checks);
    // The caller would ask for ever.
    if (places.length === 0 && checks.length > 0)
      throw new Error('a check of a declared rule has too many bytes');
    const placed = checks.slice(0, places.length);
    for (const [i, check] of placed.entries()) {
      exports.clearFlags(i);
      check.begin(places[i]!);
      if (!check.lookAtAll) continue;
      exports.beginPiece(i, 0, rows());
      check.lookAtAll(places[i]!);
    }
    if (!placed.every(check => check.lookAtAll)) this.#lookInPieces(placed, places);
    for (const [i, { decide }] of placed.entries()) {
      if (!decide) continue;
      exports.beginPiece(i, 0, rows());
      decide();
    }
    return placed.length;
  }

  #lookInPieces(placed: readonly RowCheck[], places: readonly number[]): void {
    const { exports, rows } = this.#held;
    const columns = this.#writeColumns(placed);
    for (let from = 0; from < rows(); from += PIECE_ROWS) {
      const to = from + PIECE_ROWS;
      exports.beginPiece(0, from, to);
      exports.fetchTexts(exports.ruleDataAddress(), columns);
      for (const [i, check] of placed.entries()) {
        if (check.lookAtAll) continue;
        exports.beginPiece(i, from, to);
        check.look(places[i]!);
      }
    }
  }

  /** Where the bytes of the checks are, as far as they fit. */
  #placesOf(checks: readonly RowCheck[]): number[] {
    const start = this.#held.exports.ruleDataAddress();
    const places: number[] = [];
    let end = start + RULE_COLUMNS_BYTES;
    for (const { bytes } of checks.slice(0, MAX_CHECKS)) {
      if (end + bytes > start + RULE_DATA_BYTES) break;
      places.push(end);
      end += bytes + 2 * ALIGNMENT - (bytes % ALIGNMENT);
    }
    return places;
  }

  /** Those whose texts the checks read, at the start of their bytes. Returns how many. */
  #writeColumns(checks: readonly RowCheck[]): number {
    const { exports, texts } = this.#held;
    const columns = new Set(checks.flatMap(check => check.texts));
    texts().memory.write(new Uint8Array(Uint32Array.from(columns).buffer), exports.ruleDataAddress());
    return columns.size;
  }
}
