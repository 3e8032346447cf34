/** `sluice stream` in a process of its own, with a data folder that several may share. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../servers/process.ts';
import { commandOf } from '../servers/program.ts';

const KEY = `sluice_live_${'k'.repeat(43)}`;

export interface LogLine {
  level: number;
  msg: string;
  [name: string]: unknown;
}

/** Stores of gates: files, unless the environment names servers. */
export class GateData {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-stream-'));
  readonly environment: Record<string, string>;

  constructor(environment: Record<string, string> = {}) {
    this.environment = {
      DATA_DIR: this.folder,
      BOOTSTRAP_API_KEY: KEY,
      BOOTSTRAP_PLAN: 'scale',
      SLUICE_KEY: KEY,
      LOG_FORMAT: 'json',
      ...environment,
    };
  }

  async start(
    config: object,
    environment: Record<string, string> = {},
    command = commandOf('sluice'),
  ): Promise<GateProcess> {
    const gate = await this.begin(config, environment, command);
    await gate.says('screening');
    return gate;
  }

  async begin(
    config: object,
    environment: Record<string, string> = {},
    command = commandOf('sluice'),
  ): Promise<GateProcess> {
    const file = join(this.folder, 'stream.yaml');
    await Bun.write(file, JSON.stringify(config));
    return new GateProcess(file, { ...this.environment, ...environment }, command);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class GateProcess {
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly lines: LogLine[] = [];
  stderr = '';
  readonly #read: Promise<unknown>;

  constructor(file: string, environment: Record<string, string>, command: string[]) {
    this.#child = Bun.spawn([...command, 'stream', '--config', file], {
      env: { PATH: process.env.PATH!, ...environment },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    this.#read = Promise.all([this.#readLines(), this.#readErrors()]);
  }

  get exited(): Promise<number> {
    return this.#read.then(() => this.#child.exited);
  }

  /** The most memory that it has had, in bytes. The launcher has a child that is the gate. */
  peakBytes(): number {
    const children = (pid: number): number[] =>
      readdirSync(`/proc/${pid}/task`).flatMap(task =>
        readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
      );
    const peakOf = (pid: number): number =>
      1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    return Math.max(...[this.#child.pid, ...children(this.#child.pid)].map(peakOf));
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits for a line of the log. */
  async says(words: string, withinMs = 60_000): Promise<LogLine> {
    return eventually(
      async () => {
        const found = this.lines.find(({ msg }) => msg.includes(words));
        if (found === undefined)
          throw new Error(`the gate has not said ${JSON.stringify(words)}: ${this.said}`);
        return found;
      },
      withinMs,
      () => {
        if (!this.isRunning) throw new Error(`the gate has ended: ${this.said}`);
      },
    );
  }

  /** A stop as an operator does it. */
  async stop(): Promise<number> {
    this.#child.kill('SIGTERM');
    return this.exited;
  }

  /** Sends SIGTERM to the whole process group, as Ctrl-C sends SIGINT. The command must lead it. */
  async stopGroup(): Promise<number> {
    process.kill(-this.#child.pid, 'SIGTERM');
    return this.exited;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.exited;
  }

  get said(): string {
    return `${this.stderr}\n${this.lines.map(line => JSON.stringify(line)).join('\n')}`.slice(-4000);
  }

  async #readLines(): Promise<void> {
    let rest = '';
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) this.lines.push(JSON.parse(line) as LogLine);
    }
  }

  async #readErrors(): Promise<void> {
    for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) this.stderr += text;
  }
}
