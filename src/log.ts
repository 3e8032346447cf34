/** The log: JSON lines for machines, or a line of plain words for whoever sits at a terminal. */
import { writeSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import type { Config } from './config.ts';

/** Lines are written when they are this many bytes, or this old: a write for each takes as long as a tenth of a small request. */
const BYTES = 4096;
const DELAY_MS = 100;
/** How long a reader that is slow, on a pipe that does not block, holds us up. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 5;
const STDOUT = 1;
const LF = 0x0a;

export interface Log {
  log: Logger;
  /** Writes now what is left to write. */
  flush(): void;
}

/** A log on standard output. What is killed may lose its last lines. */
export function openLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const lines = new Lines(bytes => writeSync(STDOUT, bytes));
  const flush = () => lines.flush();
  setInterval(flush, DELAY_MS).unref();
  process.on('exit', flush);
  const isText = logFormat === 'text' || (logFormat === 'auto' && process.stdout.isTTY === true);
  const stream = isText ? { write: (line: string) => lines.write(textOf(line)) } : lines;
  return {
    log: pino({ level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream),
    flush,
  };
}

/**
 * Lines on their way out. What cannot be written, because the disk is full or the reader gone, is lost: requests go on, and
 * the next lines are tried again. (pino's own destination tries a full disk for ever, and nothing else happens meanwhile.)
 */
export class Lines {
  readonly #out: (bytes: Uint8Array) => number;
  #waiting = '';
  /** The last line that got out did so in part. */
  #isTorn = false;

  /** `out` takes bytes, says how many it took, and throws when it takes none; with `EAGAIN` when it may take them soon. */
  constructor(out: (bytes: Uint8Array) => number) {
    this.#out = out;
  }

  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length >= BYTES) this.flush();
  }

  flush(): void {
    if (this.#waiting === '') return;
    const bytes = Buffer.from(this.#isTorn ? `\n${this.#waiting}` : this.#waiting);
    this.#waiting = '';
    const written = this.#written(bytes);
    if (written > 0) this.#isTorn = bytes[written - 1] !== LF;
  }

  /** How many of them could be. */
  #written(bytes: Uint8Array): number {
    let written = 0;
    for (let waitedMs = 0; written < bytes.length; )
      try {
        written += this.#out(bytes.subarray(written));
      } catch (error) {
        if ((error as { code?: string }).code !== 'EAGAIN' || waitedMs >= PATIENCE_MS) return written;
        Bun.sleepSync(PAUSE_MS);
        waitedMs += PAUSE_MS;
      }
    return written;
  }
}

/** A terminal obeys control characters, and what a store said of its trouble may hold any. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const STACK_CONTROLS = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A JSON line as a person reads it: `12:01:07.123 info  POST /v1/screen 200 PASS rows=10 ..`; an error's stack follows it. */
export function textOf(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const head = [String(time).slice(11, 23), labelOf(Number(level)), ...wordsOf(msg, rest)];
  const stack = isObject(err) ? `\n${String(err.stack ?? err.message).replace(STACK_CONTROLS, '?')}` : '';
  return `${head.join(' ').replace(CONTROLS, '?')}${stack}\n`;
}

const labelOf = (level: number): string => (pino.levels.labels[level] ?? String(level)).padEnd(5);

/** Of a request what matters stands first, without its names. */
function wordsOf(
  msg: unknown,
  { method, route, status, verdict, code, ...rest }: Record<string, unknown>,
): string[] {
  const first = [method, route, status, verdict, code].filter(each => each !== undefined);
  const isRequest = method !== undefined;
  return [...(isRequest ? first : [String(msg), ...pairs({ verdict, code })]), ...pairs(rest)].map(String);
}

const pairs = (members: Record<string, unknown>): string[] =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${isObject(value) ? `{${pairs(value).join(' ')}}` : String(value)}`);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
