/** Parameters of addresses that several routes have. */
import { Type } from '@sinclair/typebox';
import type { IntegerRange } from '../parameters.ts';
import type { Parameter } from './operation.ts';
import { JOB_ID, SOURCE } from '../../contract/values.ts';

/** The source in the path. */
export const SOURCE_IN_PATH: Parameter = {
  name: 'source',
  in: 'path',
  required: true,
  description: 'The source, percent-encoded UTF-8; a slash in its name is `%2F`',
  schema: SOURCE,
  example: 'orders',
};

export const BEFORE: Parameter = {
  name: 'before',
  in: 'query',
  required: false,
  description: 'The last id of one page: the next page has only older jobs',
  schema: JOB_ID,
};

/** A whole number in the query. */
export const integerInQuery = (
  name: string,
  description: string,
  { min, max, fallback }: IntegerRange,
): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: Type.Integer({ minimum: min, maximum: max, default: fallback }),
});

/** The name of a source in the query. */
export const sourceInQuery = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: SOURCE,
});
