/** Rules → JSON Schema 2020-12 of a row, or of an array of rows where their number is bounded. */
import type { Condition, Constraint, DeclaredRules } from '../declared/constraint.ts';
import { TYPES } from '../declared/words.ts';
import { at, type Exporter, isStrict } from './exporter.ts';

const SAME: Partial<Record<Constraint['kind'], string>> = {
  minimum: 'minimum',
  maximum: 'maximum',
  exclusive_minimum: 'exclusiveMinimum',
  exclusive_maximum: 'exclusiveMaximum',
  multiple_of: 'multipleOf',
  min_length: 'minLength',
  max_length: 'maxLength',
  pattern: 'pattern',
};

interface Property {
  keywords: Record<string, unknown>;
  types: readonly string[] | null;
  values: readonly unknown[] | null;
  isNullable: boolean;
}

type Properties = Map<string, Property>;

const newProperty = (): Property => ({ keywords: {}, types: null, values: null, isNullable: true });

export function exportJsonSchema({ document: rules, conditions }: DeclaredRules): Exporter {
  const places = new Map<number | null, Properties>([[null, new Map()]]);
  const array: Record<string, unknown> = {};
  let isClosed = false;
  for (const [name, field] of Object.entries(rules.fields ?? {})) {
    const { keywords } = at(places.get(null)!, name, newProperty);
    if (field.description !== undefined) keywords.description = field.description;
  }
  return {
    say(constraint) {
      const { kind, expected, field, condition } = constraint;
      if (!isStrict(constraint)) return 'A schema knows neither warnings nor rows that may fail';
      if (kind === 'closed') isClosed = true;
      else if (kind === 'min_rows') array.minItems = expected;
      else if (kind === 'max_rows') array.maxItems = expected;
      else if (field === null || !isOfValue(constraint))
        return 'A schema is about one row and its single values';
      else if (condition !== null && !('values' in conditions[condition]!))
        return 'The condition is written for fields that have one of some values only';
      else
        sayOf(
          constraint,
          at(
            at(places, condition, () => new Map()),
            field,
            newProperty,
          ),
        );
      return null;
    },
    document() {
      const row = rowOf(places, conditions, isClosed);
      const head = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        ...(rules.description !== undefined && { description: rules.description }),
      };
      return Object.keys(array).length > 0
        ? { ...head, type: 'array', items: row, ...array }
        : { ...head, ...row };
    },
  };
}

function isOfValue({ kind, expected }: Constraint): boolean {
  if (kind === 'format') return expected !== 'country' && expected !== 'currency';
  return kind in SAME || kind === 'type' || kind === 'enum' || kind === 'nullable';
}

function sayOf(constraint: Constraint, property: Property): void {
  const { kind, expected } = constraint;
  const same = SAME[kind];
  if (same !== undefined) property.keywords[same] = expected;
  else if (kind === 'type') property.types = constraint.expected;
  else if (kind === 'enum') property.values = constraint.expected;
  else if (kind === 'format') property.keywords.format = expected;
  else property.isNullable = false;
}

function rowOf(
  places: ReadonlyMap<number | null, Properties>,
  conditions: readonly Condition[],
  isClosed: boolean,
): object {
  const own = rowSchema(places.get(null)!);
  const allOf = [...places].flatMap(([place, properties]) => {
    if (place === null) return [];
    const { field, values } = conditions[place] as Condition & { values: readonly unknown[] };
    const test = { properties: { [field]: { enum: values } }, required: [field] };
    return [{ if: test, then: rowSchema(properties) }];
  });
  return {
    type: 'object',
    ...own,
    ...(isClosed && { additionalProperties: false }),
    ...(allOf.length === 1 && allOf[0]),
    ...(allOf.length > 1 && { allOf }),
  };
}

function rowSchema(properties: Properties): object {
  const required = [...properties].filter(([, { isNullable }]) => !isNullable).map(([name]) => name);
  return {
    properties: Object.fromEntries([...properties].map(([name, property]) => [name, schemaOf(property)])),
    ...(required.length > 0 && { required }),
  };
}

/** Rules look at values; a schema has to allow null beside them. */
function schemaOf({ keywords, types, values, isNullable }: Property): object {
  const { description, ...others } = keywords;
  const all = types ?? (isNullable || values !== null ? null : TYPES);
  const type = all === null ? undefined : isNullable ? [...all, 'null'] : all.length === 1 ? all[0] : all;
  return {
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    ...(values !== null && { enum: isNullable ? [...values, null] : values }),
    ...others,
  };
}
