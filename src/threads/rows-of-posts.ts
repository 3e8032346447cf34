/** The rows of posts, as slices of one part. The texts of JSON and of NDJSON are joined, so that they are few. */
import { Format, MAX_ROWS } from '../../assembly/abi.ts';
import type { Engine } from '../engine/engine.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import { parseOptions } from '../options/options.ts';
import type { KeysOfSlice } from '../states/bytes/keys.ts';
import type { PartsState } from '../states/bytes/state-bytes.ts';
import { Rejection } from '../terms/errors.ts';
import { type BodyStart, ParsedBatch } from './parsed-batch.ts';
import type { SaidOfPost, WindowPost } from './post-alone.ts';
import { type SliceTerms, WholeBatch } from './whole-batch.ts';

export class RowsOfPosts {
  count = 0;
  /** Whether all rows are in `texts`. */
  isJoined = true;
  readonly texts: Texts[] = [];
  readonly #engine: Engine;
  readonly #part: number;
  readonly #whole: WholeBatch;
  readonly #keys: KeysOfSlice[] = [];
  #measured = 0;
  /** Texts that are measured already. */
  #read = 0;

  constructor(engine: Engine, terms: SliceTerms, part: number) {
    this.#engine = engine;
    this.#part = part;
    this.#whole = new WholeBatch(terms);
  }

  /** Of the post that the engine holds. */
  add({ start }: WindowPost, parsed: ParsedBatch, { rows, isSampled }: SaidOfPost, isLast: boolean): void {
    this.count += rows;
    const { format } = start;
    if (format === Format.CSV || format >= Format.ARROW) {
      this.isJoined = false;
      // The columns of CSV are settled already, without what other rows may have.
      const isSettled = format === Format.CSV || isSampled;
      this.#slice(isSettled ? this.#parsed(start, this.#engine.received()) : parsed);
      return;
    }
    const isAlone = isLast && this.texts.length === 0 && !isSampled;
    this.join({ start, texts: [this.#engine.rowsText()], rows });
    if (!isAlone) return;
    this.#slice(parsed);
    this.#read = 1;
  }

  /** Of the same format as the last ones, if that is possible. */
  join({ start, texts, rows }: Texts): void {
    const last = this.texts.at(-1);
    if (last?.start.format === start.format && last.rows + rows <= MAX_ROWS) {
      last.texts.push(...texts);
      last.rows += rows;
    } else this.texts.push({ start, texts: [...texts], rows });
  }

  end(): Pick<PartsState, 'state' | 'keys'> | null {
    for (const each of this.texts.slice(this.#read)) this.#measure(each);
    const state = this.#whole.end();
    return state && { state, keys: new Map([[this.#part, this.#keys]]) };
  }

  #measure({ start, texts }: Pick<Texts, 'start' | 'texts'>): void {
    try {
      this.#slice(this.#parsed(start, joinedTexts(start.format, texts)));
    } catch (error) {
      // Together they may have more fields than one body may have.
      if (!(error instanceof Rejection) || texts.length === 1) throw error;
      for (const text of texts) this.#measure({ start, texts: [text] });
    }
  }

  #parsed(start: BodyStart, text: Uint8Array): ParsedBatch {
    const parsed = new ParsedBatch(this.#engine, { ...start, named: NAMED });
    parsed.write(text);
    parsed.end();
    return parsed;
  }

  #slice({ signs, format }: ParsedBatch): void {
    const row = this.#measured;
    this.#measured += this.#engine.rows;
    // Signs of a row that is alone in its post say nothing of the window.
    const ofSlice = format === Format.CSV ? signs : [];
    const sets = this.#whole.add(this.#engine, { part: this.#part, row, line: 0 }, ofSlice);
    this.#keys.push({ row, sets });
  }
}

/** Of posts of one format. */
export interface Texts {
  start: BodyStart;
  texts: Uint8Array<ArrayBuffer>[];
  rows: number;
}

/** Source and options are known. */
const NAMED: SourceAndOptions = { source: '', options: parseOptions(undefined) };

const encoder = new TextEncoder();
const COMMA = encoder.encode(',');
const LINE_END = encoder.encode('\n');
const [OPENING, CLOSING] = [encoder.encode('{"rows":['), encoder.encode(']}')];

/** The engine takes the bytes that it is given, so these are always new. */
function joinedTexts(format: Format, texts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array {
  const isJson = format === Format.JSON;
  const between = isJson ? COMMA : LINE_END;
  const joined = texts.flatMap((text, i) => (i === 0 ? [text] : [between, text]));
  return new Uint8Array(Buffer.concat(isJson ? [OPENING, ...joined, CLOSING] : joined));
}
