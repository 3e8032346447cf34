/** Output of a command: results go to standard output, everything else to standard error. */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { OutputFailure } from './failure.ts';

const STDERR = 2;
const CODES = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;
export type Style = keyof typeof CODES;

export interface TerminalSettings {
  /** Whether `NO_COLOR` is set, or the terminal has no colours. */
  noColour: boolean;
}

export class Terminal {
  readonly #noColour: boolean;
  #statusLine = '';

  constructor({ noColour }: TerminalSettings) {
    this.#noColour = noColour;
  }

  /** Whether standard error is a terminal. Asked of the system: `process.stderr` takes 20 ms to be made. */
  readonly isInteractive = isatty(STDERR);

  /** Resolves when the reader has taken the text, so that a slow reader slows us down. Throws `OutputFailure`, except if the reader has closed the pipe. */
  async write(text: string): Promise<void> {
    if (process.stdout.isTTY) this.status('');
    const error = await new Promise<NodeJS.ErrnoException | null | undefined>(done =>
      process.stdout.write(text, done),
    );
    if (error && error.code !== 'EPIPE')
      throw new OutputFailure(
        `Writing to standard output failed, so the output is incomplete: ${error.message}`,
      );
  }

  /** Writes a line to standard error. */
  tell(line: string): void {
    this.status('');
    writeAll(`${line}\n`);
  }

  /** Writes a line to standard error that the next one replaces. Writes nothing if standard error is no terminal. */
  status(line: string): void {
    if (!this.isInteractive || line === this.#statusLine) return;
    const width = process.stderr.columns || 80;
    this.#statusLine = line;
    writeAll(`\r\u001b[2K${line.slice(0, width - 1)}`);
  }

  styled(style: Style, text: string): string {
    if (this.#noColour || !process.stdout.isTTY) return text;
    return `\u001b[${CODES[style]}m${text}\u001b[0m`;
  }
}

/** Synchronous, because the process may exit next. Ignores a closed standard error. */
function writeAll(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {}
}
