/** Cuts an uploaded file of columns into slices, in a thread of its own: what it holds of the file ends with the thread. */
import type { Format } from '../../assembly/abi.ts';
import { ColumnsError } from '../columns/columns-error.ts';
import { type CutBody, type CutLimits, cutColumns } from '../columns/cut.ts';
import { fileSource } from '../columns/file-source.ts';
import { stepsOfBody } from '../columns/parquet/reader.ts';
import { refusalOf } from '../engine/engine.ts';
import { RefusedBody } from '../intake/refusals.ts';

export interface CutOrder {
  /** Descriptor of the file, which stays open. */
  handle: number;
  format: Format;
  maxBodyBytes: number;
}

const MIB = 1024 * 1024;
/** Before the first 10,000 rows all pages that they begin may be decoded, which hold many more. */
const FIRST_STEPS = 256_000_000;

/** Each body that is made may take as much work as one that is sent. */
const limitsOf = (maxBodyBytes: number): CutLimits => ({
  openPages: 256 * MIB,
  rows: 2 * maxBodyBytes,
  recordBatch: 256 * MIB,
  steps: FIRST_STEPS,
  stepsABody: stepsOfBody(maxBodyBytes),
});

export class Cutting {
  readonly #format: Format;
  readonly #bodies: Iterator<CutBody>;

  constructor({ handle, format, maxBodyBytes }: CutOrder) {
    const source = fileSource(handle);
    this.#format = format;
    this.#bodies = cutColumns({ source, format, maxBodyBytes, limits: limitsOf(maxBodyBytes) });
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
