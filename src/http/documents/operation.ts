/**
 * Types for the description of a route: an OpenAPI 3.1 operation in the route's `detail`. Elysia does not validate
 * requests with it. The code that reads a request decides what is valid, and tests compare the two.
 */
import type { TSchema } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';

/** Groups of operations, in display order. */
export const TAGS = {
  Screening: 'Send rows, get a verdict.',
  Baselines: 'What is normal for a source: read, change and reset it.',
  Rules: 'What must be true of a source, as its owner says: read, change, import and export.',
  Jobs: 'Screened batches: lists, reports and statistics.',
  Alerts: 'Channels that tell you when a source stops passing, and incidents.',
  Keys: 'API keys of the account.',
  'Signing in': 'One-time codes and sessions, for people.',
  Billing: 'Plan, usage and payment.',
  Service: 'State of the service. No key is needed.',
} as const;

export interface Operation {
  operationId: string;
  tags: (keyof typeof TAGS)[];
  summary: string;
  description?: string;
  /** Absent: an API key or a session. Empty: no authentication. */
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
  /** Whether every response with the status has it. */
  required: boolean;
  schema: TSchema;
  example: unknown;
}

/** By status. */
export type Responses = Record<number, Response>;

/** Converts an operation for a route: `{ detail: operation({ .. }) }`. */
export const operation = (document: Operation): DocumentDecoration =>
  // Elysia's type is for OpenAPI 3.0, which supports fewer schemas.
  document as unknown as DocumentDecoration;

/** A JSON response with named examples. */
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

/** No authentication. */
export const OPEN: Security = [];
/** Only a session token, no API key. */
export const SESSION_ONLY: Security = [{ session: [] }];
