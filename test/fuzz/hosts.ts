/** The processes that inputs are played to: the real server, or a reader of one format. Measures what each input made them do. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exchange } from './exchange.ts';
import { HEALTH, type HealthStart } from './health-thread.ts';
import { bytesOf, type Input } from './input.ts';
import type { Played } from './plays.ts';

export interface Outcome extends Played {
  /** Most resident memory of the process. */
  peakBytes: number;
  /** The process ended, or did not answer in time; it has to be started again. */
  isGone: boolean;
}

export interface HostSettings {
  /** A checkout. */
  root: string;
  /** A reader of `plays.ts`; null: the server. */
  reader: string | null;
  /** File of counters; null: the program is as users have it. */
  counters: string | null;
  /** An input that takes more processor time hangs. */
  hangMs: number;
}

export const FUZZ_KEY = `sluice_live_${'f7'.repeat(16)}`;
/** One step does not end. */
export const HANGS = 'hangs';
/** Processor time of all steps of one input together. */
const MOST_MS = 10_000;
const WORKS_ON = `takes more than ${MOST_MS} ms of processor time in all`;
const LOOK_MS = 250;
/** A server may have much to answer. What has come so far counts, and it is started again. */
const PATIENCE_MS = 20_000;
const INSTRUMENT = join(import.meta.dir, 'instrument.ts');
const HOST = join(import.meta.dir, 'host.ts');
/** Of Linux: the peak of resident memory begins again. */
const RESET_PEAK = '5';

export class Host {
  readonly #settings: HostSettings;
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly #folder: string;
  /** When the step of a reader began, in ms of its processor time. */
  readonly #step: Float64Array;
  #port = 0;
  #health: Float64Array | null = null;
  #prober: Worker | null = null;
  #errors = '';

  private constructor(settings: HostSettings) {
    const { root, reader, counters } = settings;
    this.#settings = settings;
    this.#folder = mkdtempSync(join(tmpdir(), 'sluice-fuzz-'));
    const step = join(this.#folder, 'step');
    writeFileSync(step, new Uint8Array(8));
    this.#step = new Float64Array(Bun.mmap(step, { shared: true }).buffer);
    const command = reader === null ? [join(root, 'src/main.ts')] : [HOST, reader];
    const preload = counters === null ? [] : ['--preload', INSTRUMENT];
    this.#child = Bun.spawn([process.execPath, '--no-orphans', ...preload, ...command], {
      cwd: root,
      env: {
        PATH: process.env.PATH!,
        FUZZ_ROOT: root,
        FUZZ_STEP: step,
        ...(counters !== null && { FUZZ_COUNTERS: counters }),
        PORT: '0',
        DATA_DIR: join(this.#folder, 'data'),
        BOOTSTRAP_API_KEY: FUZZ_KEY,
        BOOTSTRAP_PLAN: 'scale',
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
  }

  static async start(settings: HostSettings): Promise<Host> {
    const host = new Host(settings);
    void host.#readErrors();
    await host.#listening();
    if (settings.reader === null) host.#probe();
    return host;
  }

  get isServer(): boolean {
    return this.#settings.reader === null;
  }

  async play(input: Input): Promise<Outcome> {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, RESET_PEAK);
    this.#health?.fill(0, HEALTH.most, HEALTH.most + 1);
    const [since, computed] = [performance.now(), this.#computedMs()];
    const { promise: late, resolve } = Promise.withResolvers<Played>();
    const timer = setInterval(() => {
      const ms = this.#heldMs();
      if (ms > this.#settings.hangMs) resolve({ ms, problem: HANGS });
      else if (!this.isServer && this.#computedMs() - computed > MOST_MS) resolve({ ms, problem: WORKS_ON });
      else if (performance.now() - since > PATIENCE_MS) resolve({ ms: this.#mostMs(), problem: null });
    }, LOOK_MS);
    let isFinished = false;
    const playing = (this.isServer ? this.#exchange(input) : this.#read(input)).finally(() => {
      isFinished = true;
    });
    // Whoever comes late is not waited for.
    playing.catch(() => {});
    try {
      const played = await Promise.race([playing, late]);
      const peakBytes = this.#peakBytes();
      const isGone = this.#hasEnded || !isFinished;
      return { ...played, peakBytes, isGone };
    } catch (error) {
      // The process needs a moment to be seen as ended.
      const code = await Promise.race([this.#child.exited, Bun.sleep(2000).then(() => null)]);
      const why = code === null ? (error as Error).message : `code ${this.#child.signalCode ?? code}`;
      return { ms: 0, problem: `ends: ${why} ${this.#errors.slice(-500)}`, peakBytes: 0, isGone: true };
    } finally {
      clearInterval(timer);
    }
  }

  async stop(): Promise<void> {
    this.#prober?.terminate();
    this.#child.kill('SIGKILL');
    await this.#child.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #read(input: Input): Promise<Played> {
    const response = await fetch(`http://127.0.0.1:${this.#port}`, { method: 'POST', body: bytesOf(input) });
    return (await response.json()) as Played;
  }

  async #exchange(input: Input): Promise<Played> {
    const problem = await exchange(this.#port, input);
    // The answer to a question that was asked while the server was held.
    await this.#answers(2);
    return { ms: this.#mostMs(), problem };
  }

  async #answers(count: number): Promise<void> {
    const until = this.#health![HEALTH.answers]! + count;
    while (this.#health![HEALTH.answers]! < until && !this.#hasEnded) await Bun.sleep(1);
    if (this.#hasEnded) throw new Error('the server has ended');
  }

  #probe(): void {
    const shared = new SharedArrayBuffer(8 * HEALTH.size);
    this.#health = new Float64Array(shared);
    this.#prober = new Worker(new URL('health-thread.ts', import.meta.url).href);
    this.#prober.postMessage({ port: this.#port, pid: this.#child.pid, shared } satisfies HealthStart);
  }

  /** How long the step that runs now, or the answer that is awaited now, has taken. */
  #heldMs(): number {
    return this.#computedMs() - (this.#health?.[HEALTH.asked] ?? this.#step[0]!);
  }

  #mostMs(): number {
    return this.#health?.[HEALTH.most] ?? 0;
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Processor time of the thread that all wait for. */
  #computedMs(): number {
    const { pid } = this.#child;
    try {
      return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    } catch {
      return 0;
    }
  }

  #peakBytes(): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  }

  /** Reads its output, so that it can go on writing. */
  async #listening(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const read = async () => {
      let output = '';
      for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
        output = this.#port === 0 ? output + text : '';
        const port = /"url":"http:\/\/[^"]*:(\d+)"/.exec(output)?.[1];
        if (port !== undefined) resolve(Number(port));
      }
      reject(new Error(`the process has ended: ${output}${this.#errors}`));
    };
    void read();
    this.#port = await promise;
  }

  async #readErrors(): Promise<void> {
    for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream()))
      this.#errors = (this.#errors + text).slice(-10_000);
  }
}
