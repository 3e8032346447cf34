/** Facts about a request for the log and the metrics. Stored beside the request, so that handlers need not pass them on. */
import type { ErrorCode } from '../terms/errors.ts';
import type { Upload } from '../intake/upload.ts';
import type { Screened } from '../screen/screen.ts';
import type { StageClock } from '../screen/stages.ts';
import type { Trace } from './trace.ts';

export class RequestFacts {
  /** Id of the caller's account; null if it is not known. */
  account: string | null = null;
  /** Null if the body was not read. */
  upload: Pick<Upload, 'bytes'> | null = null;
  /** Error code of a rejected request. */
  code: ErrorCode | null = null;
  /** Result of a screening that was answered with 200. */
  screened: Pick<Screened, 'report' | 'replayed'> | null = null;
  /** Stage times of a screening. */
  clock: StageClock | null = null;
  /** The trace that the caller named. */
  readonly trace: Trace | null;
  readonly #newId: () => string;
  #id: string | null = null;

  constructor(newId: () => string, trace: Trace | null) {
    this.#newId = newId;
    this.trace = trace;
  }

  /** Id of the request, which the client sees too. A screening has the id of its report. */
  get id(): string {
    this.#id ??= this.screened?.report.request_id ?? this.#newId();
    return this.#id;
  }
}

const factsByRequest = new WeakMap<Request, RequestFacts>();

export const keepFacts = (request: Request, facts: RequestFacts): unknown =>
  factsByRequest.set(request, facts);

/** The facts of a request. Every request of the application has them. */
export function factsOf(request: Request): RequestFacts {
  const facts = factsByRequest.get(request);
  if (!facts) throw new Error('the request did not pass the monitoring');
  return facts;
}
