/**
 * Limits what reading a file takes. Work is counted in steps: a value of a page, at any level of nesting, is one step, and so are BYTES_A_STEP
 * bytes that are read or decompressed. A column chunk or a page is STEPS_A_PART steps, because even an empty one takes some microseconds.
 */
import { Fault } from '../../../assembly/abi.ts';
import { grouped } from '../../terms/wording.ts';
import { ColumnsError } from '../columns-error.ts';
import { tooLong } from './damaged.ts';
import type { Budget, Leaf } from './pages.ts';

const BYTES_A_STEP = 8;
const STEPS_A_PART = 80;

export class WorkBudget implements Budget {
  readonly #pageBytes: number;
  readonly #pageValues: number;
  #most: number;
  #left: number;

  /** `pageBytes`, `pageValues`: of a page, decompressed. */
  constructor({ pageBytes, pageValues, steps }: { pageBytes: number; pageValues: number; steps: number }) {
    this.#pageBytes = pageBytes;
    this.#pageValues = pageValues;
    this.#most = this.#left = steps;
  }

  /** So many steps more may be taken. */
  allow(steps: number): void {
    this.#most += steps;
    this.#left += steps;
  }

  part(): void {
    this.#take(STEPS_A_PART);
  }

  bytes(count: number, { path }: Leaf): void {
    if (!(count <= this.#pageBytes)) throw tooLong(path, count, this.#pageBytes, 'bytes');
    this.#take(count / BYTES_A_STEP);
  }

  values(count: number, { path }: Leaf): void {
    if (!(count <= this.#pageValues)) throw tooLong(path, count, this.#pageValues, 'values');
    this.#take(count);
  }

  #take(steps: number): void {
    this.#left -= steps;
    if (!(this.#left >= 0)) throw new ColumnsError(grouped(this.#most), Fault.WORK);
  }
}
