/** A progress line for a file, updated in place: bytes, rows, speed and time left. */
import { shownName } from '../failure.ts';
import { grouped } from '../../terms/wording.ts';
import type { Input } from '../input/input.ts';
import type { Terminal } from '../terminal.ts';

const UPDATE_MS = 100;
const BAR_CHARACTERS = 20;
const MB = 1e6;

export class Progress {
  rows = 0;
  bytes = 0;
  #shownMs = Number.NEGATIVE_INFINITY;
  readonly #beganMs: number;

  constructor(
    readonly input: Pick<Input, 'file' | 'size'>,
    readonly terminal: Terminal,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#beganMs = now();
  }

  read(bytes: number): void {
    this.bytes += bytes;
    const at = this.now();
    if (at - this.#shownMs < UPDATE_MS || !this.terminal.isInteractive) return;
    this.#shownMs = at;
    this.terminal.status(this.line(at));
  }

  line(at: number): string {
    const { file, size } = this.input;
    const seconds = Math.max(0.001, (at - this.#beganMs) / 1000);
    const perSecond = this.bytes / seconds;
    const rows = `${grouped(this.rows)} rows`;
    const speed = `${(perSecond / MB).toFixed(0)} MB/s`;
    if (size === null) return `${shownName(file)}  ${megabytes(this.bytes)}  ${rows}  ${speed}`;
    const share = Math.min(1, this.bytes / size);
    const left = Math.ceil(Math.max(0, size - this.bytes) / Math.max(1, perSecond));
    return `${shownName(file)}  ${bar(share)} ${Math.floor(share * 100)}% of ${megabytes(size)}  ${rows}  ${speed}  ${left} s left`;
  }
}

const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;

function bar(share: number): string {
  const full = Math.round(share * BAR_CHARACTERS);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_CHARACTERS - full)}]`;
}
