/** Why a columnar body is refused. */
import { Fault } from '../../assembly/abi.ts';

export class ColumnsError extends Error {
  /** `message` is for `Fault.COLUMNS`, the sentence that the sender reads. The other faults have sentences of their own. */
  constructor(
    message: string,
    readonly fault: Fault = Fault.COLUMNS,
    readonly column = 0,
  ) {
    super(message);
  }
}

export const tooLarge = (fault: Fault): ColumnsError => new ColumnsError('', fault);
