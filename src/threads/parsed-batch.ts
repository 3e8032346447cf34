/** One batch on its way through an engine: parsed as its bytes arrive, measured at its end, then judged by the past of its source. */
import { Fault, Format, MAX_ROWS, Status } from '../../assembly/abi.ts';
import type { BatchStart, Engine, Refusal } from '../engine/engine.ts';
import type { PastOf } from '../engine/reading.ts';
import { guessCharset } from '../intake/guess-charset.ts';
import { RefusedBody } from '../intake/refusals.ts';
import { freeBuffer } from '../intake/free-buffer.ts';
import { type SourceAndOptions, sourceAndOptionsIn } from '../intake/source-and-options.ts';
import type { Profile } from '../profile/profile.ts';
import { readProfile } from '../profile/read.ts';
import { lookAtTable } from '../table/look.ts';
import { signOfOnlyRow } from '../table/wrappers.ts';
import type { NotATable, Sign } from '../table/sign.ts';
import type { SlicePlace } from '../states/slice-rows.ts';

/** Of a body with one row, which is looked at for what else it may be. */
const MAX_ONLY_ROW_BYTES = 64 * 1024;

/** Bytes around the first one that is no UTF-8, which may tell the encoding. */
const GUESSED_BYTES = 64 * 1024;
/** From the cell whose quote closes too early. */
const ESCAPED_BYTES = 4096;

/** The engine parses the bytes of a long row after this time at the latest, even while more bytes trickle in. */
const MAX_BEHIND_MS = 500;

export interface BodyStart extends BatchStart {
  /** CSV: whether the client named the delimiter. */
  isDelimiterGiven: boolean;
  /** CSV: whether the client says on which line the header is, or it is known from another part of the file. */
  isHeaderGiven?: boolean | undefined;
  /** From the headers; null where the body says it. */
  named: SourceAndOptions | null;
  /** Where the slice of a larger batch begins, which is measured and not judged, and the id of that batch. */
  slice?: SlicePlace & {
    batch: string;
    /** In which share of the memory for keys of rows the thread collects them; null: they are given. */
    keysShare: number | null;
  };
}

export class ParsedBatch {
  readonly #engine: Engine;
  readonly #start: BodyStart;
  /** Of CSV, after `end`. */
  #signs: Sign[] = [];
  #parsedAt = performance.now();

  constructor(engine: Engine, start: BodyStart) {
    this.#engine = engine;
    this.#start = start;
    engine.begin(start);
  }

  /** Takes the next bytes and frees them. Throws `Rejection` for what the engine refuses. */
  write(bytes: Uint8Array): void {
    const status = this.#engine.write(bytes);
    freeBuffer(bytes);
    this.#check(status);
    this.#check(this.#engine.read());
    const now = performance.now();
    if (!this.#engine.behind) this.#parsedAt = now;
    else if (now - this.#parsedAt > MAX_BEHIND_MS) this.flush();
  }

  /** The client pauses: it may be waiting for our refusal. */
  flush(): void {
    if (this.#engine.behind) this.#check(this.#engine.flush());
    this.#parsedAt = performance.now();
  }

  /** The body is complete. Throws `Rejection`. */
  end(): SourceAndOptions {
    this.#check(this.#engine.end());
    const said = this.#start.named ?? sourceAndOptionsIn(this.#engine);
    this.#look();
    return said;
  }

  /** Whether what was read is a table. Throws `Rejection`. */
  #look(): void {
    const { format, delimiter, isDelimiterGiven } = this.#start;
    const refuse = (table: NotATable) => {
      throw new RefusedBody({ table, delimiter });
    };
    if (format === Format.CSV) {
      const other = isDelimiterGiven ? 0 : this.#engine.otherDelimiter;
      const looked = lookAtTable(this.#engine.csvView(), this.#start);
      if (looked.refused) refuse(looked.refused);
      else this.#signs = looked.signs;
      if (other !== 0) refuse({ why: 'other_delimiter', delimiter: other });
    } else if (this.#engine.fields === 0) refuse({ why: 'no_fields', rows: this.#engine.rows });
    else if (this.#engine.rows === 1 && format < Format.ARROW) this.#signs = this.#signsOfOnlyRow(format);
  }

  #signsOfOnlyRow(format: Format): Sign[] {
    const text = this.#engine.beginning(MAX_ONLY_ROW_BYTES + 1);
    if (text.length > MAX_ONLY_ROW_BYTES) return [];
    const body: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    const row = format === Format.NDJSON ? body : (body as { rows: unknown[] }).rows[0];
    const sign = signOfOnlyRow(row);
    return sign === null ? [] : [{ sign, count: 1, lines: [], rows: [0] }];
  }

  /** What the body may be written in that is refused so. */
  #guess({ fault, offset }: Refusal): string | undefined {
    if (fault === Fault.ENCODING) return guessCharset(this.#engine.piece(offset, GUESSED_BYTES))?.charset;
    if (fault !== Fault.TEXT_AFTER_QUOTE) return undefined;
    const cell = new TextDecoder().decode(this.#engine.piece(offset + ESCAPED_BYTES / 2, ESCAPED_BYTES));
    return /"[^"]*\\"[^",;|\t\r\n]/.test(cell) ? '\\' : undefined;
  }

  /** Where it begins, if it is a slice of a larger batch; else null. */
  get slice(): BodyStart['slice'] | null {
    return this.#start.slice ?? null;
  }

  get format(): Format {
    return this.#start.format;
  }

  /** Signs that what was read is not the table that was meant. */
  get signs(): readonly Sign[] {
    return this.#signs;
  }

  /** After `end`: measures all rows, or a sample of so many if there are more. `pastOf`: what is known of its columns. */
  measure(sampleRows: number, fullScan: boolean, pastOf: PastOf | null): Profile {
    const record = this.#engine.measure(fullScan ? MAX_ROWS : sampleRows, pastOf);
    return readProfile({ ...record, signs: this.#signs });
  }

  #check(status: Status): void {
    if (status !== Status.FAILED) return;
    const refusal = this.#engine.refusal();
    const { format } = this.#start;
    const guess = format === Format.CSV ? this.#guess(refusal) : undefined;
    throw new RefusedBody({ refusal, format, guess });
  }
}
