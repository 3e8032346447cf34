/** Every request from its begin to its answer, whatever becomes of it: timed, logged, counted. */
import type { Logger } from 'pino';
import { ID_RANDOM_BYTES, requestId } from '../intake/request-id.ts';
import { addHeaders } from './answer-headers.ts';
import { keepFacts, RequestFacts } from './facts.ts';
import { logRequest } from './request-log.ts';

/** A request and its answer. */
export interface Answered {
  method: string;
  /** Its pattern, such as `/v1/jobs/{id}`. */
  route: string;
  status: number;
  /** Until the answer was ready, the wait for the client's bytes included. */
  ms: number;
  facts: RequestFacts;
}

/** Counts requests. */
export interface RequestMeter {
  begun(): void;
  answered(request: Answered): void;
}

export interface ObservationDependencies {
  log: Logger;
  /** Null: nothing is counted. */
  meter: RequestMeter | null;
  now(): number;
  random(bytes: number): Uint8Array;
}

type Handle = (request: Request) => Response | Promise<Response>;

/** `handle`, observed; `patternOf` names the route of an address. */
export function observed(
  handle: Handle,
  patternOf: (url: string) => string,
  deps: ObservationDependencies,
): Handle {
  const newId = () => requestId(deps.now(), deps.random(ID_RANDOM_BYTES));
  return request => {
    const since = performance.now();
    const facts = new RequestFacts(newId);
    keepFacts(request, facts);
    deps.meter?.begun();
    const { method, url } = request;
    const answered = (response: Response): Response => {
      response.headers.set('X-Request-Id', facts.id);
      addHeaders(response.headers);
      const { status } = response;
      const ms = performance.now() - since;
      // The answer goes out first.
      setImmediate(() => note({ method, route: patternOf(url), status, ms, facts }, deps));
      return response;
    };
    const response = handle(request);
    return response instanceof Promise ? response.then(answered) : answered(response);
  };
}

function note(request: Answered, { log, meter }: ObservationDependencies): void {
  logRequest(request, log);
  meter?.answered(request);
}
