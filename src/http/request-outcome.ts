/** A request and its response, for the log and the metrics. */
import type { RequestFacts } from './request-facts.ts';

export interface RequestOutcome {
  method: string;
  /** Route pattern, such as `/v1/jobs/{id}`. */
  route: string;
  status: number;
  /** Time until the response was ready, including the wait for the client's bytes. */
  ms: number;
  facts: RequestFacts;
}
