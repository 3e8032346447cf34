/** One process on a store of baselines, with a single thread that is the caller's: loads and learns without a batch in an engine. */
import type { Baseline } from '../../src/baseline/baseline.ts';
import { encodeState } from '../../src/baseline/encode-state.ts';
import type { Content } from '../../src/baseline/source-content.ts';
import { Sources } from '../../src/baseline/sources.ts';
import type { BatchState } from '../../src/baseline/state.ts';
import { HISTORY_FITTER, type History } from '../../src/rules/learned/history.ts';
import { Baselines, type SourcePage } from '../../src/sources/baselines.ts';
import type { BaselineStore } from '../../src/stores/ports.ts';
import { type SourceOrder, SourceTasks } from '../../src/threads/source-tasks.ts';
import { InlineThread } from '../../src/threads/thread.ts';
import { keyOf, Threads } from '../../src/threads/threads.ts';

const SETTINGS = { sampleRows: 1000, defaultMode: 'contract', storeValues: true } as const;

class ReplicaTasks extends SourceTasks {
  readonly #learning = new Map<string, { state: BatchState; bytes: Uint8Array }>();

  judged(state: BatchState): Uint8Array {
    const bytes = encodeState(state);
    this.#learning.set(state.id, { state, bytes });
    return bytes;
  }

  written({ key, id, isLearned }: { key: string; id: string; isLearned: boolean }): boolean {
    const { state, bytes } = this.#learning.get(id)!;
    if (!isLearned) return false;
    this.sources.learned(key, { id, state: bytes }, state);
    this.sources.next(key);
    return this.sources.hasLongTail(key);
  }

  contentOf(order: SourceOrder) {
    return this.about(order, content => content);
  }
}

export interface ReplicaOptions {
  /** Memory for what is held. */
  maxBytes?: number;
  /** May put off what follows a batch. */
  later?: (work: () => Promise<void>) => unknown;
}

export class Replica {
  readonly baselines: Baselines;
  readonly #threads: Threads;
  readonly #thread: InlineThread;
  readonly #tasks: ReplicaTasks;
  readonly #store: BaselineStore;
  readonly #later: NonNullable<ReplicaOptions['later']>;

  constructor(store: BaselineStore, { maxBytes, later = work => work() }: ReplicaOptions = {}) {
    this.#store = store;
    this.#later = later;
    this.#tasks = new ReplicaTasks(SETTINGS, new Sources<History>(HISTORY_FITTER, maxBytes));
    this.#thread = new InlineThread(this.#tasks);
    this.#threads = new Threads(() => this.#thread, 1);
    this.baselines = new Baselines(store, this.#threads, console);
  }

  async content(account: string, source: string): Promise<Content> {
    const read = (since: Parameters<BaselineStore['read']>[2] | null) =>
      this.#store.read(account, source, since ?? undefined);
    // A task of this class only.
    const asked = this.#threads.ask('contentOf' as 'summarise', { key: keyOf(account, source) }, read);
    return asked as unknown as Promise<Content>;
  }

  async load(account: string, source: string): Promise<Baseline | null> {
    return (await this.content(account, source)).baseline;
  }

  async learn(account: string, source: string, state: BatchState): Promise<void> {
    const entry = { id: state.id, state: this.#tasks.judged(state) };
    const isLearned = await this.baselines.learn(account, source, entry);
    const learned = { id: state.id, isLearned };
    await this.#later(() => this.baselines.written(this.#thread, account, source, learned));
  }

  sources(account: string, after: string | null, limit: number): Promise<SourcePage> {
    return this.baselines.sources(account, after, limit);
  }

  reset(account: string, source?: string): Promise<void> {
    return this.baselines.reset(account, source);
  }
}
