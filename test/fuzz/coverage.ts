/** What the counters of a fuzzed process say of an input: whether it went where none went before, and how much work it made of its bytes. */
import { existsSync, readFileSync } from 'node:fs';
import { MAX_COUNTERS } from './instrument.ts';

/** Fewer hits are no work. */
const LEAST_WORK = 10_000;
/** How much more work for each byte counts as more. */
const MORE = 1.5;
/** What does less than this part of the most is not named. */
const NAMED_PART = 64;
const MAX_NAMED = 8;

export interface Novelty {
  /** A counter, or a magnitude of one as in AFL (Zalewski 2013), that no input reached. */
  isNew: boolean;
  /** Counters that had more hits for each byte of the input than ever, as in PerfFuzz (Lemieux et al. 2018). */
  more: number[];
}

export class Coverage {
  readonly #file: string;
  readonly #hits: Uint32Array;
  /** A bit for each magnitude that was reached. */
  readonly #seen = new Uint32Array(MAX_COUNTERS);
  /** Most hits for each byte of an input. */
  readonly #most = new Float64Array(MAX_COUNTERS);
  reached = 0;

  private constructor(file: string) {
    this.#file = file;
    this.#hits = new Uint32Array(Bun.mmap(file, { shared: true }).buffer);
  }

  /** The process is started with `FUZZ_COUNTERS=file` and `instrument.ts` preloaded. */
  static async create(file: string): Promise<Coverage> {
    await Bun.write(file, new Uint8Array(4 * MAX_COUNTERS));
    return new Coverage(file);
  }

  clear(): void {
    this.#hits.fill(0);
  }

  /** Of an input of so many bytes. */
  look(bytes: number): Novelty {
    const novelty: Novelty = { isNew: false, more: [] };
    for (let i = 0; i < MAX_COUNTERS; i++) {
      const hits = this.#hits[i]!;
      if (hits === 0) continue;
      const magnitude = 1 << (31 - Math.clz32(hits));
      if ((this.#seen[i]! & magnitude) === 0) {
        this.reached += this.#seen[i] === 0 ? 1 : 0;
        this.#seen[i]! |= magnitude;
        novelty.isNew = true;
      }
      // Of few bytes each counts little: what a head and a tail take anyway.
      const work = hits / (bytes + 256);
      if (hits < LEAST_WORK || work < MORE * this.#most[i]!) continue;
      this.#most[i] = work;
      novelty.more.push(i);
    }
    return novelty;
  }

  /** The functions that did most of the work, the hottest first; empty where nothing was counted. */
  hottest(): { name: string; hits: number }[] {
    const names = this.#names();
    const most = new Map<string, number>();
    this.#hits.forEach((hits, i) => {
      const name = names[i];
      if (hits > 0 && name !== undefined) most.set(name, Math.max(most.get(name) ?? 0, hits));
    });
    const sorted = [...most].map(([name, hits]) => ({ name, hits })).toSorted((a, b) => b.hits - a.hits);
    return sorted.filter(({ hits }) => hits * NAMED_PART >= sorted[0]!.hits).slice(0, MAX_NAMED);
  }

  #names(): string[] {
    const names: string[] = [];
    const file = `${this.#file}.names`;
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
      const [path, first, functions] = line.split('\t');
      functions?.split(',').forEach((each, i) => {
        names[Number(first) + i] = `${path} ${each}`.trimEnd();
      });
    }
    return names;
  }
}
