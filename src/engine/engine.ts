/** The only file that touches WebAssembly: one instance screens one batch at a time. */
import type { Fault, Format, Kind, Status } from '../../assembly/abi.ts';
import type { Profile, SecondLook } from '../profile/profile.ts';

export interface BatchStart {
  format: Format;
  /** CSV: the delimiter's byte. */
  delimiter: number;
  /** The account's 32 secret bytes: they seed every hash. */
  salt: Uint8Array;
}

/** Why and where a body was refused. `offset` counts bytes from 0, `row` from 0, `line` from 1. */
export interface Refusal {
  fault: Fault;
  offset: number;
  row: number;
  line: number;
}

/** The members of a JSON body around its rows, as far as they are known. Values are decoded; `undefined` when absent. */
export interface Envelope {
  /** Kind of the body's top-level value. */
  top: Kind;
  source: unknown;
  options: unknown;
  hasRows: boolean;
}

export interface Engine {
  begin(start: BatchStart): void;
  /** Takes the next bytes of the body and parses as many whole rows as there are. The caller keeps to the body limit. */
  write(chunk: Uint8Array): Status;
  /** Parses bytes that `write` has put off (it waits for more of a very long row). Call it when the client pauses. */
  flush(): Status;
  /** True while `flush` has something to do. */
  readonly behind: boolean;
  /** The body is complete: DONE or FAILED. */
  end(): Status;
  /** After FAILED. */
  refusal(): Refusal;
  /** After DONE, of JSON bodies. */
  envelope(): Envelope;
  /** After DONE: rows read so far (also while reading). */
  readonly rows: number;
  /** After DONE: measures all rows, or a sample of `sampleRows` when there are more. */
  profile(sampleRows: number): Profile;
  /** After `profile`, until the next `begin`. */
  readonly look: SecondLook;
}
