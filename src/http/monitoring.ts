/** Times, logs and counts every request from its start to its response, also when it fails. */
import type { Logger } from 'pino';
import { ID_RANDOM_BYTES, requestId } from '../names/request-id.ts';
import { addHeaders } from './answer-headers.ts';
import { keepFacts, RequestFacts } from './request-facts.ts';
import { logRequest } from './request-log.ts';
import type { RequestOutcome } from './request-outcome.ts';
import { traceOf, traceparentOf } from './trace.ts';

/** Counts requests. */
export interface RequestMeter {
  started(): void;
  finished(request: RequestOutcome): void;
}

export interface MonitoringDependencies {
  log: Logger;
  /** Null: requests are not counted. */
  meter: RequestMeter | null;
  now(): number;
  random(bytes: number): Uint8Array;
}

type Handle = (request: Request) => Response | Promise<Response>;

/** Wraps `handle` with monitoring. `patternOf` returns the route pattern of a URL. */
export function monitored(
  handle: Handle,
  patternOf: (url: string) => string,
  deps: MonitoringDependencies,
): Handle {
  const newId = () => requestId(deps.now(), deps.random(ID_RANDOM_BYTES));
  return request => {
    const since = performance.now();
    const facts = new RequestFacts(newId, traceOf(request.headers.get('traceparent'), deps.random));
    keepFacts(request, facts);
    deps.meter?.started();
    const { method, url } = request;
    const finish = (response: Response): Response => {
      response.headers.set('X-Request-Id', facts.id);
      if (facts.trace !== null) response.headers.set('traceparent', traceparentOf(facts.trace));
      addHeaders(response.headers);
      const { status } = response;
      const ms = performance.now() - since;
      // Send the response first.
      setImmediate(() => record({ method, route: patternOf(url), status, ms, facts }, deps));
      return response;
    };
    const response = handle(request);
    return response instanceof Promise ? response.then(finish) : finish(response);
  };
}

export function record(
  request: RequestOutcome,
  { log, meter }: Pick<MonitoringDependencies, 'log' | 'meter'>,
): void {
  logRequest(request, log);
  meter?.finished(request);
}
