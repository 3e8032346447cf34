/** Rejects unknown addresses with 404 and unknown methods with 405. Elysia would answer both with 404. */
import { Rejection } from '../terms/errors.ts';

/** For `.all(path, ..)` after the route's own methods. `allow`: these methods, as in `GET, HEAD`. */
export function otherMethods(allow: string): (context: { request: Request }) => Response {
  const headers = { Allow: `${allow}, OPTIONS` };
  return ({ request }) => {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers });
    throw new Rejection('METHOD_NOT_ALLOWED', `This address supports only ${headers.Allow}`, headers);
  };
}

export const nothingHere = (): Rejection => new Rejection('NOT_FOUND', 'There is nothing at this address');
