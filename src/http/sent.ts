/** Tells when the answer to a request has left. */
import { WireRequest } from './wire/request.ts';

/** Runs when the answer has left, or its connection has closed. Without a server, as in most tests, in the next turn of the event loop. */
export function whenSent(request: Request | WireRequest, run: () => void): void {
  if (request instanceof WireRequest) request.whenSent(run);
  else setImmediate(run);
}
