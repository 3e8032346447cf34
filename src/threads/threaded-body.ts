/**
 * The body of one batch on its way into a thread. It is parsed while it arrives as long as no other batch wants the thread. Otherwise its bytes are kept here until
 * it is complete: so a slow upload keeps no thread from others. Parsing is so much faster than a network that beginning again costs almost nothing.
 */
import { type KeptBytes, processKeptBytes } from './kept-bytes.ts';
import type { AdoptOrder, Parsed, ParseOrder } from './tasks.ts';
import type { BodyStart } from './parsed-batch.ts';
import type { Thread } from './thread.ts';
import { type Slot, type Threads, unavailable, type Want } from './threads.ts';

/** A body of fewer bytes is parsed at once when it is complete: each message to a thread has its cost. */
const EARLY_BYTES = 256 * 1024;
/** A complete body of so many bytes is small: it takes no thread for long. */
const SMALL_BYTES = 64 * 1024;
/** So many bytes wait for a thread that parses what came before them; then the client waits too. */
const AHEAD_BYTES = 1024 * 1024;
/** A client may send single bytes, and each piece is an object: so many are joined. */
const MAX_PIECES = 256;

/** What a thread is told with the last bytes. */
type AtEnd = Pick<ParseOrder, 'judge' | 'begin' | 'repeats'>;

export class ThreadedBody {
  /** Time spent waiting for a thread, in ms. */
  waitedMs = 0;
  readonly #threads: Threads;
  readonly #account: string;
  readonly #start: BodyStart;
  #key: string | null;
  readonly #keyIn: (beginning: Uint8Array) => string | null;
  readonly #atEnd: (thread: Thread) => AtEnd;
  readonly #kept: KeptBytes;
  #slot: Slot | null = null;
  /** Whether the thread knows of this body. */
  #isBegun = false;
  /** Parsing what came before: resolves when the thread has answered, whatever it answers. */
  #parsing: Promise<void> | null = null;
  /** What the thread refused. */
  #refused: { error: unknown } | null = null;
  /** Another batch wants the thread. */
  #isWanted = false;
  #isClosed = false;
  /** Resolves when a thread has given its bytes back. */
  #returned: Promise<void> = Promise.resolve();
  /** Bytes that no thread has. */
  #pieces: Uint8Array[] = [];
  /** How many of the first pieces were joined from smaller ones. */
  #joined = 0;
  #pieceBytes = 0;
  #parsedBytes = 0;
  #adopted: AdoptOrder | null = null;

  /**
   * `keyIn`: finds the key of account and source in the first bytes of the body; null if it is not there. `atEnd`: asked for what this thread is told with the last bytes.
   */
  constructor(
    threads: Threads,
    account: string,
    start: BodyStart,
    keyIn: (beginning: Uint8Array) => string | null,
    atEnd: (thread: Thread) => AtEnd = () => ({}),
    kept = processKeptBytes,
  ) {
    this.#threads = threads;
    this.#account = account;
    this.#start = start;
    this.#key = null;
    this.#keyIn = keyIn;
    this.#atEnd = atEnd;
    this.#kept = kept;
  }

  /** The thread that has the body, if one has. */
  get thread(): Thread | null {
    return this.#slot?.thread ?? null;
  }

  /** Takes the next bytes, which are parsed while others come. Throws `Rejection` for what the thread refuses of this or of earlier ones. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#check();
    // A small body needs hardly any room: it never waits for large ones.
    if (!this.#slot && this.#pieceBytes + bytes.length > SMALL_BYTES) await this.#kept.room(this);
    if (!this.#slot && this.#pieces.length === 0) this.#key ??= this.#keyIn(bytes);
    this.#keep(bytes);
    if (!this.#slot && this.#pieceBytes >= EARLY_BYTES && !this.#isWanted) {
      const slot = this.#threads.free(this.#want(false));
      if (slot) this.#occupy(slot);
    }
    this.#parseOn();
    while (this.#parsing && this.#pieceBytes >= AHEAD_BYTES) await this.#parsing;
    this.#check();
  }

  /** The client pauses. What is here is parsed, because the client may be waiting for our refusal. */
  async pause(): Promise<void> {
    this.#kept.letOthersGo(this);
    while (this.#parsing) await this.#parsing;
    this.#check();
    await this.#returned;
    if (!this.#slot && this.#pieceBytes === this.#parsedBytes) return;
    const slot = this.#slot ?? this.#threads.free(this.#want(false));
    // Without a free thread it is parsed in a later pause, or at its end.
    if (!slot) return;
    if (!this.#slot) this.#occupy(slot);
    await this.#parse({ isPausing: true });
  }

  /** The body is complete. Throws `Rejection`. May be called again after `giveBack`. */
  async end(): Promise<Parsed> {
    await this.#returned;
    if (!this.#slot) this.#occupy(await this.#acquire());
    this.#slot!.interrupt = null;
    this.#isWanted = false;
    if (this.#adopted) return this.#adopt(this.#adopted);
    const parsed = this.#parse({ isLast: true, ...this.#atEnd(this.#slot!.thread) });
    parsed.catch(() => {});
    await this.#parsing;
    this.#check();
    return (await parsed)!;
  }

  /** Takes a whole body. Throws `Rejection`. */
  whole(pieces: readonly Uint8Array[]): Promise<Parsed> {
    for (const piece of pieces) this.#keep(piece);
    return this.end();
  }

  /** Takes a batch whose rows were measured in slices, in place of bytes. */
  adopt(order: AdoptOrder, key: string): Promise<Parsed> {
    this.#adopted = order;
    this.#key = key;
    return this.end();
  }

  async #adopt(order: AdoptOrder): Promise<Parsed> {
    this.#isBegun = true;
    try {
      return await this.#slot!.thread.ask('adopt', order);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Gives the thread to others, and takes the bytes back for a later `end`. */
  giveBack(): Promise<void> {
    const slot = this.#slot;
    if (!slot) return this.#returned;
    this.#slot = null;
    this.#returned = this.#takeBack(slot);
    this.#returned.catch(() => {});
    return this.#returned;
  }

  /** All its bytes, which are kept here until it is closed: it will not be parsed. */
  async bytes(): Promise<readonly Uint8Array[]> {
    while (this.#parsing) await this.#parsing;
    this.#check();
    await this.giveBack();
    return this.#pieces;
  }

  /** Ends everything. What a thread has parsed of a batch that is not judged is given up. */
  close(): void {
    if (this.#isBegun) this.#slot?.thread.ask('forget', undefined).catch(() => {});
    this.release();
  }

  /** The batch is judged: others may have its thread. */
  release(): void {
    this.#isClosed = true;
    this.#forget();
    this.#slot?.release();
    this.#slot = null;
  }

  async #takeBack(slot: Slot): Promise<void> {
    try {
      // What was measured in slices is still here.
      if (this.#adopted) return;
      const bytes = await slot.thread.ask('received', undefined);
      if (this.#isClosed) return;
      this.#parsedBytes = bytes.length;
      this.#keep(bytes, true);
    } catch (error) {
      throw unavailable(error);
    } finally {
      slot.release();
    }
  }

  #want(isSmall: boolean): Want {
    return { account: this.#account, key: this.#key, isSmall };
  }

  async #acquire(): Promise<Slot> {
    const since = performance.now();
    try {
      return await this.#threads.acquire(this.#want(this.#pieceBytes <= SMALL_BYTES));
    } finally {
      this.waitedMs += performance.now() - since;
    }
  }

  #occupy(slot: Slot): void {
    this.#slot = slot;
    this.#isBegun = false;
    this.#isWanted = false;
    slot.interrupt = () => {
      this.#isWanted = true;
      if (!this.#parsing) this.giveBack();
    };
  }

  /** Parses what is here without being waited for; what comes meanwhile follows at once. */
  #parseOn(): void {
    if (!this.#slot || this.#parsing || this.#pieces.length === 0) return;
    this.#parsing = this.#parse({}).then(
      () => this.#parsedOn(),
      error => {
        this.#parsing = null;
        this.#refused = { error };
      },
    );
  }

  #parsedOn(): void {
    this.#parsing = null;
    if (this.#isWanted) this.giveBack();
    else this.#parseOn();
  }

  #check(): void {
    if (this.#refused) throw this.#refused.error;
  }

  async #parse(order: Omit<ParseOrder, 'start' | 'pieces'>): Promise<Parsed | null> {
    const pieces = this.#pieces.length > MAX_PIECES ? [joined(this.#pieces)] : this.#pieces.map(owned);
    this.#forget();
    const asked = { ...order, pieces, ...(!this.#isBegun && { start: this.#start }) };
    this.#isBegun = true;
    try {
      const buffers = pieces.map(({ buffer }) => buffer);
      return await this.#slot!.thread.ask('parse', asked, buffers);
    } catch (error) {
      throw unavailable(error);
    }
  }

  #keep(bytes: Uint8Array, isFirst = false): void {
    this.#kept.add(bytes.length);
    if (isFirst) {
      this.#pieces.unshift(bytes);
      this.#joined++;
    } else this.#pieces.push(bytes);
    if (this.#pieces.length - this.#joined >= MAX_PIECES) {
      this.#pieces.push(joined(this.#pieces.splice(this.#joined)));
      this.#joined++;
    }
    this.#pieceBytes += bytes.length;
  }

  #forget(): void {
    const bytes = this.#pieceBytes;
    this.#pieces = [];
    this.#joined = 0;
    this.#pieceBytes = this.#parsedBytes = 0;
    this.#kept.remove(this, bytes);
  }
}

/** In a buffer of its own. */
function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((bytes, { length }) => bytes + length, 0));
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.length;
  }
  return all;
}

/** Bytes that are all of their buffer, which a thread may take: a message would copy the whole buffer of a part. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
