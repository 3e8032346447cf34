/** `--good` and `--held`: the two parts of a file, in its format. */
import { Format } from '../../../assembly/abi.ts';
import type { Report } from '../../report-schema/report.ts';
import { encoderOf } from './encode.ts';
import { Failure } from '../failure.ts';
import { type FailOn, isStopped } from '../output/output.ts';
import { PartFile, unfinishedName } from './part-file.ts';
import { rowBytesOf } from './row-bytes.ts';
import { factsOf, type UsedFiles } from '../input/same-file.ts';
import type { NamedBatch } from '../screening/named-batch.ts';
import type { Divider, HeldRows } from '../screening/screening.ts';

/** Where the parts go; at least one. */
export interface PartFiles {
  good: string | undefined;
  held: string | undefined;
}

/** Writes the parts of one file. They get their names when all else has succeeded: after an error there is neither. */
export class Parts implements Divider {
  readonly #good: Part | null;
  readonly #held: Part | null;
  readonly #files: PartFile[];

  private constructor(
    good: PartFile | null,
    held: PartFile | null,
    readonly failOn: FailOn,
  ) {
    this.#good = good && new Part(good);
    this.#held = held && new Part(held);
    this.#files = [good, held].filter(file => file !== null);
  }

  /** Opens both before anything is screened. `hasResults`: they go to standard output. Throws `Failure`. */
  static async open({ good, held }: PartFiles, failOn: FailOn, hasResults: boolean): Promise<Parts> {
    const opened = async (file: string | undefined) =>
      file === undefined ? null : PartFile.open(file, hasResults);
    // At once: a program that reads two pipes may open either of them first.
    const [first, second] = await Promise.all([opened(good), opened(held)]);
    return new Parts(first, second, failOn);
  }

  heldIn = (report: Report): ReadonlySet<number> | 'all' => heldRows(report, this.failOn);

  async add(batch: NamedBatch, body: Uint8Array, held: HeldRows | 'all'): Promise<void> {
    const { header, rows } = rowBytesOf(body, batch.format, batch.file);
    if (rows.length !== batch.rows)
      throw new Failure(
        'Where the rows of this file begin and end cannot be found, so --good and --held cannot divide it',
        batch.file,
      );
    const isHeld = (row: { number: number }) => held === 'all' || held.has(row.number);
    const encode = encoderOf(batch.charset, batch.file);
    const shape = { batch, header, encode };
    await this.#good?.add(
      shape,
      rows.filter(row => !isHeld(row)).map(({ bytes }) => bytes),
    );
    await this.#held?.add(
      shape,
      rows.filter(isHeld).map(({ bytes }) => bytes),
    );
  }

  async end(): Promise<void> {
    await this.#good?.end();
    await this.#held?.end();
  }

  /** Gives the parts their names, or none of them. Throws `Failure`. */
  name(): void {
    const named: PartFile[] = [];
    try {
      for (const file of this.#files) {
        file.name();
        named.push(file);
      }
    } catch (error) {
      for (const file of named) file.remove();
      throw error;
    }
  }

  /** Leaves nothing unfinished behind. */
  abandon(): void {
    for (const file of this.#files) file.abandon();
  }
}

/**
 * The rows to hold back. All of them, where the verdict stops the gate and holding back single rows would not change that: a
 * finding of the whole batch, or no row that is named.
 */
function heldRows({ status, quarantine }: Report, failOn: FailOn): ReadonlySet<number> | 'all' {
  const { rows, whole_batch } = quarantine!;
  const isWhole = rows.length === 0 || whole_batch.length > 0;
  if (isStopped(status, failOn) && isWhole) return 'all';
  return new Set(rows.map(([number]) => number));
}

interface Shape {
  batch: NamedBatch;
  header: Uint8Array;
  encode(text: Uint8Array): Uint8Array;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const SEPARATOR = utf8(',\n');
const NEW_LINE = utf8('\n');
const MARK = utf8('\ufeff');

class Part {
  #rows = 0;
  #begun: Shape | null = null;

  constructor(readonly file: PartFile) {}

  async add(shape: Shape, rows: Uint8Array[]): Promise<void> {
    const pieces: Uint8Array[] = this.#begun === null ? opening(shape) : [];
    this.#begun ??= shape;
    const isJson = shape.batch.format.format === Format.JSON;
    for (const row of rows) {
      if (isJson && this.#rows > 0) pieces.push(SEPARATOR);
      this.#rows++;
      pieces.push(row);
    }
    if (pieces.length > 0) await this.file.write(shape.encode(Buffer.concat(pieces)));
  }

  async end(): Promise<void> {
    const begun = this.#begun;
    if (begun?.batch.format.format === Format.JSON)
      await this.file.write(begun.encode(utf8(isArray(begun) ? '\n]\n' : '\n]}\n')));
    await this.file.close();
  }
}

function opening({ batch, header }: Shape): Uint8Array[] {
  const mark = batch.hasWideMark ? [MARK] : [];
  if (batch.format.format !== Format.JSON) return header.length === 0 ? mark : [...mark, withLineEnd(header)];
  if (isArray({ batch })) return [...mark, utf8('[\n')];
  const { source, options } = batch.said;
  return [...mark, utf8(`${JSON.stringify({ source, options }).slice(0, -1)},"rows":[\n`)];
}

const isArray = ({ batch: { said } }: Pick<Shape, 'batch'>): boolean =>
  said.source === undefined && said.options === undefined;

function withLineEnd(header: Uint8Array): Uint8Array {
  const last = header.at(-1);
  return last === 10 || last === 13 ? header : Buffer.concat([header, NEW_LINE]);
}

/** Takes the names of the parts from those that the command may write. Throws `Failure`. */
export function takePartFiles(used: UsedFiles, { good, held }: PartFiles): void {
  for (const [option, file] of Object.entries({ good, held })) {
    if (file === undefined) continue;
    used.take(file, `--${option}`);
    if (factsOf(file)?.isFile() !== false) used.take(unfinishedName(file), `--${option}`);
  }
}
