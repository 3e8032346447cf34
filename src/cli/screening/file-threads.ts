/** The threads of this command. A small file is parsed and judged in this one; a large one gets threads of its own, and this one reads it. */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { CompiledEngine, Engine } from '../../engine/engine.ts';
import { RecordStarts } from '../../engine/record-starts.ts';
import type { RowList } from '../../engine/queries.ts';
import type { SliceKeys } from '../../engine/row-keys.ts';
import type { AllRepeats, RepeatedRows } from '../../states/repeated-rows.ts';
import type { Quarantine } from '../../report-schema/report.ts';
import { parseOptions } from '../../options/options.ts';
import type { TaskSettings } from '../../threads/source-tasks.ts';
import { mergeStates, type State } from '../../states/state.ts';
import type { BodyStart } from '../../threads/parsed-batch.ts';
import { type BeginOrder, type Parsed, Tasks } from '../../threads/tasks.ts';
import { InlineThread, type Thread, WorkerThread } from '../../threads/thread.ts';
import { ThreadedBody } from '../../threads/threaded-body.ts';
import { Threads } from '../../threads/threads.ts';
import { Failure } from '../failure.ts';
import type { FileBatch } from '../input/file-batch.ts';
import type { FileFormat } from '../input/format.ts';
import { MAX_BODY_BYTES, openEngine, SAMPLE_ROWS } from './open-engine.ts';

/** So many bytes are read before a thread has started. */
export const LARGE_BYTES = 16e6;
/** Each takes about 40 MB. */
const MAX_THREADS = 4;
/** Of the text that is looked at for records at once. */
const PIECE_BYTES = 256 * 1024;
/** Batches that are read before a thread is free for them. */
const WAITING = 1;
/** Rules of the user may take long, and another batch waits meanwhile. */
const LIMIT_MS = 2 ** 31 - 1;

const placeOf = (
  { rowsBefore, linesBefore }: SliceParts,
  { batch, part }: Slices,
  keysShare: number | null,
) => ({
  ...{ part, row: rowsBefore, line: linesBefore },
  ...{ batch, keysShare },
});

type SliceParts = NamedParts & Pick<FileBatch, 'rowsBefore' | 'linesBefore' | 'rows'>;
type NamedParts = Pick<FileBatch, 'pieces'> & { format: FileFormat; source: string };

/** A batch whose slices are measured. */
export interface Slices {
  /** Names it among others. */
  batch: string;
  /** Which part of the batch the file is. */
  part: number;
  salt: Uint8Array;
  /** What it is judged by later; null if it is only described. */
  begin: BeginOrder | null;
  /** Threads that know of it. */
  begun: WeakSet<Thread>;
}

/** Of a file that is only described. */
export const describedSlices = (): Slices => ({
  ...{ batch: randomUUID(), part: 0, salt: new Uint8Array(32) },
  ...{ begin: null, begun: new WeakSet() },
});

export class FileThreads {
  /** Finds where the records of a text begin. */
  readonly records: RecordStarts;
  readonly #inline: Threads;
  readonly #module: CompiledEngine;
  readonly #open: () => Threads;
  readonly #count: number;
  #own: Threads | null = null;
  #areOpen = false;

  /** `most`: threads for a large file. */
  private constructor(engine: Engine, module: CompiledEngine, settings: TaskSettings, most: number) {
    this.#module = module;
    this.records = this.newRecords();
    this.#inline = new Threads(() => new InlineThread(new Tasks(() => engine, settings)), 1);
    const opening = { module, maxBodyBytes: MAX_BODY_BYTES, settings, niceness: 0 };
    this.#count = Math.min(most, availableParallelism());
    const thread = (onEnd: () => void) => new WorkerThread(opening, LIMIT_MS, onEnd);
    this.#open = () => new Threads(thread, this.#count, 0, () => performance.now(), LIMIT_MS);
  }

  static async open({ storeValues = true, most = MAX_THREADS } = {}): Promise<FileThreads> {
    const { engine, module } = await openEngine();
    const settings = { sampleRows: SAMPLE_ROWS, defaultMode: 'contract', storeValues } as const;
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
    return new RecordStarts(this.#module, PIECE_BYTES);
  }

  /** Where the next batch goes. */
  get threads(): Threads {
    return this.#areOpen ? this.#own! : this.#inline;
  }

  /** Batches that may be screened at once. */
  get atOnce(): number {
    return this.#areOpen ? this.#count + WAITING : 1;
  }

  /** Only parses a batch. Throws `Rejection`. */
  async parse(batch: NamedParts): Promise<void> {
    await this.#read(batch, describedSlices());
  }

  /** Measures a batch as a slice of its file. Gives the keys of its rows, unless threads collect them. Throws `Rejection`. */
  async measure(batch: SliceParts, of: Slices, areCollected: boolean): Promise<SliceKeys[]> {
    // This thread measures, too, until the others are there.
    const share = areCollected ? 1 / (this.#count + 1) : null;
    return (await this.#read(batch, of, placeOf(batch, of, share))).keys!;
  }

  /** The rows to hold back of a slice of a file that has been judged. Throws `Rejection`. */
  async hold(batch: SliceParts, of: Slices, repeats: AllRepeats): Promise<Quarantine> {
    const { rowsBefore, rows } = batch;
    const [ofRows, ...ofRules] = repeats;
    const inSlice = [
      ofRows!.repeatingIn(0, rowsBefore, rows),
      ...ofRules.map(each => each.sharingIn(0, rowsBefore, rows)),
    ].map(indexes => Uint16Array.from(indexes));
    return (await this.#read(batch, of, placeOf(batch, of, null), inSlice)).held!;
  }

  /** What all slices together say. `repeated`: takes the keys that were collected. Throws `Failure` unless they have so many rows. */
  async takeState(
    { batch }: Slices,
    rows: number,
    file: string,
    repeated: RepeatedRows | null,
  ): Promise<State> {
    const each = [this.#inline, ...(this.#own ? [this.#own] : [])];
    const taken = (await Promise.all(each.map(threads => threads.askEach('takeState', { batch })))).flat();
    for (const { keys } of taken) repeated?.adopt(keys);
    const states = taken.map(({ state }) => state);
    const state = states.reduce((a, b) => (a && b ? mergeStates(a, b) : (a ?? b)), null);
    // What a thread has measured ends with it.
    if (state?.rows !== rows)
      throw new Failure('A thread ended before the file was measured; try again', file);
    return state;
  }

  async #read(
    { pieces, format, source }: NamedParts,
    { salt, begin, begun }: Slices,
    slice?: BodyStart['slice'],
    repeats?: RowList[],
  ): Promise<Parsed> {
    const { coding: _, ...dialect } = format;
    const start = {
      ...dialect,
      ...{ salt, named: { source, options: parseOptions({}) } },
      ...(slice && { slice }),
    };
    const atEnd = (thread: Thread) => {
      const told = repeats ? { repeats } : {};
      if (begin === null || begun.has(thread)) return told;
      begun.add(thread);
      return { ...told, begin };
    };
    const body = new ThreadedBody(this.threads, 'local', start, () => null, atEnd);
    try {
      return await body.whole(pieces);
    } finally {
      body.close();
    }
  }

  close(): void {
    this.#own?.close();
  }
}
