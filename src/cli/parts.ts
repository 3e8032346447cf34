/** `--good` and `--held`: the two parts of a file, in its format. */
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import { Format } from '../../assembly/abi.ts';
import type { Report } from '../contract/report.ts';
import { encoderOf } from './encode.ts';
import { Failure } from './failure.ts';
import { namedFormat } from './format.ts';
import { removedAtExit } from './leftovers.ts';
import { type FailOn, isStopped } from './output/output.ts';
import { rowBytesOf } from './row-bytes.ts';
import type { NamedBatch } from './named-batch.ts';
import type { Divider } from './screening.ts';

/** Where the parts go; at least one. */
export interface PartFiles {
  good: string | undefined;
  held: string | undefined;
}

/** Writes the parts of one file. They get their names when the file has been screened to its end: a part is never half a part. */
export class Parts implements Divider {
  readonly #good: Part | null;
  readonly #held: Part | null;

  constructor(
    { good, held }: PartFiles,
    readonly failOn: FailOn,
  ) {
    this.#good = good === undefined ? null : new Part(good);
    this.#held = held === undefined ? null : new Part(held);
  }

  async add(batch: NamedBatch, body: Uint8Array, report: Report): Promise<void> {
    const { header, rows } = rowBytesOf(body, batch.format, batch.file);
    if (rows.length !== batch.rows)
      throw new Failure(
        'Where the rows of this file begin and end cannot be found, so --good and --held cannot divide it',
        batch.file,
      );
    const held = heldRows(report, this.failOn);
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

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    await this.#good?.abandon();
    await this.#held?.abandon();
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
  readonly #unfinished: string;
  readonly #out: Writable;
  readonly #ended: Promise<void>;
  readonly #remove: () => void;
  #rows = 0;
  #begun: Shape | null = null;

  constructor(readonly file: string) {
    this.#unfinished = `${file}.unfinished`;
    const disk = createWriteStream(this.#unfinished, { mode: 0o600 });
    this.#remove = removedAtExit(this.#unfinished, false);
    const { coding } = namedFormat(file, undefined);
    const compress = coding === 'gzip' ? createGzip() : coding === 'zstd' ? createZstdCompress() : null;
    compress?.pipe(disk);
    disk.on('error', error => compress?.destroy(error));
    this.#out = compress ?? disk;
    this.#ended = finished(disk);
    // It is awaited at the end; until then an error shows in write().
    this.#ended.catch(() => {});
  }

  async add(shape: Shape, rows: Uint8Array[]): Promise<void> {
    const pieces: Uint8Array[] = this.#begun === null ? this.#opening(shape) : [];
    this.#begun ??= shape;
    const isJson = shape.batch.format.format === Format.JSON;
    for (const row of rows) {
      if (isJson && this.#rows > 0) pieces.push(SEPARATOR);
      this.#rows++;
      pieces.push(row);
    }
    if (pieces.length > 0) await this.#write(shape.encode(Buffer.concat(pieces)));
  }

  async end(): Promise<void> {
    if (this.#begun?.batch.format.format === Format.JSON)
      await this.#write(this.#begun.encode(utf8(isArray(this.#begun) ? '\n]\n' : '\n]}\n')));
    this.#out.end();
    await this.#ended.catch(error => {
      throw unwritable(this.file, error);
    });
    await rename(this.#unfinished, this.file).catch(error => {
      throw unwritable(this.file, error);
    });
  }

  async abandon(): Promise<void> {
    this.#out.destroy();
    this.#remove();
  }

  #opening({ batch, header }: Shape): Uint8Array[] {
    const mark = batch.hasWideMark ? [MARK] : [];
    if (batch.format.format !== Format.JSON)
      return header.length === 0 ? mark : [...mark, withLineEnd(header)];
    if (isArray({ batch })) return [...mark, utf8('[\n')];
    const { source, options } = batch.said;
    return [...mark, utf8(`${JSON.stringify({ source, options }).slice(0, -1)},"rows":[\n`)];
  }

  async #write(bytes: Uint8Array): Promise<void> {
    // Only the file itself says why it was closed.
    const error = await new Promise<Error | null | undefined>(done => this.#out.write(bytes, done));
    if (!error) return;
    const cause = await this.#ended.then(
      () => error,
      first => first as Error,
    );
    throw unwritable(this.file, cause);
  }
}

const unwritable = (file: string, { message }: Error): Failure =>
  new Failure(`Writing the file failed: ${message}`, file);

const isArray = ({ batch: { said } }: Pick<Shape, 'batch'>): boolean =>
  said.source === undefined && said.options === undefined;

function withLineEnd(header: Uint8Array): Uint8Array {
  const last = header.at(-1);
  return last === 10 || last === 13 ? header : Buffer.concat([header, NEW_LINE]);
}

/** Throws `Failure` where a part would replace the file that is read, or the other part. */
export function checkPartFiles(files: readonly string[], { good, held }: PartFiles): void {
  if (files.length > 1) throw new Failure('--good and --held divide one file: name only one');
  const paths = [...files, good, held].filter(file => file !== undefined).map(file => resolve(file));
  if (new Set(paths).size < paths.length)
    throw new Failure('--good, --held and the file itself must be different files');
}
