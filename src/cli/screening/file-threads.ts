/** The threads of this command. A small file is parsed and judged in this one; a large one gets threads of its own, and this one reads it. */
import { availableParallelism } from 'node:os';
import type { CompiledEngine, Engine } from '../../engine/engine.ts';
import { RecordScanner, RecordStarts } from '../../engine/record-starts.ts';
import { type AllRepeats, type RepeatedRows, repeatsIn } from '../../states/repeated-rows.ts';
import type { Quarantine } from '../../report-schema/report.ts';
import type { TaskSettings } from '../../threads/source-tasks.ts';
import type { State } from '../../states/state.ts';
import type { Asking } from '../../slices/ask.ts';
import {
  holdSlice,
  type MeasuredBatch,
  type MeasuredSlice,
  measureSlice,
  newMeasuredBatch,
  parseSlice,
  takeState,
} from '../../slices/measure.ts';
import type { FormattedSlice } from '../../slices/slice.ts';
import { Tasks } from '../../threads/tasks.ts';
import { InlineThread, WorkerThread } from '../../threads/thread.ts';
import { Threads } from '../../threads/threads.ts';
import { Failure } from '../failure.ts';
import { BY_OPTIONS } from '../input/instructions.ts';
import { MAX_BODY_BYTES, openEngine, SAMPLE_ROWS } from './open-engine.ts';

/** So many bytes are read before a thread has started. */
export const LARGE_BYTES = 16e6;
/** Each takes about 40 MB. */
const MAX_THREADS = 4;
/** Batches that are read before a thread is free for them. */
const WAITING = 1;
/** Rules of the user may take long, and another batch waits meanwhile. */
const LIMIT_MS = 2 ** 31 - 1;

/** Of a file that is only described. */
export const describedFile = (): MeasuredBatch =>
  newMeasuredBatch({ account: 'local', salt: new Uint8Array(32), source: 'described' });

export class FileThreads implements Asking {
  readonly maxBodyBytes = MAX_BODY_BYTES;
  readonly instructions = BY_OPTIONS;
  /** Finds where the records of a text begin. */
  readonly records: RecordStarts;
  readonly #inline: Threads;
  readonly #scanner: RecordScanner;
  readonly #open: () => Threads;
  readonly #count: number;
  #own: Threads | null = null;
  #areOpen = false;

  /** `most`: threads for a large file. */
  private constructor(engine: Engine, module: CompiledEngine, settings: TaskSettings, most: number) {
    this.#scanner = new RecordScanner(module);
    this.records = this.newRecords();
    this.#inline = new Threads(() => new InlineThread(new Tasks(() => engine, settings)), 1);
    const opening = { module, maxBodyBytes: MAX_BODY_BYTES, settings, niceness: 0 };
    this.#count = Math.min(most, availableParallelism());
    const thread = (onEnd: () => void) => new WorkerThread(opening, LIMIT_MS, onEnd);
    this.#open = () => new Threads(thread, this.#count, 0, () => performance.now(), LIMIT_MS);
  }

  static async open({ storeValues = true, most = MAX_THREADS } = {}): Promise<FileThreads> {
    const { engine, module } = await openEngine();
    const settings = { sampleRows: SAMPLE_ROWS, defaultMode: 'auto', storeValues } as const;
    return new FileThreads(engine, module, settings, most);
  }

  /** So many bytes are to be read: starts threads for a large file. Until they can be asked, this one does their work. */
  expect(bytes: number): void {
    if (this.#own === null && bytes > LARGE_BYTES) this.start().catch(() => {});
  }

  /** Resolves when threads of its own can be asked. */
  async start(): Promise<void> {
    this.#own ??= this.#open();
    await this.#own.opened();
    this.#areOpen = true;
  }

  /** For another text while the first one is read. */
  newRecords(): RecordStarts {
    return new RecordStarts(this.#scanner);
  }

  /** Where the next batch goes. */
  get threads(): Threads {
    return this.#areOpen ? this.#own! : this.#inline;
  }

  /** Batches that may be screened at once. */
  get atOnce(): number {
    return this.#areOpen ? this.#count + WAITING : 1;
  }

  parse(slice: FormattedSlice): Promise<void> {
    return parseSlice(slice, describedFile(), this.threads);
  }

  measure(slice: FormattedSlice, of: MeasuredBatch): Promise<MeasuredSlice> {
    return measureSlice(slice, of, this.threads);
  }

  hold(slice: FormattedSlice, of: MeasuredBatch, repeats: AllRepeats): Promise<Quarantine> {
    const { rowsBefore: row, rows } = slice;
    return holdSlice(slice, of, this.threads, repeatsIn(repeats, { part: of.part, row, rows }));
  }

  /** The same batch, of which the threads collect the keys. This one measures, too, until the others are there. */
  collecting = (of: MeasuredBatch): MeasuredBatch => ({ ...of, keysShare: 1 / (this.#count + 1) });

  /** What all slices together say. `repeated`: takes the keys that were collected. Throws `Failure` unless they have so many rows. */
  async takeState(
    of: MeasuredBatch,
    rows: number,
    file: string,
    repeated: RepeatedRows | null,
  ): Promise<State> {
    const { state, keys } = await takeState(of, [this.#inline, ...(this.#own ? [this.#own] : [])]);
    for (const each of keys) repeated?.adopt(each);
    // What a thread has measured ends with it.
    if (state?.rows !== rows)
      throw new Failure('A thread ended before the file was measured; try again', file);
    return state;
  }

  close(): void {
    this.#own?.close();
  }
}
