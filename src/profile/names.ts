import { MAX_NAME_BYTES } from '../../assembly/abi.ts';
import { nameTooLong } from '../terms/errors.ts';

/**
 * Names for the columns of a CSV header: blank names are numbered, repeated names get the next number that is free. The engine has
 * checked the length of the cells; throws `Rejection` PAYLOAD_TOO_LARGE if a number makes a name too long.
 */
export function headerNames(header: string[]): { names: string[]; repeated: string[] } {
  const inHeader = new Set(header);
  const given = new Set<string>();
  /** The number to try next for each repeated name: counting from 2 each time would be quadratic. */
  const nextNumber = new Map<string, number>();
  const names = header.map((cell, i) => {
    let name = cell.trim() === '' ? `column_${i + 1}` : cell;
    if (given.has(name)) {
      const repeated = name;
      let number = nextNumber.get(repeated) ?? 2;
      do name = `${repeated}_${number++}`;
      while (given.has(name) || inHeader.has(name));
      nextNumber.set(repeated, number);
      if (Buffer.byteLength(name) > MAX_NAME_BYTES)
        throw nameTooLong(`the repeated name in column ${i + 1} of the header, which gets a number,`);
    }
    given.add(name);
    return name;
  });
  return { names, repeated: [...nextNumber.keys()] };
}
