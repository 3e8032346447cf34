/** Fields that rules name and that do not exist: a name that is misspelt, or a field that was renamed. What is about them checks nothing. */
import { nearest } from '../../names/nearest.ts';
import { shortened } from '../../terms/wording.ts';
import type { Constraint, DeclaredRules } from './constraint.ts';

export interface MissingField {
  field: string;
  /** Paths of the rules that name it, at least one. */
  rules: string[];
  /** A field with a similar name. */
  meant?: string;
}

/** As answers and reports list it. */
export interface ListedMissing {
  /** Paths of the first rules. */
  rules: string[];
  /** How many there are. */
  count: number;
  meant?: string;
}

const RULES_LISTED = 5;
/** Characters of each. */
const PATH_LISTED = 200;

export const listed = ({ rules, meant }: MissingField): ListedMissing => ({
  rules: rules.slice(0, RULES_LISTED).map(rule => shortened(rule, PATH_LISTED - 1)),
  count: rules.length,
  ...(meant !== undefined && { meant }),
});

/** Fields for which a name that is near is looked for. */
const MOST_MEANT = 5;

/** In the order of the rules. `names`: the fields that exist; `needs`: those that a rule needs. */
export function missingFields(
  rules: DeclaredRules,
  names: ReadonlySet<string>,
  needs: (constraint: Constraint) => readonly string[] = constraint => [
    ...conditionFieldOf(constraint, rules),
    ...fieldsOf(constraint),
  ],
): MissingField[] {
  const missing = new Map<string, Set<string>>();
  for (const constraint of rules.constraints)
    for (const field of needs(constraint)) {
      if (names.has(field)) continue;
      const known = missing.get(field);
      if (known) known.add(constraint.rule);
      else missing.set(field, new Set([constraint.rule]));
    }
  const all = [...names];
  return [...missing].map(([field, rules], i) => {
    const meant = i < MOST_MEANT ? nearest(field, all) : null;
    return { field, rules: [...rules], ...(meant !== null && { meant }) };
  });
}

/** The field that says which rows a rule is about; none for a rule about all rows. */
export const conditionFieldOf = ({ condition }: Constraint, { conditions }: DeclaredRules): string[] =>
  condition === null ? [] : [conditions[condition]!.field];

/** The fields whose values a rule compares or checks; none for a rule about the batch as a whole. */
export function fieldsOf(constraint: Constraint): readonly string[] {
  const { kind, field } = constraint;
  if (kind === 'unique') return constraint.fields;
  if (field === null) return [];
  return kind === 'compare' && 'field' in constraint.with ? [field, constraint.with.field] : [field];
}
