/** Why a columnar body is refused. */
import { Fault } from '../../assembly/abi.ts';
import { quoted } from '../terms/errors.ts';

export class ColumnsError extends Error {
  /** `message` is for `Fault.COLUMNS`, the sentence that the sender reads. The other faults have sentences of their own; of TEXTS it may name the column. */
  constructor(
    message: string,
    readonly fault: Fault = Fault.COLUMNS,
    readonly column = 0,
  ) {
    super(message);
  }
}

/** Adds the name of the column to a refusal of what takes too many bytes. */
export function ofColumn(name: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ColumnsError) || error.fault !== Fault.TEXTS) throw error;
    throw new ColumnsError(quoted(name), Fault.TEXTS);
  }
}

export const tooLarge = (fault: Fault): ColumnsError => new ColumnsError('', fault);
