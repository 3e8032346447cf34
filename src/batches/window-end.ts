/**
 * The end of windows. A window ends with its last row, when its time is over, or when its source is told so; then it is judged, learned, counted in history and alerted as any batch, once, by
 * whichever process sees it first. What ends it is in the database: a window that no process has seen end is found by the next one that looks.
 */
import { IdempotencyConflict, Rejection } from '../terms/errors.ts';
import type { WindowDependencies } from './dependencies.ts';
import { finishWindow } from './finish.ts';

const LOOK_EVERY_MS = 1000;
/** Judged one after the other. */
const AT_ONCE = 20;
/** When one that could not be judged is tried again. */
const AGAIN_MS = 60_000;

interface EndedWindow {
  id: string;
  account: string;
}

export class WindowEnds {
  readonly #deps: () => WindowDependencies;
  readonly #finishing = new Map<string, Promise<void>>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking: Promise<void> | null = null;

  constructor(deps: () => WindowDependencies) {
    this.#deps = deps;
  }

  /** Looks for windows that are due, now and every second. Does not keep the process alive. */
  start(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Waits for those that are being judged. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#looking, ...this.#finishing.values()]);
  }

  /** Judges windows that are due. Never two looks at once. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Ends the open window of a source, or those of all sources (null), and judges them. Throws `Rejection` SERVICE_UNAVAILABLE. */
  async endOf(account: string, source: string | null): Promise<void> {
    const { windows, now } = this.#deps();
    for (const id of await windows.endOf(account, source, now())) await this.finish({ id, account });
  }

  /** Judges a window that has ended. If that fails, it is tried again. */
  finish(window: EndedWindow): Promise<void> {
    const { id } = window;
    const known = this.#finishing.get(id);
    if (known) return known;
    const finishing = this.#finish(window).finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, finishing);
    return finishing;
  }

  async #look(): Promise<void> {
    const { windows, now, log } = this.#deps();
    try {
      for (const window of await windows.due(now(), AT_ONCE)) await this.finish(window);
    } catch (error) {
      if (!(error instanceof Rejection)) log.error({ err: error }, 'bug');
    }
  }

  async #finish({ id, account: owner }: EndedWindow): Promise<void> {
    const deps = this.#deps();
    try {
      const account = await deps.accounts.account(owner);
      if (account) await finishWindow(account, id, deps);
    } catch (error) {
      // Another process is judging it, or a store is away: the next look finds out.
      if (passesSoon(error)) return;
      // The message of a rejection may name fields.
      const why = error instanceof Rejection ? { code: error.code } : { err: error };
      deps.log.error({ ...why, batch: id }, 'a window could not be judged; it is tried again in a minute');
      await deps.windows.postpone(id, deps.now() + AGAIN_MS).catch(() => {});
    }
  }
}

/** Whether the next look may find it done. */
const passesSoon = (error: unknown): boolean =>
  error instanceof IdempotencyConflict
    ? error.why === 'running'
    : error instanceof Rejection && error.code === 'SERVICE_UNAVAILABLE';
