/**
 * How a route is documented: an operation of OpenAPI 3.1 beside the handler, as the route's `detail`. Elysia checks
 * nothing by it; what a request may hold is decided by the code that reads it, and tests hold the two together.
 */
import type { TSchema } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';

/** Groups of operations, in the order in which they are shown. */
export const TAGS = {
  Screening: 'Rows in, verdict out.',
  Baselines: 'What a source looked like before, and its reset.',
  Jobs: 'What was screened: lists, reports, statistics.',
  Keys: 'API keys of the account.',
  'Signing in': 'One-time codes and sessions, for people.',
  Billing: 'Plan, usage and payment.',
  Service: 'Whether the service runs. No key is needed.',
} as const;

export interface Operation {
  operationId: string;
  tags: (keyof typeof TAGS)[];
  summary: string;
  description?: string;
  /** An API key or a session where it says nothing, whoever asks where it is empty. */
  security?: Security;
  parameters?: Parameter[];
  requestBody?: { required: boolean; description?: string; content: Record<string, Media> };
  responses: Responses;
}

/** One of these schemes, by name. */
type Security = Partial<Record<'apiKey' | 'session', string[]>>[];

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: TSchema;
  example?: unknown;
}

export interface Media {
  schema: TSchema;
  examples: Examples;
}

type Examples = Record<string, { summary?: string; value: unknown }>;

export interface Response {
  description: string;
  headers?: Record<string, Header>;
  content: Record<string, Media>;
}

export interface Header {
  description: string;
  /** In every answer of the status. */
  required: boolean;
  schema: TSchema;
  example: unknown;
}

/** By status. */
export type Responses = Record<number, Response>;

/** The operation as a route takes it: `{ detail: operation({ .. }) }`. */
export const operation = (document: Operation): DocumentDecoration =>
  // Elysia's type is of OpenAPI 3.0, whose schemas know less.
  document as unknown as DocumentDecoration;

/** An answer in JSON, with examples by what they show. */
export function answer(
  description: string,
  schema: TSchema,
  examples: Record<string, unknown>,
  headers: Record<string, Header> = {},
): Response {
  const media = json(schema, examples);
  return { description, ...(Object.keys(headers).length > 0 && { headers }), content: media };
}

export const json = (schema: TSchema, examples: Record<string, unknown>): Record<string, Media> => ({
  'application/json': media(schema, examples),
});

export const media = (schema: TSchema, examples: Record<string, unknown>): Media => ({
  schema,
  examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
});

/** Whoever asks is answered. */
export const OPEN: Security = [];
/** The token of a session, and no key. */
export const SESSION_ONLY: Security = [{ session: [] }];
