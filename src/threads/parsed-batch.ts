/** One batch on its way through an engine: parsed as its bytes arrive, measured at its end, then judged by the past of its source. */
import { Format, MAX_ROWS, Status } from '../../assembly/abi.ts';
import type { BatchStart, Engine } from '../engine/engine.ts';
import { RefusedBody } from '../intake/refusals.ts';
import { freeBuffer } from '../intake/free-buffer.ts';
import { type SourceAndOptions, sourceAndOptionsIn } from '../intake/source-and-options.ts';
import type { Profile } from '../profile/profile.ts';
import { readProfile } from '../profile/read.ts';
import type { SlicePlace } from '../states/slice-rows.ts';

/** The engine parses the bytes of a long row after this time at the latest, even while more bytes trickle in. */
const MAX_BEHIND_MS = 500;

export interface BodyStart extends BatchStart {
  /** CSV: whether the client named the delimiter. */
  isDelimiterGiven: boolean;
  /** From the headers; null where the body says it. */
  named: SourceAndOptions | null;
  /** Where the slice of a larger batch begins, which is measured and not judged, and the id of that batch. */
  slice?: SlicePlace & { batch: string };
}

export class ParsedBatch {
  readonly #engine: Engine;
  readonly #start: BodyStart;
  #parsedAt = performance.now();

  constructor(engine: Engine, start: BodyStart) {
    this.#engine = engine;
    this.#start = start;
    engine.begin(start);
  }

  /** Takes the next bytes and frees them. Throws `Rejection` for what the engine refuses. */
  write(bytes: Uint8Array): void {
    const status = this.#engine.write(bytes);
    freeBuffer(bytes);
    this.#check(status);
    this.#check(this.#engine.read());
    const now = performance.now();
    if (!this.#engine.behind) this.#parsedAt = now;
    else if (now - this.#parsedAt > MAX_BEHIND_MS) this.flush();
  }

  /** The client pauses: it may be waiting for our refusal. */
  flush(): void {
    if (this.#engine.behind) this.#check(this.#engine.flush());
    this.#parsedAt = performance.now();
  }

  /** The body is complete. Throws `Rejection`. */
  end(): SourceAndOptions {
    this.#check(this.#engine.end());
    const { format, delimiter, isDelimiterGiven, named } = this.#start;
    const other = format === Format.CSV && !isDelimiterGiven ? this.#engine.otherDelimiter : 0;
    if (other !== 0) throw new RefusedBody({ other, delimiter });
    return named ?? sourceAndOptionsIn(this.#engine);
  }

  /** Where it begins, if it is a slice of a larger batch; else null. */
  get slice(): BodyStart['slice'] | null {
    return this.#start.slice ?? null;
  }

  /** After `end`: measures all rows, or a sample of so many if there are more. */
  measure(sampleRows: number, fullScan: boolean): Profile {
    return readProfile(this.#engine.measure(fullScan ? MAX_ROWS : sampleRows));
  }

  #check(status: Status): void {
    if (status === Status.FAILED)
      throw new RefusedBody({ refusal: this.#engine.refusal(), format: this.#start.format });
  }
}
