/** Parts of an OpenAPI 3.1 operation. */
import { type TSchema, Type } from '@sinclair/typebox';

/** Groups of operations, in display order. */
export const TAGS = {
  Screening: 'Send rows, get a verdict.',
  Batches: 'Batches of any length: a file, a table, a partition.',
  Baselines: 'What is normal for a source: read, change and reset it.',
  Rules: 'What must be true of a source, as its owner says: read, change, import and export.',
  Jobs: 'Screened batches: lists, reports and statistics.',
  Alerts: 'Channels that tell you when a source stops passing, and incidents.',
  Keys: 'API keys of the account.',
  'Signing in': 'One-time codes and sessions, for people.',
  Billing: 'Plan, usage and payment.',
  Service: 'State of the service. No key is needed.',
} as const;

/** One of these schemes, by name; empty: no authentication. */
export type Security = Partial<Record<'apiKey' | 'session', string[]>>[];

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: TSchema;
  example?: unknown;
}

export interface RequestBody {
  required: boolean;
  description?: string;
  content: Record<string, Media>;
}

export interface Media {
  schema: TSchema;
  examples: Record<string, { summary?: string; value: unknown }>;
}

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

/** A JSON response with named examples. */
export function answer(
  description: string,
  schema: TSchema,
  examples: Record<string, unknown>,
  headers: Record<string, Header> = {},
): Response {
  const content = json(schema, examples);
  return { description, ...(Object.keys(headers).length > 0 && { headers }), content };
}

export const json = (schema: TSchema, examples: Record<string, unknown>): Record<string, Media> => ({
  'application/json': media(schema, examples),
});

export const media = (schema: TSchema, examples: Record<string, unknown>): Media => ({
  schema,
  examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
});

/** The header that keeps caches from storing `what`, such as a key that is shown once. */
export const noStore = (what: string): Record<string, Header> => ({
  'Cache-Control': {
    description: `Keeps caches from storing ${what}`,
    required: true,
    schema: Type.String(),
    example: 'no-store',
  },
});

/** Of a path parameter. */
export const idOf = (what: string, example: string) => ({
  id: { description: `Id of the ${what}`, schema: Type.String({ minLength: 1 }), example },
});
