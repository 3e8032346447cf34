/** Checks a document of rules and makes the flat list of its constraints. */
import { isJsonObject } from '../../documents/json-object.ts';
import { grouped } from '../../terms/wording.ts';
import type { Check, Condition, Constraint, DeclaredRules } from './constraint.ts';
import type { CompareRule, DeclaredSeverity, RulesDocument } from './document.ts';
import { FIELD_CHECKS, type Read } from './field-checks.ts';
import {
  MAX_CONDITIONS,
  MAX_CONSTRAINTS,
  MAX_ENUM_VALUES,
  MAX_PATTERNS,
  MAX_PATTERNS_SIZE,
  MAX_RULES_BYTES,
  MAX_UNIQUE_FIELDS,
} from './limits.ts';
import { type CheckPattern, compiles, patternSize } from './pattern.ts';
import * as read from './reader.ts';
import { type Members, pathTo, refuse } from './reader.ts';
import { OPERATORS, SEVERITIES, STATISTIC_NAMES } from './words.ts';

/** How grave a violation is, and how many rows may fail. */
interface Modifiers {
  severity: DeclaredSeverity;
  tolerance: number;
  description?: string;
}

const MODIFIERS = ['severity', 'tolerance', 'description'];
const OF_BATCH = ['severity', 'description'];

/** The rows and how grave a violation is where nothing nearer says it. */
interface Scope {
  modifiers: Modifiers;
  condition: number | null;
}

/**
 * Throws `Rejection` INVALID_RULES, its message beginning with the path of what is wrong. To compile a hundred patterns takes long: where others
 * wait, `checkPattern` does not do it, and `compilingPatterns` follows.
 */
export function parseRules(value: unknown, checkPattern: CheckPattern = compiles): DeclaredRules {
  const document = read.object('', value, ['fields', 'rows', 'compare', 'when', 'statistics', ...MODIFIERS]);
  const bytes = Buffer.byteLength(JSON.stringify(document));
  if (bytes > MAX_RULES_BYTES)
    refuse('rules', `may have at most ${grouped(MAX_RULES_BYTES)} bytes of JSON, not ${grouped(bytes)}`);
  const parser = new Parser(checkPattern);
  parser.document(document);
  return {
    document: document as RulesDocument,
    constraints: parser.constraints,
    conditions: parser.conditions,
  };
}

/** The check of `parseRules` that leaves patterns for later, and for documents that were checked before they were stored. */
export const unchecked: CheckPattern = () => {};

export function compilePatterns({ constraints }: DeclaredRules): void {
  for (const constraint of constraints) {
    if (constraint.kind !== 'pattern') continue;
    compiles(placeOf(constraint.rule), constraint.expected);
  }
}

/** The place of a rule in the document. A rule of `when` is named without the `then` that it is in. */
const placeOf = (rule: string): string => rule.replace(/^when\[\d+\]/, '$&.then');
const ruleAt = (place: string): string => place.replace(/^(when\[\d+\])\.then/, '$1');

class Parser {
  readonly constraints: Constraint[] = [];
  readonly conditions: Condition[] = [];
  #patterns = 0;
  #patternsSize = 0;
  readonly #checkPattern: CheckPattern;

  constructor(checkPattern: CheckPattern) {
    this.#checkPattern = checkPattern;
  }

  document(document: Members): void {
    // The description of the document is about the source, not about a violation.
    const { description: _, ...modifiers } = modifiersOf('', document, {
      severity: 'block',
      tolerance: 0,
    });
    const scope = { modifiers, condition: null };
    const fields = document.fields === undefined ? {} : read.anyObject('fields', document.fields);
    this.#fields('fields', fields, scope);
    if (document.rows !== undefined) this.#rows(document.rows, Object.keys(fields), scope);
    this.#comparisons('compare', document.compare, scope);
    this.#whens(document.when, scope);
    this.#statistics(document.statistics, scope);
  }

  #add(path: string, field: string | null, check: Check, { modifiers, condition }: Scope): void {
    if (this.constraints.length === MAX_CONSTRAINTS)
      refuse(path, `there are more than ${grouped(MAX_CONSTRAINTS)} rules`);
    if (check.kind === 'pattern') this.#countPattern(path, check.expected);
    this.constraints.push({ rule: ruleAt(path), field, condition, ...modifiers, ...check });
  }

  #countPattern(path: string, source: string): void {
    if (++this.#patterns > MAX_PATTERNS) refuse(path, `there are more than ${MAX_PATTERNS} patterns`);
    this.#patternsSize += patternSize(source);
    if (this.#patternsSize > MAX_PATTERNS_SIZE)
      refuse(path, `all patterns together come to more than ${grouped(MAX_PATTERNS_SIZE)} steps`);
    this.#checkPattern(path, source);
  }

  #fields(path: string, fields: Members, scope: Scope): void {
    for (const [name, value] of Object.entries(fields)) {
      const at = pathTo(path, read.fieldName(pathTo(path, name), name));
      const rules = read.object(at, value, [...Object.keys(FIELD_CHECKS), ...MODIFIERS]);
      const inner = { ...scope, modifiers: modifiersOf(at, rules, scope.modifiers) };
      const first = this.constraints.length;
      for (const [kind, { check, ofBatch }] of Object.entries(FIELD_CHECKS)) {
        if (rules[kind] === undefined) continue;
        this.#constraint(`${at}.${kind}`, name, rules[kind], inner, check, ofBatch);
      }
      inOrder(at, this.constraints.slice(first));
    }
  }

  /** A value alone or in its long form. */
  #constraint(
    path: string,
    field: string | null,
    value: unknown,
    scope: Scope,
    check: Read,
    ofBatch = false,
  ): void {
    const isLong = isJsonObject(value);
    const long = isLong
      ? read.object(path, value, ['value', ...(ofBatch ? OF_BATCH : MODIFIERS)])
      : { value };
    if (long.value === undefined) refuse(path, 'has no value');
    const found = check(isLong ? `${path}.value` : path, long.value, field);
    const modifiers = {
      ...modifiersOf(path, isLong ? long : {}, scope.modifiers),
      ...(ofBatch && { tolerance: 0 }),
    };
    if (found) this.#add(path, field, found, { ...scope, modifiers });
  }

  #rows(value: unknown, names: readonly string[], scope: Scope): void {
    const rows = read.object('rows', value, ['min', 'max', 'closed', 'unique', ...MODIFIERS]);
    const inner = { ...scope, modifiers: modifiersOf('rows', rows, scope.modifiers) };
    const one = (name: string, check: Read) => {
      if (rows[name] !== undefined) this.#constraint(`rows.${name}`, null, rows[name], inner, check, true);
    };
    const first = this.constraints.length;
    one('min', (path, given) => ({ kind: 'min_rows', expected: read.count(path, given) }));
    one('max', (path, given) => ({ kind: 'max_rows', expected: read.count(path, given) }));
    inOrder('rows', this.constraints.slice(first));
    one('closed', (path, given) =>
      read.boolean(path, given) ? { kind: 'closed', expected: true, names } : null,
    );
    for (const [i, fields] of this.#list('rows.unique', rows.unique).entries())
      this.#constraint(`rows.unique[${i}]`, null, fields, inner, uniqueOf);
  }

  #list(path: string, value: unknown, most = MAX_CONSTRAINTS): readonly unknown[] {
    return value === undefined ? [] : read.list(path, value, 0, most);
  }

  #comparisons(path: string, value: unknown, scope: Scope): void {
    for (const [i, each] of this.#list(path, value).entries()) {
      const at = `${path}[${i}]`;
      const given = read.object(at, each, ['left', 'op', 'right', 'value', ...MODIFIERS]);
      const modifiers = modifiersOf(at, given, scope.modifiers);
      this.#add(at, read.fieldName(`${at}.left`, given.left), comparison(at, given as CompareRule), {
        ...scope,
        modifiers,
      });
    }
  }

  #whens(value: unknown, scope: Scope): void {
    for (const [i, each] of this.#list('when', value, MAX_CONDITIONS).entries()) {
      const at = `when[${i}]`;
      const given = read.object(at, each, ['if', 'then', ...MODIFIERS]);
      this.conditions.push(conditionOf(`${at}.if`, given.if));
      const then = read.object(`${at}.then`, given.then, ['fields', 'compare']);
      const inner = { modifiers: modifiersOf(at, given, scope.modifiers), condition: i };
      if (then.fields === undefined && then.compare === undefined)
        refuse(`${at}.then`, 'must have fields or compare');
      if (then.fields !== undefined)
        this.#fields(`${at}.then.fields`, read.anyObject(`${at}.then.fields`, then.fields), inner);
      this.#comparisons(`${at}.then.compare`, then.compare, inner);
    }
  }

  #statistics(value: unknown, scope: Scope): void {
    for (const [i, each] of this.#list('statistics', value).entries()) {
      const at = `statistics[${i}]`;
      const given = read.object(at, each, ['field', 'statistic', 'minimum', 'maximum', ...OF_BATCH]);
      const { minimum, maximum } = given;
      const expected = {
        ...(minimum !== undefined && { minimum: read.number(`${at}.minimum`, minimum) }),
        ...(maximum !== undefined && { maximum: read.number(`${at}.maximum`, maximum) }),
      };
      if (minimum === undefined && maximum === undefined) refuse(at, 'must have a minimum or a maximum');
      if ((minimum as number) > (maximum as number)) refuse(`${at}.minimum`, `is above maximum (${maximum})`);
      const statistic = read.word(`${at}.statistic`, given.statistic, STATISTIC_NAMES);
      const field = read.fieldName(`${at}.field`, given.field);
      const modifiers = { ...modifiersOf(at, given, scope.modifiers), tolerance: 0 };
      this.#add(at, field, { kind: 'statistic', statistic, expected }, { ...scope, modifiers });
    }
  }
}

function modifiersOf(path: string, given: Members, outer: Modifiers): Modifiers {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const { severity, tolerance, description } = given;
  return {
    severity: severity === undefined ? outer.severity : read.word(at('severity'), severity, SEVERITIES),
    tolerance: tolerance === undefined ? outer.tolerance : toleranceOf(at('tolerance'), tolerance),
    ...(outer.description !== undefined && { description: outer.description }),
    ...(description !== undefined && { description: read.text(at('description'), description) }),
  };
}

function toleranceOf(path: string, value: unknown): number {
  const tolerance = read.number(path, value);
  const isOne = tolerance >= 0 && (tolerance < 1 || Number.isInteger(tolerance));
  return isOne ? tolerance : refuse(path, 'must be a share from 0 to below 1, or a whole number of rows');
}

const uniqueOf: Read = (path, value) => ({
  kind: 'unique',
  expected: true,
  fields: read
    .list(path, value, 1, MAX_UNIQUE_FIELDS)
    .map((name, i) => read.fieldName(`${path}[${i}]`, name)),
});

function comparison(path: string, { op, right, value }: CompareRule): Check {
  const operator = read.word(`${path}.op`, op, OPERATORS);
  if ((right === undefined) === (value === undefined))
    refuse(path, 'must have either right, a field, or value, a constant');
  if (right !== undefined) {
    const field = read.fieldName(`${path}.right`, right);
    return { kind: 'compare', op: operator, with: { field }, expected: `${operator} ${field}` };
  }
  const constant = read.scalar(`${path}.value`, value);
  if (typeof constant === 'boolean' && operator !== '==' && operator !== '!=')
    refuse(`${path}.op`, 'must be == or != beside true or false');
  return { kind: 'compare', op: operator, with: { value: constant }, expected: `${operator} ${constant}` };
}

function conditionOf(path: string, value: unknown): Condition {
  const given = read.object(path, value, ['field', 'equals', 'in', 'null']);
  const field = read.fieldName(`${path}.field`, given.field);
  const tests = ['equals', 'in', 'null'].filter(name => given[name] !== undefined);
  if (tests.length !== 1) refuse(path, 'must have one of equals, in and null');
  if (given.equals !== undefined) return { field, values: [read.scalar(`${path}.equals`, given.equals)] };
  if (given.in !== undefined) return { field, values: read.scalars(`${path}.in`, given.in, MAX_ENUM_VALUES) };
  return { field, null: read.boolean(`${path}.null`, given.null) };
}

const PAIRS = [
  ['minimum', 'maximum'],
  ['min_length', 'max_length'],
  ['min_rows', 'max_rows'],
] as const;

/** Refuses bounds that no value is between. */
function inOrder(path: string, constraints: readonly Constraint[]): void {
  for (const [low, high] of PAIRS) {
    const bound = (kind: string): number | undefined =>
      constraints.find(each => each.kind === kind)?.expected as number | undefined;
    const [least, most] = [bound(low), bound(high)];
    if (least !== undefined && most !== undefined && least > most)
      refuse(`${path}.${low.replace('_rows', '')}`, `is above ${high.replace('_rows', '')} (${most})`);
  }
}
