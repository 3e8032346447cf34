/** Describes a route: its OpenAPI 3.1 operation. */
import type { TSchema } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import { SOURCE } from '../../report-schema/values.ts';
import type { ErrorCode } from '../../terms/errors.ts';
import { wrong } from '../check.ts';
import { describedQuery } from '../parameters.ts';
import type { JsonBody, Route } from '../route.ts';
import { json, type Parameter, type RequestBody } from './operation.ts';
import { refusals } from './refusals.ts';

const IN_PATH: Record<string, Omit<Parameter, 'name' | 'in' | 'required'>> = {
  source: {
    description: 'Name of the source in percent-encoded UTF-8; write a slash as `%2F`',
    schema: SOURCE,
    example: 'orders',
  },
};

/** Codes of a JSON body. */
const BODY_CODES = [
  'INVALID_JSON',
  'INVALID_PARAMETER',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const;

const BODY_MESSAGES = {
  INVALID_JSON: 'The body must be one JSON text in UTF-8',
  PAYLOAD_TOO_LARGE: 'Too large: a body may have at most 65,536 bytes',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON: send Content-Type: application/json',
};

/** The operation, as Elysia's plugin takes it. */
export function operationOf({ path, documented }: Route): DocumentDecoration {
  const { operationId, tag, summary, description, callers, body, content, answers } = documented!;
  const parameters = parametersOf(path, documented!);
  const codes = codesOf(path, documented!);
  const messages = {
    ...(body && BODY_MESSAGES),
    ...wrongParameter(path, documented!),
    ...documented!.messages,
  };
  const operation = {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(callers.security && { security: callers.security }),
    ...(parameters.length > 0 && { parameters }),
    ...((content || body) && { requestBody: content ?? bodyOf(body!) }),
    responses: { ...refusals(codes, messages), ...answers },
  };
  // Elysia's type is for OpenAPI 3.0, which supports fewer schemas.
  return operation as unknown as DocumentDecoration;
}

type Documented = NonNullable<Route['documented']>;

function parametersOf(path: string, { params = {}, headers = [], query = {} }: Documented): Parameter[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const inPath = names.map(name => ({
    name,
    in: 'path' as const,
    required: true,
    ...(params[name] ?? IN_PATH[name]!),
  }));
  return [...inPath, ...describedQuery(query), ...headers];
}

/** A body without required members may be left out. */
const bodyOf = ({ schema, examples }: JsonBody): RequestBody => ({
  required: schema.required !== undefined,
  content: json(schema, examples),
});

/** All codes that the route may answer. */
export function codesOf(path: string, { refusals: own = [], callers, query, body }: Documented): ErrorCode[] {
  const isRead = path.includes(':source') || query !== undefined;
  const read = body ? BODY_CODES : isRead ? (['INVALID_PARAMETER'] as const) : [];
  return [...new Set([...own, ...read, ...callers.refusals])];
}

/** An example of INVALID_PARAMETER: the first value that can be wrong. */
function wrongParameter(path: string, { query = {}, body }: Documented): { INVALID_PARAMETER?: string } {
  const [member] = Object.entries<TSchema>((body && !body.code && body.schema.properties) || {});
  if (member) return { INVALID_PARAMETER: wrong(...member, undefined) };
  if (path.includes(':source')) return { INVALID_PARAMETER: 'The source in the address must not be blank' };
  const [name, parameter] = Object.entries(query)[0] ?? [];
  return name === undefined
    ? {}
    : { INVALID_PARAMETER: wrong(name, parameter!.schema, parameter!.schema.type === 'integer' ? '0' : 'x') };
}
