/** What becomes known of a request on its way, for the log and the metrics. Kept beside it: a handler need not hand it on. */
import type { ErrorCode } from '../errors.ts';
import type { Upload } from '../intake/upload.ts';
import type { Screened } from '../screen.ts';
import type { StageClock } from '../stages.ts';

export class RequestFacts {
  /** Id of the account that asked; null while it is not known. */
  account: string | null = null;
  /** Null where the body was not read. */
  upload: Pick<Upload, 'bytes'> | null = null;
  /** Of a refusal. */
  code: ErrorCode | null = null;
  /** Of a screening that was answered with 200. */
  screened: Pick<Screened, 'report' | 'replayed'> | null = null;
  /** Of a screening. */
  clock: StageClock | null = null;
  readonly #newId: () => string;
  #id: string | null = null;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** By which client and operator speak of the request: a screening's own, where it has one. */
  get id(): string {
    this.#id ??= this.screened?.report.request_id ?? this.#newId();
    return this.#id;
  }
}

const known = new WeakMap<Request, RequestFacts>();

export const keepFacts = (request: Request, facts: RequestFacts): unknown => known.set(request, facts);

/** The request's facts, which are kept for every request that the application answers. */
export function factsOf(request: Request): RequestFacts {
  const facts = known.get(request);
  if (!facts) throw new Error('a request that did not come in through the application');
  return facts;
}
