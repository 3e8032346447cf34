/** Rules → a contract of the Open Data Contract Standard 3.1 with one object. */
import type { Constraint, DeclaredRules } from '../declared/constraint.ts';
import { at, type Exporter, isStrict } from './exporter.ts';
import { share } from './members.ts';

const OPTIONS: Partial<Record<Constraint['kind'], string>> = {
  minimum: 'minimum',
  maximum: 'maximum',
  exclusive_minimum: 'exclusiveMinimum',
  exclusive_maximum: 'exclusiveMaximum',
  multiple_of: 'multipleOf',
  min_length: 'minLength',
  max_length: 'maxLength',
};

const LOGICAL: Record<string, string> = { date: 'date', 'date-time': 'timestamp', time: 'time' };
const TEXT_FORMATS = ['email', 'uri', 'uuid', 'ipv4', 'ipv6'];

interface Property {
  members: Record<string, unknown>;
  options: Record<string, unknown>;
  quality: object[];
}

const newProperty = (): Property => ({ members: {}, options: {}, quality: [] });

export function exportOdcs({ document: rules, constraints }: DeclaredRules, name: string): Exporter {
  const properties = new Map<string, Property>();
  const table: object[] = [];
  const agreements: object[] = [];
  // A property has one type, and a date is one.
  const dated = new Set(constraints.filter(isDated).map(({ field }) => field));
  for (const [field, { description }] of Object.entries(rules.fields ?? {})) {
    const { members } = at(properties, field, newProperty);
    if (description !== undefined) members.description = description;
  }
  return {
    say(constraint) {
      const { kind, field, condition } = constraint;
      if (condition !== null) return 'A contract has no conditions';
      if (kind === 'type' && dated.has(field)) return 'A date has no other type in a contract';
      const metric = metricOf(constraint);
      if (kind === 'max_age' && !isStrict(constraint)) return 'A service level knows no warning';
      if (kind === 'max_age' && !isElement(field!)) return 'A service level cannot name this field';
      if (kind === 'max_age') agreements.push(latency(name, constraint));
      else if (field === null) {
        if (metric === null) return 'A contract has no such rule';
        table.push(metric);
      } else {
        const property = at(properties, field, newProperty);
        if (isStrict(constraint) && member(constraint, property)) return null;
        if (metric === null)
          return isStrict(constraint)
            ? 'A contract has no such rule'
            : 'A contract knows no warning or tolerance of it';
        property.quality.push(metric);
      }
      return null;
    },
    document: () => contract(name, rules.description, properties, table, agreements),
  };
}

const isDated = (constraint: Constraint): boolean =>
  constraint.kind === 'format' &&
  constraint.expected in LOGICAL &&
  constraint.condition === null &&
  isStrict(constraint);

function contract(
  name: string,
  purpose: string | undefined,
  properties: Map<string, Property>,
  table: object[],
  agreements: object[],
): object {
  return {
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    id: name,
    name,
    version: '1.0.0',
    status: 'active',
    ...(purpose !== undefined && { description: { purpose } }),
    schema: [
      {
        name,
        logicalType: 'object',
        properties: [...properties].map(([each, { members, options, quality }]) => ({
          name: each,
          ...members,
          ...(Object.keys(options).length > 0 && { logicalTypeOptions: options }),
          ...(quality.length > 0 && { quality }),
        })),
        ...(table.length > 0 && { quality: table }),
      },
    ],
    ...(agreements.length > 0 && { slaProperties: agreements }),
  };
}

/** Writes it as a member of the property; false if no member says it. */
function member(constraint: Constraint, { members, options }: Property): boolean {
  const { kind, expected } = constraint;
  const option = OPTIONS[kind];
  if (option !== undefined) options[option] = expected;
  else if (kind === 'pattern') options.pattern = expected;
  else if (kind === 'nullable') members.required = true;
  else if (kind === 'unique') members.unique = true;
  else if (kind === 'type' && constraint.expected.length === 1) members.logicalType = constraint.expected[0];
  else if (kind === 'format' && constraint.expected in LOGICAL)
    members.logicalType = LOGICAL[constraint.expected];
  else if (kind === 'format' && TEXT_FORMATS.includes(constraint.expected)) options.format = expected;
  else return false;
  return true;
}

/** As an entry of `quality`; null if no metric says it. */
function metricOf(constraint: Constraint): object | null {
  const { kind, expected, severity, tolerance, description } = constraint;
  const isShare = tolerance > 0 && tolerance < 1;
  const bound =
    tolerance === 0 ? { mustBe: 0 } : { mustBeLessOrEqualTo: isShare ? share(tolerance * 100) : tolerance };
  const rest = {
    ...bound,
    ...(isShare && { unit: 'percent' }),
    ...modifiers(severity, description),
  };
  switch (kind) {
    case 'nullable':
      return { metric: 'nullValues', ...rest };
    case 'max_null_rate':
      return {
        metric: 'nullValues',
        mustBeLessOrEqualTo: share(constraint.expected * 100),
        unit: 'percent',
        ...modifiers(severity, description),
      };
    case 'unique':
      return {
        metric: 'duplicateValues',
        ...(constraint.field === null && { arguments: { properties: constraint.fields } }),
        ...rest,
      };
    case 'enum':
      return { metric: 'invalidValues', arguments: { validValues: expected }, ...rest };
    case 'pattern':
      return { metric: 'invalidValues', arguments: { pattern: expected }, ...rest };
    case 'min_rows':
      return { metric: 'rowCount', mustBeGreaterOrEqualTo: expected, ...modifiers(severity, description) };
    case 'max_rows':
      return { metric: 'rowCount', mustBeLessOrEqualTo: expected, ...modifiers(severity, description) };
    default:
      return null;
  }
}

const modifiers = (severity: string, description: string | undefined): object => ({
  severity: severity === 'warn' ? 'warning' : 'error',
  ...(description !== undefined && { description }),
});

/** Elements are separated by commas. */
const isElement = (field: string): boolean => field !== '' && field === field.trim() && !field.includes(',');

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
] as const;

function latency(table: string, { field, ...check }: Constraint): object {
  const { ageMs } = check as { ageMs: number };
  const [ms, unit] = UNITS.find(([each]) => ageMs % each === 0) ?? UNITS[2];
  return { property: 'latency', value: Math.ceil(ageMs / ms), unit, element: `${table}.${field}` };
}
