/** Where a command's words go: results to standard output, all else to standard error. */
import { writeSync } from 'node:fs';

const STDERR = 2;
const CODES = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;
export type Style = keyof typeof CODES;

export interface TerminalSettings {
  /** `NO_COLOR` is set, or the terminal has none. */
  noColour: boolean;
}

export class Terminal {
  readonly #noColour: boolean;
  #below = '';

  constructor({ noColour }: TerminalSettings) {
    this.#noColour = noColour;
  }

  /** Whether somebody sees what is on standard error as it changes. */
  get isWatched(): boolean {
    return process.stderr.isTTY === true;
  }

  /** Resolves when it is taken: a reader that is slow slows us. */
  async write(text: string): Promise<void> {
    if (process.stdout.isTTY) this.status('');
    await new Promise(resolve => process.stdout.write(text, resolve));
  }

  /** A line on standard error. */
  tell(line: string): void {
    this.status('');
    writeAll(`${line}\n`);
  }

  /** A line on standard error that the next one replaces; nothing where nobody watches. */
  status(line: string): void {
    if (!this.isWatched || line === this.#below) return;
    const width = process.stderr.columns || 80;
    this.#below = line;
    writeAll(`\r\u001b[2K${line.slice(0, width - 1)}`);
  }

  styled(style: Style, text: string): string {
    if (this.#noColour || !process.stdout.isTTY) return text;
    return `\u001b[${CODES[style]}m${text}\u001b[0m`;
  }
}

/** At once: what is said before an exit must be out. A standard error that is gone hears nothing. */
function writeAll(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {}
}
