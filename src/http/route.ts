/**
 * Declares a route once. From the declaration come its operation in the OpenAPI document, the check of who calls, the checks of
 * path, query and body by their schemas, and a 405 with `Allow` for every other method of its path.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import type { AnyElysia } from 'elysia';
import type { ErrorCode } from '../terms/errors.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { Identity } from '../stores/ports.ts';
import { ACCOUNT, type CallerDependencies, type Callers, OWN_CHECK } from './caller.ts';
import { checked } from './check.ts';
import type { Parameter, RequestBody, Responses, TAGS } from './documents/operation.ts';
import { jsonText } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { type Asked, type Query, queryOf } from './parameters.ts';
import { sourceInPath, sourceToEnd } from './source-path.ts';

/** The names in `/v1/schema/:source/versions/:id`. */
type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What a handler gets: the values of the path by name, and these. */
export type Call<Path extends string, Caller, Q extends Query, Body extends TSchema> = {
  [Name in NamesIn<Path>]: string;
} & {
  request: Request;
  /** Address of the connection's other end; null if it is not known. */
  peer: string | null;
  caller: Caller;
  query: Asked<Q>;
  body: Static<Body>;
};

/** A JSON object. */
export interface JsonBody<Body extends TSchema = TSchema> {
  schema: Body;
  examples: Record<string, unknown>;
  /** Code of a body that the schema does not allow; INVALID_PARAMETER if it is absent. */
  code?: ErrorCode;
}

/** What the document says of a route. */
export interface Documented {
  operationId: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  /** Of the path, but `source`. */
  params?: Record<string, Omit<Parameter, 'name' | 'in' | 'required'>>;
  headers?: Parameter[];
  /** A body that the handler reads itself. */
  content?: RequestBody;
  /** The successes, by status. The first one is that of what the handler returns. */
  answers: Responses;
  /** Codes of the handler; those of the checks before it are added. */
  refusals?: readonly ErrorCode[];
  /** Example messages that fit better than those of `documents/refusals.ts`. */
  messages?: Partial<Record<ErrorCode, string>>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Declaration<Path extends string, Caller, CallerDeps, Q extends Query, Body extends TSchema, Deps>
  extends Documented {
  /** Absent: an account, by API key or session. */
  callers?: Callers<Caller, CallerDeps>;
  query?: Q;
  body?: JsonBody<Body>;
  /** Returns the response, or what is its JSON. */
  handle(call: Call<Path, Caller, Q, Body>, deps: Deps): object | Promise<object>;
}

interface Asking {
  request: Request;
  /** Absent without names in the path. Null: invalid percent-encoding, which names nothing. */
  params?: Record<string, string | null> | undefined;
  server: Peers | null;
}

/** The part of a server that is used here. */
interface Peers {
  requestIP(request: Request): { address: string } | null;
}

export interface Route<Deps = never> {
  method: Method;
  path: string;
  /** Null: in no document. */
  documented:
    | (Documented & {
        callers: Pick<Callers<unknown>, 'security' | 'refusals'>;
        query?: Query;
        body?: JsonBody;
      })
    | null;
  answer: (asking: Asking, deps: Deps) => Promise<Response>;
}

/** A route of the API, such as `GET /v1/keys/:id`. */
export function route<
  Path extends `/${string}`,
  Deps,
  Caller = Identity,
  CallerDeps = CallerDependencies,
  Q extends Query = Record<never, never>,
  Body extends TSchema = TSchema,
>(
  address: `${Method} ${Path}`,
  declared: Declaration<Path, Caller, CallerDeps, Q, Body, Deps>,
): Route<Deps & CallerDeps & UploadLimits> {
  const [method, path] = address.split(' ') as [Method, Path];
  const { query = {}, body, answers } = declared;
  const callers = declared.callers ?? (ACCOUNT as unknown as Callers<Caller, CallerDeps>);
  const status = Number(Object.keys(answers)[0]);
  return {
    method,
    path,
    documented: { ...declared, callers },
    async answer({ request, params, server }, deps) {
      const call = {
        request,
        peer: server?.requestIP(request)?.address ?? null,
        caller: await callers.identify(request, deps),
        ...namesOf(path, request, params),
        query: queryOf(request, query),
        body: body && (await bodyOf(request, body, deps)),
      };
      const answer = await declared.handle(call as unknown as Call<Path, Caller, Q, Body>, deps);
      const response = answer instanceof Response ? answer : Response.json(answer, { status });
      // Caches skip responses to `Authorization`, but do not know X-API-Key. They keep no response to the POST of a batch.
      if (callers !== OWN_CHECK) response.headers.set('Cache-Control', 'no-store');
      return response;
    },
  };
}

/** A route for browsers and other programs that the document does not have. */
export const page = <Deps>(
  path: string,
  handle: (asking: Asking, deps: Deps) => Response | Promise<Response>,
): Route<Deps> => ({
  method: 'GET',
  path,
  documented: null,
  answer: async (asking, deps) => handle(asking, deps),
});

function namesOf(path: string, request: Request, params: Asking['params'] = {}): Record<string, string> {
  const names = Object.entries(params).map(([name, value]) => [name, value ?? '']);
  if (!path.includes(':source')) return Object.fromEntries(names);
  const source = path.endsWith(':source') ? sourceToEnd(request) : sourceInPath(request);
  return { ...Object.fromEntries(names), source };
}

async function bodyOf(
  request: Request,
  { schema, code = 'INVALID_PARAMETER' }: JsonBody,
  deps: UploadLimits,
) {
  const { value } = await jsonText(request, deps);
  return checked(schema, value, code);
}

/** The part of Elysia that is used here, without its types of routes. */
interface Router {
  route(method: Method, path: string, handler: Handler, hook: object): unknown;
  all(path: string, handler: Handler): unknown;
}

type Handler = (asking: Asking) => Response | Promise<Response>;

/** Adds the routes to the application. */
export function addRoutes<Deps>(app: AnyElysia, routes: readonly Route<Deps>[], deps: Deps): void {
  const router = app as unknown as Router;
  for (const [path, ofPath] of Map.groupBy(routes, each => each.path)) {
    // Elysia reads the names in the handler's text to see what it needs.
    for (const { method, answer } of ofPath)
      router.route(method, path, ({ request, params, server }) => answer({ request, params, server }, deps), {
        parse: 'none',
      });
    const others = otherMethods(
      ofPath.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', '),
    );
    router.all(path, others);
    // Common clients do not encode the slashes of a source. `all` is tried last, so that addresses below a source keep their meaning.
    if (path.endsWith('/:source'))
      router.all(path.replace(':source', '*'), ({ request, params, server }) => {
        const method = request.method === 'HEAD' ? 'GET' : request.method;
        const found = ofPath.find(each => each.method === method);
        if (!found) return others({ request });
        const answer = found.answer({ request, params, server }, deps);
        if (request.method !== 'HEAD') return answer;
        return answer.then(({ status, headers }) => new Response(null, { status, headers }));
      });
  }
}
