/** Parameters that several routes share. */
import { Type } from '@sinclair/typebox';
import { dateTime, JOB_ID, SOURCE } from '../../contract/values.ts';
import { type IntegerRange, VERSIONS } from '../parameters.ts';
import type { Parameter } from './operation.ts';

/** The source in the path. */
export const SOURCE_IN_PATH: Parameter = {
  name: 'source',
  in: 'path',
  required: true,
  description: 'Name of the source in percent-encoded UTF-8; write a slash as `%2F`',
  schema: SOURCE,
  example: 'orders',
};

export const BEFORE: Parameter = {
  name: 'before',
  in: 'query',
  required: false,
  description: 'Only jobs older than this id: pass the last id of a page to get the next page',
  schema: JOB_ID,
};

/** An integer in the query. */
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

/** The query parameter of a change that applies only to one version. */
export const ifVersion = (what: 'rules' | 'settings'): Parameter => ({
  name: 'if_version',
  in: 'query',
  required: false,
  description: `Change the ${what} only where they have this version, so that nobody overwrites what somebody else changed meanwhile; 0: where the source never had ${what}`,
  schema: Type.Integer({ minimum: VERSIONS.min, maximum: VERSIONS.max }),
});

/** The name of a source in the query. */
export const sourceInQuery = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: SOURCE,
});

/** A date and time in the query. */
export const timeInQuery = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description: `${description}, with its zone`,
  schema: dateTime('A date and time'),
  example: '2026-11-21T00:00:00Z',
});
