/** JSON Schemas for editors, of `sluice.yaml` and of files of rules: in draft 7, which all of them know. */
import { RulesDocument } from '../../rules/declared/document.ts';
import { CheckDocument } from './check-document.ts';

const SCHEMAS = {
  check: { title: 'sluice.yaml', schema: CheckDocument },
  rules: { title: 'Rules of a source', schema: RulesDocument },
};

export type SchemaName = keyof typeof SCHEMAS;
export const SCHEMA_NAMES = Object.keys(SCHEMAS) as SchemaName[];

/** As JSON text. */
export function editorSchema(name: SchemaName): string {
  const definitions: Record<string, unknown> = {};
  const { title, schema } = SCHEMAS[name];
  const { $id: _, ...whole } = schema;
  const root = inDraft7(whole, definitions) as object;
  const $schema = 'http://json-schema.org/draft-07/schema#';
  return `${JSON.stringify({ $schema, title, ...root, definitions }, null, 2)}\n`;
}

/** What has an `$id` becomes a definition. */
function inDraft7(schema: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map(each => inDraft7(each, definitions));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, unevaluatedProperties, ...members } = schema as Record<string, unknown>;
  const copy = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, inDraft7(value, definitions)]),
  );
  const found = {
    ...copy,
    ...(unevaluatedProperties !== undefined && { additionalProperties: unevaluatedProperties }),
  };
  if (typeof $id !== 'string') return found;
  definitions[$id] = found;
  return { $ref: `#/definitions/${$id}` };
}
