/** What is said of addresses that are not there, and of methods that an address does not have: Elysia would call both not found. */
import { Rejection } from '../errors.ts';

/** For `.all(path, ..)` behind the route's own methods, which are `allow`, as in `GET, HEAD`. */
export function otherMethods(allow: string): (context: { request: Request }) => Response {
  const headers = { Allow: `${allow}, OPTIONS` };
  return ({ request }) => {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers });
    throw new Rejection('METHOD_NOT_ALLOWED', `This address answers ${headers.Allow}`, headers);
  };
}

export const nothingHere = (): Rejection => new Rejection('NOT_FOUND', 'There is nothing at this address');
