/**
 * Where a part is written. A regular file gets its name last, so it is never half a part. Anything else that is there, such as a pipe or
 * /dev/null, is written as it is: a file that gets its name would replace it.
 */
import { createWriteStream, open, openSync, renameSync, rmSync } from 'node:fs';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, createZstdCompress } from 'node:zlib';
import { Failure } from '../failure.ts';
import { namedFormat } from '../input/format.ts';
import { removedAtExit } from './leftovers.ts';
import { factsOf, placeOf, standardDescriptor } from '../input/same-file.ts';

const OWNER_ONLY = 0o600;

interface Naming {
  unfinished: string;
  /** Symbolic links are followed. */
  name: string;
  /** Removes the unfinished file. */
  remove(): void;
}

export class PartFile {
  readonly #out: Writable;
  readonly #ended: Promise<void>;

  private constructor(
    readonly file: string,
    target: Writable,
    /** Null: it is written as it is. */
    readonly naming: Naming | null = null,
  ) {
    const { coding } = namedFormat(file, undefined);
    const compress = coding === 'gzip' ? createGzip() : coding === 'zstd' ? createZstdCompress() : null;
    compress?.pipe(target);
    target.on('error', error => compress?.destroy(error));
    this.#out = compress ?? target;
    this.#ended = finished(target);
    // It is awaited at the end; until then an error shows in write().
    this.#ended.catch(() => {});
  }

  /** Waits for the reader of a pipe. `hasResults`: they go to standard output. `unfinished`: its name until it is whole. Throws `Failure`. */
  static async open(file: string, hasResults: boolean, unfinished = unfinishedName(file)): Promise<PartFile> {
    const facts = factsOf(file);
    if (facts?.isDirectory()) throw new Failure('This is a folder; name a file in it', file);
    const standard = standardDescriptor(facts);
    if (standard === 1 && hasResults)
      throw new Failure('Results go to standard output too: add --quiet or --output FORM=FILE', file);
    if (standard !== null)
      return new PartFile(file, leftOpen(standard === 1 ? process.stdout : process.stderr));
    try {
      return facts === null || facts.isFile()
        ? PartFile.#unfinished(file, unfinished)
        : await PartFile.#asItIs(file);
    } catch (error) {
      throw unwritable(file, error as Error);
    }
  }

  static #unfinished(file: string, unfinished: string): PartFile {
    const disk = createWriteStream(unfinished, { fd: openSync(unfinished, 'w', OWNER_ONLY) });
    return new PartFile(file, disk, {
      unfinished,
      name: placeOf(file),
      remove: removedAtExit(unfinished, false),
    });
  }

  /** A pipe waits in another thread, so a signal ends the program. */
  static async #asItIs(file: string): Promise<PartFile> {
    return new PartFile(file, createWriteStream(file, { fd: await promisify(open)(file, 'w') }));
  }

  /** Throws `Failure`. */
  async write(bytes: Uint8Array): Promise<void> {
    const error = await new Promise<Error | null | undefined>(done => this.#out.write(bytes, done));
    if (!error) return;
    // Only the file itself says why it was closed.
    const cause = await this.#ended.then(
      () => error,
      first => first as Error,
    );
    throw unwritable(this.file, cause);
  }

  /** Writes what is left. Throws `Failure`. */
  async close(): Promise<void> {
    this.#out.end();
    await this.#ended.catch(error => {
      throw unwritable(this.file, error);
    });
  }

  /** Gives the file its name once it is closed. Throws `Failure`. */
  name(): void {
    if (this.naming === null) return;
    try {
      renameSync(this.naming.unfinished, this.naming.name);
    } catch (error) {
      throw unwritable(this.file, error as Error);
    }
  }

  /** Removes the file that has got its name. */
  remove(): void {
    if (this.naming !== null) rmSync(this.naming.name, { force: true });
  }

  /** Leaves nothing unfinished behind. */
  abandon(): void {
    this.#out.destroy();
    this.naming?.remove();
  }
}

/** The name that a part has until it is whole. */
export const unfinishedName = (file: string): string => `${placeOf(file)}.unfinished`;

const leftOpen = (stream: NodeJS.WriteStream): Writable =>
  new Writable({ write: (bytes, _, done) => void stream.write(bytes, done) });

const unwritable = (file: string, { message }: Error): Failure =>
  new Failure(`Writing the file failed: ${message}`, file);
