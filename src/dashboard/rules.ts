/** Documents of rules, as the pages show and change them. */
import { escaped } from '../terms/wording.ts';
import { entriesOf, type RulesDocument, type SuggestedRules } from './contract.ts';

/** One rule, as a line of a list. */
export interface RuleLine {
  /** `fields.quantity.minimum`, safe to show. */
  path: string;
  /** As JSON, safe to show. */
  value: string;
}

/** The rules of a document one by one. */
export function linesOf(rules: RulesDocument): RuleLine[] {
  const { fields, rows, compare, when, statistics, description: _, ...others } = rules;
  const line = (path: string, value: unknown) => ({ path: escaped(path), value: shownJson(value) });
  const members = (path: string, object: object | undefined) =>
    Object.entries(object ?? {}).map(([name, value]) => line(`${path}${name}`, value));
  const list = (path: string, entries: readonly unknown[] | undefined) =>
    (entries ?? []).map((value, i) => line(`${path}[${i}]`, value));
  return [
    ...members('', others),
    ...entriesOf(fields).flatMap(([name, field]) => members(`fields.${name}.`, field)),
    ...members('rows.', rows),
    ...list('compare', compare),
    ...list('when', when),
    ...list('statistics', statistics),
  ];
}

/** The escapes are those of JSON. */
export const shownJson = (value: unknown): string => escaped(JSON.stringify(value));

export type Suggestion = SuggestedRules['evidence'][number] & { value: unknown };

/** Suggestions with their values. A field may have the name `__proto__`. */
export function suggestionsIn({ rules, evidence }: SuggestedRules): Suggestion[] {
  const fields = new Map(entriesOf(rules.fields));
  return evidence.map(each => {
    const constraints = new Map<string, unknown>(Object.entries(fields.get(each.field) ?? {}));
    return { ...each, value: constraints.get(each.constraint) };
  });
}

/** The document with one more rule. */
export function withSuggestion(
  rules: RulesDocument | null,
  { field, constraint, value }: Pick<Suggestion, 'field' | 'constraint' | 'value'>,
): RulesDocument {
  const fields = new Map(entriesOf(rules?.fields));
  fields.set(field, { ...fields.get(field), [constraint]: value });
  return { ...rules, fields: Object.fromEntries(fields) };
}
