/** A server's process: started on a free port, awaited, stopped by its id. */
import { randomInt } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READY_MS = 20_000;
const RETRY_MS = 20;

export const newFolder = (kind: string): string => mkdtempSync(join(tmpdir(), `sluice-${kind}-`));

// Below the ports that systems assign by themselves: nothing else takes one before its server does, or while the server restarts.
const PORTS = [15_000, 32_000] as const;

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const probe = createServer();
    probe.on('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** Retries until it succeeds. Throws the last error when time is up, and what `hope` throws when there is none. */
export async function eventually<T>(
  attempt: () => Promise<T>,
  withinMs = READY_MS,
  hope = () => {},
): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      hope();
      if (Date.now() > until) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}

export class ServerProcess {
  #child: Bun.Subprocess | null = null;

  constructor(
    readonly command: string[],
    readonly folder: string,
    readonly stopSignal: NodeJS.Signals,
  ) {}

  get pid(): number {
    return this.#child!.pid;
  }

  start(): void {
    // Redis and Postgres say on different ones why they end.
    const output = openSync(this.#output, 'a');
    this.#child = Bun.spawn(this.command, { cwd: this.folder, stdout: output, stderr: output });
    closeSync(output);
  }

  get #output(): string {
    return join(this.folder, 'output.log');
  }

  /** Waits until the attempt succeeds. Throws what the server has written when it ends instead. */
  async answers(attempt: () => Promise<unknown>, withinMs = READY_MS): Promise<void> {
    await eventually(attempt, withinMs, () => {
      if (this.#child?.exitCode === null) return;
      throw new Error(
        `${this.command.join(' ')} has ended: ${readFileSync(this.#output, 'utf8').slice(-2000)}`,
      );
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child!.kill(signal);
  }

  /** Stops the process and waits for its end; its data stays. */
  async end(signal = this.stopSignal): Promise<void> {
    this.#child?.kill('SIGCONT');
    this.#child?.kill(signal);
    await this.#child?.exited;
    this.#child = null;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
