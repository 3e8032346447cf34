/** Cuts an uploaded file of columns into slices, in a thread of its own: what it holds of the file ends with the thread. */
import type { Format } from '../../assembly/abi.ts';
import { ColumnsError } from '../columns/columns-error.ts';
import { type CutBody, type CutLimits, cutColumns } from '../columns/cut.ts';
import { fileSource } from '../columns/file-source.ts';
import { refusalOf } from '../engine/engine.ts';
import { RefusedBody } from '../intake/refusals.ts';

export interface CutOrder {
  /** Descriptor of the file, which stays open. */
  handle: number;
  format: Format;
  maxBodyBytes: number;
}

const MIB = 1024 * 1024;
/** Several files may be cut at once. */
const LIMITS: CutLimits = {
  page: 64 * MIB,
  kept: 128 * MIB,
  column: 128 * MIB,
  recordBatch: 256 * MIB,
};

export class Cutting {
  readonly #format: Format;
  readonly #bodies: Iterator<CutBody>;

  constructor({ handle, format, maxBodyBytes }: CutOrder) {
    const source = fileSource(handle);
    this.#format = format;
    this.#bodies = cutColumns({ source, format, maxBodyBytes, limits: LIMITS });
  }

  /** Null behind the last one. Throws `RefusedBody`. */
  next(): CutBody | null {
    try {
      const { done, value } = this.#bodies.next();
      return done ? null : value;
    } catch (error) {
      if (!(error instanceof ColumnsError)) throw error;
      throw new RefusedBody({ refusal: refusalOf(error), format: this.#format });
    }
  }
}
