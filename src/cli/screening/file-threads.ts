/** The threads of this command. A small file is parsed and judged in this one; a large one gets threads of its own, and this one reads it. */
import { availableParallelism } from 'node:os';
import type { CompiledEngine, Engine } from '../../engine/engine.ts';
import { RecordStarts } from '../../engine/record-starts.ts';
import { parseOptions } from '../../options/options.ts';
import type { TaskSettings } from '../../threads/source-tasks.ts';
import { mergeStates, type SlicePlace, type State } from '../../states/state.ts';
import { Tasks } from '../../threads/tasks.ts';
import { InlineThread, WorkerThread } from '../../threads/thread.ts';
import { ThreadedBody } from '../../threads/threaded-body.ts';
import { Threads } from '../../threads/threads.ts';
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

/** Known to all, so that what was measured in one place can be compared with what was measured in another. */
export const SALT = new Uint8Array(32);

type NamedParts = Pick<FileBatch, 'pieces' | 'number'> & { format: FileFormat; source: string };

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
    await this.#read(batch);
  }

  /** Measures a batch as a slice of its file, which is this part of a larger batch. Throws `Rejection`. */
  async measure(
    batch: NamedParts & Pick<FileBatch, 'rowsBefore' | 'linesBefore'>,
    part: number,
  ): Promise<void> {
    await this.#read(batch, { part, row: batch.rowsBefore, line: batch.linesBefore });
  }

  /** What all slices together say; null without one. */
  async takeState(): Promise<State | null> {
    const each = [this.#inline, ...(this.#own ? [this.#own] : [])];
    const states = (await Promise.all(each.map(threads => threads.askEach('takeState', undefined)))).flat();
    return states.reduce((a, b) => (a && b ? mergeStates(a, b) : (a ?? b)), null);
  }

  async #read({ pieces, format, number, source }: NamedParts, slice?: SlicePlace): Promise<void> {
    const { delimiter, isDelimiterGiven } = format;
    const start = {
      ...{ format: format.format, delimiter, isDelimiterGiven: isDelimiterGiven || number > 1 },
      ...{ salt: SALT, named: { source, options: parseOptions({}) } },
      ...(slice && { slice }),
    };
    const body = new ThreadedBody(this.threads, 'local', start, () => null);
    try {
      await body.whole(pieces);
    } finally {
      body.close();
    }
  }

  close(): void {
    this.#own?.close();
  }
}
