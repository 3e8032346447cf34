/** Texts of the body, decoded: field names and values, as JSON and CSV write them. */
import { ESCAPED_BIT, Format } from '../../assembly/abi.ts';
import { shortened } from '../terms/errors.ts';
import type { EngineExports } from './exports.ts';
import type { EngineMemory } from './memory.ts';

/** Holds 64 characters however they are written: `\ud83d\ude00` is the longest one. */
const START_BYTES = 64 * 12;

export class BodyTexts {
  constructor(
    readonly memory: EngineMemory,
    readonly format: Format,
  ) {}

  /** `escaped`: the raw text has escapes (JSON) or doubled quotes (CSV). */
  decode(at: number, length: number, escaped: boolean): string {
    const text = this.memory.text(at, length);
    if (!escaped) return text;
    return this.format === Format.CSV ? text.replaceAll('""', '"') : (JSON.parse(`"${text}"`) as string);
  }

  /** The text of a slot: its offset, and its length with a mark when it is escaped. */
  inSlot(slot: number): string {
    const { at, length, escaped } = this.#read(slot);
    return this.decode(at, length, escaped);
  }

  /** The first 64 characters of a slot's text. A long text costs no more than a short one. */
  startInSlot(slot: number): string {
    const { at, length, escaped } = this.#read(slot);
    if (length <= START_BYTES) return shortened(this.decode(at, length, escaped));
    const text = this.memory.text(at, START_BYTES);
    if (!escaped) return shortened(text);
    return shortened(this.format === Format.CSV ? text.replaceAll('""', '"') : jsonStart(text));
  }

  #read(slot: number): { at: number; length: number; escaped: boolean } {
    const marked = this.memory.u32At(slot + 4);
    const escaped = marked >>> ESCAPED_BIT === 1;
    const length = escaped ? marked - 2 ** ESCAPED_BIT : marked;
    return { at: this.memory.u32At(slot), length, escaped };
  }
}

/** Decodes a JSON string that was cut anywhere, without the half of an escape at its end. */
const jsonStart = (raw: string): string =>
  JSON.parse(`"${/^(?:[^\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/.exec(raw)![0]}"`) as string;

/** Of the first `fields` columns. */
export const namesOf = (exports: EngineExports, texts: BodyTexts, fields: number): string[] =>
  Array.from({ length: fields }, (_, column) => texts.inSlot(exports.nameAddress(column)));
