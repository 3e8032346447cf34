/** Query parameters: how each is described and read. Unknown ones are ignored; a wrong value of a known one is INVALID_PARAMETER. */
import {
  OptionalKind,
  type Static,
  type TInteger,
  type TObject,
  type TSchema,
  Type,
} from '@sinclair/typebox';
import { type AlertKind, isAlertId } from '../alerts/ids.ts';
import { checkedBy, dateTime, JOB_ID, oneOf, SOURCE } from '../report-schema/values.ts';
import { quoted, Rejection } from '../terms/errors.ts';
import { instantOf } from '../time/instant.ts';
import { checkSource } from '../names/source.ts';
import { MAX_INTEGER } from '../options/options.ts';
import { fits, wrong } from './check.ts';
import type { Parameter } from './documents/operation.ts';

export interface QueryParameter<Schema extends TSchema = TSchema> {
  description: string;
  schema: Schema;
  example?: unknown;
}

export type Query = Record<string, QueryParameter>;
/** What the handler gets. */
export type Asked<Q extends Query> = Static<TObject<{ [Name in keyof Q]: Q[Name]['schema'] }>>;

export interface IntegerRange {
  min: number;
  max: number;
  /** Value without the parameter. */
  fallback: number;
}

/** Of lists. */
export const PAGE = { min: 1, max: 200, fallback: 50 };

export const integer = (
  description: string,
  { min, max, fallback }: IntegerRange,
): QueryParameter<TInteger> => ({
  description,
  schema: Type.Integer({ minimum: min, maximum: max, default: fallback }),
});

export const optional = <Schema extends TSchema>(description: string, schema: Schema) => ({
  description,
  schema: Type.Optional(schema),
});

/** As a pattern: some generators refer to a type of words that they do not write. */
export const wordSchema = <const Word extends string>(words: readonly Word[]) =>
  checkedBy<Word>(value => words.includes(value as Word), oneOf(words), {
    type: 'string',
    pattern: `^(${words.join('|')})$`,
  });

/** The name of a source. */
export const sourceName = (description: string) => optional(description, SOURCE_NAME);

const SOURCE_NAME = checkedBy<string>(
  isSource,
  'a name of 1 to 200 characters that is not blank, without control characters or lone surrogates, and not . or ..',
  SOURCE,
);

/** Of lists of jobs. */
export const BEFORE_JOB = optional(
  'Only jobs older than this id: pass the last id of a page to get the next page',
  JOB_ID,
);

/** A date-time of RFC 3339. */
export const time = (description: string) => ({
  ...optional(`${description}, with its zone`, TIME),
  example: '2026-11-21T00:00:00Z',
});

const TIME = checkedBy<string>(
  value => typeof value === 'string' && instantOf(value) !== null,
  'a date and time with its zone, such as 2026-11-21T00:00:00Z',
  dateTime('A date and time'),
);

/** In ms. */
export const timeIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : instantOf(text)!;

/** The only version that a change applies to. */
export const ifVersion = (what: 'rules' | 'settings') =>
  optional(
    `Change the ${what} only where they have this version, so that nobody overwrites what somebody else changed meanwhile; 0: where the source never had ${what}`,
    Type.Integer({ minimum: 0, maximum: MAX_INTEGER }),
  );

/** The id of an alert channel, a delivery or an incident, which need not exist. */
export const alertId = (kind: AlertKind, description: string) =>
  checkedBy<string>(
    value => typeof value === 'string' && isAlertId(kind, value),
    `an id, ${kind}_ and 26 letters and digits`,
    { type: 'string', pattern: `^${kind}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`, description },
  );

/** The values of the query. Throws `Rejection` INVALID_PARAMETER. */
export function queryOf<Q extends Query>(request: Request, query: Q): Asked<Q> {
  const values: Record<string, unknown> = {};
  for (const [name, { schema }] of Object.entries(query)) {
    const text = queryText(request, name);
    if (text === undefined && (schema.default !== undefined || isOptional(schema))) {
      if (schema.default !== undefined) values[name] = schema.default;
      continue;
    }
    const value = text === undefined ? undefined : valueIn(text, schema);
    if (!fits(schema, value)) throw invalid(wrong(name, schema, text));
    values[name] = value;
  }
  return values as Asked<Q>;
}

export const describedQuery = (query: Query): Parameter[] =>
  Object.entries(query).map(([name, { schema, ...described }]) => ({
    name,
    in: 'query',
    required: schema.default === undefined && !isOptional(schema),
    ...described,
    schema,
  }));

const isOptional = (schema: TSchema): boolean => OptionalKind in schema;

/** The text, where it is no value of the schema. */
function valueIn(text: string, { type, format }: TSchema): unknown {
  if (type === 'integer' && /^\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  // A plus sign that is not encoded arrives as a space.
  return format === 'date-time' ? text.replace(' ', '+') : text;
}

/**
 * The parameter's text; undefined without it. A plus sign is a space, as in forms. Throws `Rejection` INVALID_PARAMETER if
 * it is repeated or is not percent-encoded UTF-8.
 */
export function queryText(request: Request, name: string): string | undefined {
  const values = rawValues(request.url, name);
  if (values.length > 1) throw invalid(`${name} is given ${values.length} times; give it once`);
  return values[0] === undefined ? undefined : decoded(name, values[0]);
}

function rawValues(url: string, name: string): string[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return (
    query
      .split('&')
      // The & keeps the question mark of a name like `?limit`, which is a different name.
      .filter(pair => new URLSearchParams(`&${pair}`).has(name))
      .map(pair => pair.slice(pair.indexOf('=') + 1 || pair.length))
  );
}

function decoded(name: string, raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    throw invalid(`${name} must be percent-encoded UTF-8, not ${quoted(raw)}`);
  }
}

function isSource(value: unknown): boolean {
  try {
    return checkSource(value, '') !== '';
  } catch {
    return false;
  }
}

const invalid = (message: string) => new Rejection('INVALID_PARAMETER', message);
