/** An open window, as one process adds to it. */
import { parseOptions } from '../options/options.ts';
import type { WindowSettings } from '../options/settings.ts';
import { type MeasuredFor, printOf } from '../states/bytes/state-bytes.ts';
import type { Account, OpenWindow, SourceNotes, StoredBatch } from '../stores/ports.ts';
import { Rejection } from '../terms/errors.ts';
import type { WindowPost } from '../threads/post-alone.ts';
import type { Thread } from '../threads/thread.ts';
import { keyOf } from '../threads/threads.ts';
import type { BeginOrder } from '../threads/whole-batch.ts';
import { FOLDED_FROM, type MeasuredPosts } from '../threads/window-posts.ts';
import { newBatch } from './batch.ts';
import { decodeBegun } from './begun.ts';
import { beginOf } from './body.ts';
import type { WindowDependencies } from './dependencies.ts';
import { foldStored } from './fold.ts';
import { WINDOW_BOUNDS } from './limits.ts';

/** Numbers of states that are taken at once. */
const NUMBERS = 64;
/** States of this many bytes, encoded, become one before there are many of them. */
const FOLDED_BYTES = 1024 * 1024;
/** Bodies of fewer bytes take no thread for long. */
const SMALL_BYTES = 64 * 1024;

export class OpenedWindow {
  readonly id: string;
  rows: number;
  readonly #mostRows: number;
  readonly #dueAt: number;
  readonly #account: string;
  readonly #key: string;
  readonly #measuredFor: MeasuredFor;
  readonly #begin: BeginOrder;
  readonly #deps: WindowDependencies;
  /** Threads that know what it begins with. */
  readonly #told = new WeakSet<Thread>();
  /** The next number that is ours, and the first that is not. */
  #numbers = { next: 0, end: 0 };
  /** Where the last states were measured, and what they are since they became one. */
  #thread: Thread | null = null;
  #states = 0;
  #stateBytes = 0;

  constructor(window: OpenWindow, batch: StoredBatch, account: Account, deps: WindowDependencies) {
    const stored = decodeBegun(batch.begun);
    const named = { source: batch.source, options: parseOptions(undefined) };
    this.id = window.id;
    this.rows = window.rows;
    this.#mostRows = window.mostRows;
    this.#dueAt = window.dueAt;
    this.#account = account.id;
    this.#key = keyOf(account.id, batch.source);
    this.#measuredFor = {
      salt: printOf(account.salt),
      rules: printOf(JSON.stringify([null, stored.notes.rules])),
      ...{ source: batch.source, generation: stored.generation },
    };
    this.#begin = { ...beginOf(account, named, stored, batch.createdAt), isByIndex: true };
    this.#deps = deps;
  }

  /** Whether it takes no more posts. `now`: in ms. */
  isOver(now: number): boolean {
    return isOver({ dueAt: this.#dueAt, rows: this.rows, mostRows: this.#mostRows }, now);
  }

  /** For a state, or for several that become one. */
  async number(): Promise<number> {
    if (this.#numbers.next === this.#numbers.end) {
      const next = await this.#deps.windows.takeNumbers(this.id, NUMBERS);
      this.#numbers = { next, end: next + NUMBERS };
    }
    return this.#numbers.next++;
  }

  /** As many of the posts as it has room for. `notes`: of the source, as it is now. Throws what the thread throws, and `ThreadEnded`. */
  async measure(
    part: number,
    posts: readonly WindowPost[],
    notes: Pick<SourceNotes, 'settings' | 'rules'>,
  ): Promise<MeasuredPosts> {
    const { threads } = this.#deps;
    const isSmall = bytesIn(posts) <= SMALL_BYTES;
    const slot = await threads.acquire({ account: this.#account, key: this.#key, isSmall });
    const { thread } = slot;
    const ask = (hasBegin: boolean) => {
      // The thread takes them, and they may be needed again.
      const copies = posts.map(post => ({
        ...post,
        pieces: post.pieces.map(piece => new Uint8Array(piece)),
      }));
      const room = this.#mostRows - this.rows;
      const order = { window: this.id, measuredFor: this.#measuredFor, part, room, notes, posts: copies };
      const buffers = copies.flatMap(({ pieces }) => pieces.map(({ buffer }) => buffer));
      return thread.ask('measurePosts', hasBegin ? { ...order, begin: this.#begin } : order, buffers);
    };
    try {
      const measured = (await ask(!this.#told.has(thread))) ?? (await ask(true))!;
      this.#told.add(thread);
      threads.settle(thread, this.#key);
      if (this.#thread !== thread) this.#forgetStates();
      this.#thread = thread;
      return measured;
    } finally {
      slot.release();
    }
  }

  /** A state is stored, and now there are so many rows. */
  async added(rows: number, stateBytes: number): Promise<void> {
    this.rows = rows;
    this.#states++;
    this.#stateBytes += stateBytes;
    if (this.#states >= FOLDED_FROM || this.#stateBytes >= FOLDED_BYTES) await this.fold();
  }

  /** States that were measured here become one. */
  async fold(): Promise<void> {
    this.#forgetStates();
    const folded = await this.#thread?.ask('foldWindow', { window: this.id });
    if (folded) await this.#deps.windows.fold(this.id, folded.numbers, await this.number(), folded.state);
    void foldStored(this.id, () => this.number(), this.#deps);
  }

  #forgetStates(): void {
    this.#states = this.#stateBytes = 0;
  }
}

export const bytesIn = (posts: readonly WindowPost[]): number =>
  posts.reduce((sum, { pieces }) => sum + pieces.reduce((all, { length }) => all + length, 0), 0);

const isOver = ({ dueAt, rows, mostRows }: Omit<OpenWindow, 'id'>, now: number): boolean =>
  now >= dueAt || rows >= mostRows;

/** The open window of a source: one that there is, or a new one. `end`: ends one that is over. Throws `Rejection` BATCH_LIMIT, SERVICE_UNAVAILABLE. */
export async function openWindow(
  { account, source, settings }: { account: Account; source: string; settings: WindowSettings },
  end: (id: string) => Promise<void>,
  deps: WindowDependencies,
): Promise<OpenedWindow> {
  const now = deps.now();
  let found: OpenWindow | 'full' | null = await deps.windows.find(account.id, source);
  if (found && isOver(found, now)) {
    await end(found.id);
    found = null;
  }
  if (found === null) {
    const stored = await deps.baselines.readAll(account.id, source);
    const batch = newBatch({ account: account.id, source, options: null }, stored, now, settings.ms, deps);
    const ends = { dueAt: now + settings.ms, mostRows: settings.rows };
    found = await deps.windows.open(batch, ends, WINDOW_BOUNDS);
  }
  if (found === 'full') throw full();
  const batch = await deps.batches.find(account.id, found.id);
  if (batch === null) throw gone();
  return new OpenedWindow(found, batch, account, deps);
}

const gone = (): Rejection =>
  new Rejection(
    'SERVICE_UNAVAILABLE',
    'The window of the source ended at this moment: send the request again',
    {
      'Retry-After': '1',
    },
  );

export const full = (): Rejection =>
  new Rejection(
    'BATCH_LIMIT',
    `What is kept of the account's open windows may have ${WINDOW_BOUNDS.bytes / 1024 / 1024} MiB: set shorter windows, or fewer`,
  );
