/** The log: JSON lines for machines, or readable text for a terminal. */
import { writeSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { isJsonObject } from '../documents/json-object.ts';

/** Lines are buffered up to this size and age, because one write per line would take a tenth of the time of a small request. */
const BUFFER_BYTES = 4096;
const MAX_DELAY_MS = 100;
/** How long a slow reader of a non-blocking pipe may block us. */
const MAX_BLOCK_MS = 1000;
const RETRY_EVERY_MS = 5;
const STDOUT = 1;
const LF = 0x0a;

export interface Log {
  log: Logger;
  /** Writes all buffered lines now. */
  flush(): void;
}

/** Opens the log on standard output. A killed process may lose its last lines. */
export function openLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const lines = new Lines(bytes => writeSync(STDOUT, bytes));
  const flush = () => lines.flush();
  setInterval(flush, MAX_DELAY_MS).unref();
  process.on('exit', flush);
  const isText = logFormat === 'text' || (logFormat === 'auto' && process.stdout.isTTY === true);
  const stream = isText ? { write: (line: string) => lines.write(textOf(line)) } : lines;
  return {
    log: pino({ level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream),
    flush,
  };
}

/**
 * Buffers and writes lines. Lines that cannot be written, because the disk is full or the reader is gone, are lost, and
 * requests continue. (pino's own destination would retry a full disk forever and block everything else.)
 */
export class Lines {
  readonly #out: (bytes: Uint8Array) => number;
  #buffer = '';
  /** Whether the last line was written only in part. */
  #isPartial = false;

  /** `out` writes bytes and returns how many. It throws if it can write none, with `EAGAIN` if it may work soon. */
  constructor(out: (bytes: Uint8Array) => number) {
    this.#out = out;
  }

  write(line: string): void {
    this.#buffer += line;
    if (this.#buffer.length >= BUFFER_BYTES) this.flush();
  }

  flush(): void {
    if (this.#buffer === '') return;
    const bytes = Buffer.from(this.#isPartial ? `\n${this.#buffer}` : this.#buffer);
    this.#buffer = '';
    const written = this.#written(bytes);
    if (written > 0) this.#isPartial = bytes[written - 1] !== LF;
  }

  /** Writes the bytes and returns how many were written. */
  #written(bytes: Uint8Array): number {
    let written = 0;
    for (let blockedMs = 0; written < bytes.length; )
      try {
        written += this.#out(bytes.subarray(written));
      } catch (error) {
        if ((error as { code?: string }).code !== 'EAGAIN' || blockedMs >= MAX_BLOCK_MS) return written;
        Bun.sleepSync(RETRY_EVERY_MS);
        blockedMs += RETRY_EVERY_MS;
      }
    return written;
  }
}

/** Terminals act on control characters, and error messages of stores may contain any. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const STACK_CONTROLS = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Turns a JSON line into text: `12:01:07.123 info  POST /v1/screen 200 PASS rows=10 ..`, then the stack of an error. */
export function textOf(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const head = [String(time).slice(11, 23), labelOf(Number(level)), ...wordsOf(msg, rest)];
  const stack = isJsonObject(err) ? `\n${String(err.stack ?? err.message).replace(STACK_CONTROLS, '?')}` : '';
  return `${head.join(' ').replace(CONTROLS, '?')}${stack}\n`;
}

const labelOf = (level: number): string => (pino.levels.labels[level] ?? String(level)).padEnd(5);

/** For a request, the main values come first, without names. */
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
    .map(([name, value]) => `${name}=${isJsonObject(value) ? `{${pairs(value).join(' ')}}` : String(value)}`);
