/** Characters of the inspected texts by kind, and the lengths of the texts. */
import { Column } from '../abi';
import { put } from '../arena';
import { continuationBits, digitBits, inspectedBytes, spaceBits, textLength, upperBits } from './text';

let texts: u32 = 0, characters: u32 = 0, digits: u32 = 0, uppers: u32 = 0, spaces: u32 = 0;
let lengths: f64 = 0, squares: f64 = 0;

export function beginCharacters(): void {
  texts = 0;
  characters = 0;
  digits = 0;
  uppers = 0;
  spaces = 0;
  lengths = 0;
  squares = 0;
}

export function addCharacters(): void {
  const continuations = <u32>popcnt(continuationBits), length = <f64>(<u32>textLength - continuations);
  texts++;
  characters += <u32>inspectedBytes - continuations;
  digits += <u32>popcnt(digitBits);
  uppers += <u32>popcnt(upperBits);
  spaces += <u32>popcnt(spaceBits);
  lengths += length;
  squares += length * length;
}

export function putCharacters(record: usize): void {
  put(record, Column.CHARACTERS, <f64>characters);
  put(record, Column.DIGITS, <f64>digits);
  put(record, Column.UPPERS, <f64>uppers);
  put(record, Column.SPACES, <f64>spaces);
  const mean = lengths / <f64>texts;
  put(record, Column.LENGTH_MEAN, mean);
  put(record, Column.LENGTH_M2, max<f64>(0, squares - mean * lengths));
}
