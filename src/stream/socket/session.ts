/**
 * One connection of a stream: rows in, a verdict for each window out.
 *
 * The server keeps nothing of a stream but the answers to its windows, each under an idempotency key made of the stream's id and
 * the window's number, with the numbers of its rows. So a client may go on at any process: the answer to the last window that it
 * has seen says where. A window that was judged without the client hearing of it is answered again as it was, with the rows that it
 * had then, and the next one begins behind them.
 */
import { createHash } from 'node:crypto';
import { Format } from '../../../assembly/abi.ts';
import { PLANS } from '../../account/plans.ts';
import { type ErrorCode, IdempotencyConflict, quoted, Rejection } from '../../terms/errors.ts';
import { ID_RANDOM_BYTES, requestId } from '../../names/request-id.ts';
import type { ScreenDependencies, Screened } from '../../screen/screen.ts';
import { StageClock } from '../../screen/stages.ts';
import { type Account, DELETED, type RateStore } from '../../stores/ports.ts';
import { withTimeout } from '../../time/with-timeout.ts';
import { screenWindow } from '../window/screen-window.ts';
import { clientFrameIn, type OpenFrame, type ServerFrame } from './frames.ts';
import { reservedBytes, RowBuffer } from './row-buffer.ts';
import type { StreamBytes } from './stream-bytes.ts';

export interface SessionDependencies extends ScreenDependencies {
  rates: RateStore;
  buffered: StreamBytes;
  /** A window was answered. */
  screened(screened: Screened, account: Account, clock: StageClock, ms: number): void;
  /** An error that is no rejection. */
  bug(error: unknown): void;
  /** Whether it was opened with the token of a session. */
  isPerson: boolean;
  /** Looks at the key again for each window; `key`: of the first frame. Throws `Rejection`. */
  account(key: string | null): Promise<Account>;
}

/** The connection to the client. */
export interface Outlet {
  send(frame: ServerFrame): void;
  flushed(): Promise<void>;
  pause(): void;
  resume(): void;
  /** `code`: of the error that ends it; null after `closed`. */
  close(code: ErrorCode | null, reason: string): void;
}

/** A client that does not read a verdict for so long is cut off. */
export const UNREAD_MS = 60_000;
const ROWS_MARK = 'X-Stream-Rows';
const LEASE_MS = 1000;

export class Session {
  readonly #outlet: Outlet;
  readonly #deps: SessionDependencies;
  #open: OpenFrame | null = null;
  /** That the bytes of the stream are reserved for; null: none are. */
  #account: string | null = null;
  #stream = '';
  /** Of the next window. */
  #window = 1;
  #firstRow = 0;
  #rows: RowBuffer | null = null;
  /** When the first row of the next window came, in ms. */
  #since = 0;
  #isEnding = false;
  #isStopping = false;
  #isOver = false;
  #wake = () => {};
  /** Resolves when nothing of the connection is left. */
  ended: Promise<void> = Promise.resolve();

  constructor(outlet: Outlet, deps: SessionDependencies) {
    this.#outlet = outlet;
    this.#deps = deps;
  }

  // ---- from the client ----

  text(text: string): void {
    if (this.#isOver || this.#isEnding) return;
    try {
      const frame = clientFrameIn(text, this.#deps.maxBodyBytes);
      if (frame.type === 'open') this.#begin(frame.open);
      else this.#finish();
    } catch (error) {
      this.#fail(error);
    }
  }

  bytes(bytes: Uint8Array): void {
    if (this.#isOver) return;
    try {
      if (this.#rows === null || this.#isEnding)
        throw new Rejection('INVALID_PARAMETER', 'Rows come after the open frame and before the end frame');
      if (this.#rows.rows === 0) this.#since = performance.now();
      this.#rows.add(bytes);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#rows.isFull) this.#outlet.pause();
    this.#wake();
  }

  /** The process stops: what is being screened is answered, and the client goes on elsewhere. */
  stop(): void {
    this.#isStopping = true;
    if (this.#open === null) this.#fail(stopping());
    this.#wake();
  }

  /** The open frame has not come in time. */
  late(): void {
    this.#fail(new Rejection('REQUEST_TIMEOUT', 'The open frame did not come in time'));
  }

  /** The connection has gone. */
  closed(): void {
    this.#isOver = true;
    this.#wake();
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  // ---- the stream ----

  #begin(open: OpenFrame): void {
    if (this.#open !== null) throw new Rejection('INVALID_PARAMETER', 'The stream is open already');
    this.#open = open;
    // Nobody's rows are read before the key is checked.
    this.#outlet.pause();
    this.ended = this.#run(open)
      .catch(error => this.#fail(error))
      .finally(() => {
        if (this.#account !== null) this.#deps.buffered.give(this.#account, reservedBytes(open.window));
      });
  }

  #finish(): void {
    if (this.#rows === null) throw new Rejection('INVALID_PARAMETER', 'The first frame must be an open');
    this.#isEnding = true;
    this.#rows.finish();
    this.#wake();
  }

  async #run(open: OpenFrame): Promise<void> {
    await this.#place(open);
    const { format, delimiter } = open.contentType;
    const rows = new RowBuffer({ isCsv: format === Format.CSV, delimiter }, open.window);
    this.#rows = rows;
    this.#outlet.send({ type: 'opened', stream: this.#stream, next_row: this.#firstRow });
    this.#outlet.resume();
    for (let count = await this.#ready(rows, open); count > 0; count = await this.#ready(rows, open)) {
      const account = await this.#takeRate(open);
      if (account === null) break;
      const taken = await this.#screen(rows, open, count, account);
      this.#since = performance.now();
      this.#firstRow += taken;
      this.#window++;
      if (!rows.isFull) this.#outlet.resume();
    }
    if (this.#isOver) return;
    if (this.#isStopping) throw stopping();
    this.#outlet.send({ type: 'closed' });
    this.#isOver = true;
    this.#outlet.close(null, 'closed');
  }

  /** Where a stream that goes on has got to. Throws `Rejection`. */
  async #place({ key, resume, sameAs, window }: OpenFrame): Promise<void> {
    const { now, random, idempotency } = this.#deps;
    const account = await this.#deps.account(key);
    this.#reserve(account.id, reservedBytes(window));
    this.#stream = resume?.stream ?? `str_${requestId(now(), random(ID_RANDOM_BYTES)).slice('req_'.length)}`;
    if (resume === null || resume.window === 0) return;
    this.#window = resume.window + 1;
    const name = keyOf(this.#stream, resume.window);
    const claim = Buffer.from(random(16)).toString('hex');
    const requestSha256 = digestOf(name, sameAs);
    const lease = { requestSha256, claim, now: now(), expiresAt: now() + LEASE_MS };
    const found = await idempotency.claim(account.id, name, lease);
    if (found === 'claimed' || 'unfinished' in found) {
      await idempotency.unclaim(account.id, name, claim);
      throw new Rejection(
        'NOT_FOUND',
        `No window ${resume.window} of ${resume.stream} was answered in the last 24 hours`,
      );
    }
    if (found.requestSha256 !== requestSha256)
      throw new Rejection(
        'INVALID_PARAMETER',
        'A resumed stream must have the source, format and options of its first connection',
      );
    if (found.answer === null || found.answer === DELETED)
      throw new Rejection(
        'NOT_FOUND',
        `The answer to window ${resume.window} is no longer stored: begin a new stream`,
      );
    this.#firstRow = rowsIn(found.answer.headers).last + 1;
  }

  /** Throws `Rejection`. */
  #reserve(account: string, bytes: number): void {
    const { buffered } = this.#deps;
    if (!buffered.take(bytes)) throw tooMany();
    if (!buffered.assign(account, bytes)) {
      buffered.give(null, bytes);
      throw tooManyOfAccount();
    }
    this.#account = account;
  }

  /** How many rows the next window has; 0 at the end. */
  async #ready(rows: RowBuffer, { window }: OpenFrame): Promise<number> {
    for (;;) {
      if (this.#isOver || this.#isStopping) return 0;
      if (rows.full > 0) return rows.full;
      if (this.#isEnding) return rows.most;
      const leftMs = rows.rows === 0 ? null : this.#since + window.ms - performance.now();
      if (leftMs !== null && leftMs <= 0) return rows.most;
      await this.#wait(leftMs);
    }
  }

  /** A stream takes its turn as requests do, but waits for it; null if it ends first. */
  async #takeRate({ key }: OpenFrame): Promise<Account | null> {
    const { rates, now, sleep } = this.#deps;
    while (!this.#isOver && !this.#isStopping) {
      const account = await this.#deps.account(key);
      const { allowed, waitSeconds } = await rates.take(account.id, PLANS[account.plan], now());
      if (allowed) return account;
      await sleep(Math.min(waitSeconds, 1) * 1000);
    }
    return null;
  }

  /** Screens a window of `count` rows and tells the client; how many rows it had when it was first judged. */
  async #screen(rows: RowBuffer, open: OpenFrame, count: number, account: Account): Promise<number> {
    const { source, options, contentType, sameAs } = open;
    const since = performance.now();
    const clock = new StageClock();
    const name = keyOf(this.#stream, this.#window);
    const screened = await this.#again(() =>
      screenWindow(
        {
          account,
          isPerson: this.#deps.isPerson,
          contentType,
          named: { source, options },
          body: rows.body(count),
          key: name,
          digest: digestOf(name, sameAs),
          marks: { [ROWS_MARK]: `${this.#firstRow}-${this.#firstRow + count - 1}` },
          clock,
        },
        this.#deps,
      ),
    );
    const { first, last } = rowsIn(screened.headers);
    if (first !== this.#firstRow)
      throw new Error(`The answer to window ${name} begins with row ${first} instead of ${this.#firstRow}`);
    this.#deps.screened(screened, account, clock, performance.now() - since);
    const taken = last - first + 1;
    await this.#dropAll(rows, taken);
    if (this.#isOver) return taken;
    const { report } = screened;
    this.#outlet.send({ type: 'verdict', window: this.#window, first_row: first, last_row: last, report });
    await withTimeout(this.#outlet.flushed(), UNREAD_MS, unread);
    return taken;
  }

  /** The window was larger when it was judged: the rest of its rows are still to come. */
  async #dropAll(rows: RowBuffer, taken: number): Promise<void> {
    for (let left = taken; left > 0 && !this.#isOver; ) {
      const here = Math.min(left, rows.rows);
      if (here > 0) rows.drop(here);
      left -= here;
      if (left === 0) return;
      if (this.#isEnding || this.#isStopping) return;
      this.#outlet.resume();
      await this.#wait(null);
    }
  }

  /** Another connection of the same stream may be at this window. */
  async #again(screen: () => Promise<Screened>): Promise<Screened> {
    for (;;)
      try {
        return await screen();
      } catch (error) {
        if (!(error instanceof IdempotencyConflict)) throw error;
        const { code, why } = error;
        if (why !== 'running') throw new Rejection(code, CONFLICTS[why]);
        if (this.#isOver) throw error;
      }
  }

  #fail(error: unknown): void {
    if (!(error instanceof Rejection)) this.#deps.bug(error);
    if (this.#isOver) return;
    this.#isOver = true;
    const { code, message } =
      error instanceof Rejection ? error : new Rejection('INTERNAL', 'Something went wrong on our side');
    this.#outlet.send({
      type: 'error',
      message: this.#open === null ? message : this.#placed(message),
      code,
    });
    this.#outlet.close(code, message);
    this.#wake();
  }

  /** Lines of a message count within the window. */
  #placed(message: string): string {
    return this.#stream === ''
      ? message
      : `${message} (${quoted(this.#stream)}, window ${this.#window}, from row ${this.#firstRow})`;
  }

  /** Until something has come, or for so long. */
  #wait(ms: number | null): Promise<void> {
    return new Promise(resolve => {
      const timer = ms === null ? undefined : setTimeout(resolve, Math.ceil(ms));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Nobody who sends a stream has sent an Idempotency-Key. */
const CONFLICTS: Record<Exclude<IdempotencyConflict['why'], 'running'>, string> = {
  'other request':
    'This window was answered in the last 24 hours with another source, format or options: begin a new stream',
  deleted:
    'This window was answered, and its answer was deleted to make room for newer ones: begin a new stream',
};

const keyOf = (stream: string, window: number): string => `${stream}-${window}`;

/** Not of the rows: the first answer to a window counts, whatever is sent again. */
const digestOf = (name: string, sameAs: string): string =>
  createHash('sha256')
    .update(JSON.stringify([name, sameAs]))
    .digest('hex');

function rowsIn(headers: Record<string, string>): { first: number; last: number } {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(headers[ROWS_MARK] ?? '') ?? [];
  return { first: Number(first), last: Number(last) };
}

const unread = () => new Rejection('REQUEST_TIMEOUT', `No verdict was read for ${UNREAD_MS / 1000} seconds`);

const stopping = () =>
  new Rejection('SERVICE_UNAVAILABLE', 'This process is stopping: connect again and resume the stream');

const tooManyOfAccount = () =>
  new Rejection(
    'RATE_LIMITED',
    'The account has too many streams open on this process: end one, or set a smaller window.bytes',
    { 'Retry-After': '1' },
  );

const tooMany = () =>
  new Rejection('SERVICE_UNAVAILABLE', 'Too many streams are open here; try again in a moment', {
    'Retry-After': '1',
  });
