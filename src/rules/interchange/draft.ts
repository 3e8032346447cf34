/** Rules that are being put together from a foreign document, and what of it they cannot say. */
import { Rejection } from '../../errors.ts';
import { grouped, shortened } from '../../wording.ts';
import type {
  CompareRule,
  DeclaredSeverity,
  FieldConstraint,
  RulesDocument,
  StatisticRule,
  WhenRule,
} from '../declared/document.ts';
import { MAX_CONSTRAINTS, MAX_PATTERNS, MAX_RULES_BYTES, MAX_TEXT } from '../declared/limits.ts';
import { parseRules, unchecked } from '../declared/parse.ts';
import { type CheckPattern, compiles } from '../declared/pattern.ts';
import { invalid, isMembers } from './members.ts';

/** What of a foreign document has no counterpart. */
export interface Unsupported {
  /** Where it stands in the foreign document. */
  path: string;
  reason: string;
}

export interface Imported {
  rules: RulesDocument;
  unsupported: Unsupported[];
}

/** Entries of `unsupported`; a last one counts the others. */
export const MAX_UNSUPPORTED = 500;
const PATH_SHOWN = 200;
/** Rules that are looked at one by one. */
const MAX_TRIED = 3 * MAX_CONSTRAINTS;
/** Values of enumerations, each time they are referred to: more than a document of rules has room for. */
const MAX_LISTED = MAX_RULES_BYTES / 2;

export interface Modifiers {
  severity?: DeclaredSeverity | undefined;
  tolerance?: number | undefined;
  description?: string | undefined;
}

/** Of two such bounds the tighter one says both. */
const TIGHTER: Partial<Record<FieldConstraint, (a: number, b: number) => number>> = {
  minimum: Math.max,
  exclusive_minimum: Math.max,
  min_length: Math.max,
  maximum: Math.min,
  exclusive_maximum: Math.min,
  max_length: Math.min,
};

/** A bound that is a date is a comparison. */
const BOUNDS: Partial<Record<FieldConstraint, CompareRule['op']>> = {
  minimum: '>=',
  exclusive_minimum: '>',
  maximum: '<=',
  exclusive_maximum: '<',
};

type Fields = Map<string, Map<string, unknown>>;

export class Draft {
  readonly #fields: Fields = new Map();
  readonly #rows = new Map<string, unknown>();
  readonly #unique: unknown[] = [];
  readonly #compare: CompareRule[] = [];
  readonly #when: WhenRule[] = [];
  readonly #statistics: StatisticRule[] = [];
  readonly #unsupported: Unsupported[] = [];
  #leftOut = 0;
  #patterns = 0;
  #added = 0;
  #listed = 0;
  #description: string | undefined;
  readonly #checkPattern: CheckPattern;

  constructor(checkPattern: CheckPattern = compiles) {
    this.#checkPattern = checkPattern;
  }

  /** One without rules. */
  another(): Draft {
    return new Draft(this.#checkPattern);
  }

  unsupported(path: string, reason: string): void {
    if (this.#unsupported.length < MAX_UNSUPPORTED)
      this.#unsupported.push({ path: shortened(path, PATH_SHOWN), reason });
    else this.#leftOut++;
  }

  description(text: unknown): void {
    if (typeof text === 'string' && text.trim() !== '') this.#description ??= shortText(text);
  }

  /** Names a field, so that it is known where no others may be. */
  field(name: string, description?: unknown): void {
    const field = this.#fieldOf(name);
    if (typeof description === 'string' && description.trim() !== '' && !field.has('description'))
      field.set('description', shortText(description));
  }

  names(): string[] {
    return [...this.#fields.keys()];
  }

  /** Adds a constraint; one that `parseRules` refuses is listed with its reason. */
  constrain(path: string, name: string, kind: FieldConstraint, value: unknown, modifiers: Modifiers = {}) {
    const op = typeof value === 'string' && /^\d{4}-\d\d/.test(value) ? BOUNDS[kind] : undefined;
    if (op) return this.compare(path, { left: name, op, value: value as string, ...given(modifiers) });
    const said = longForm(value, modifiers);
    // To try a pattern is to compile it.
    if (kind === 'pattern' && ++this.#patterns > MAX_PATTERNS)
      throw invalid(`rules: there may be at most ${MAX_PATTERNS} patterns`);
    this.#listed += Array.isArray(value) ? value.length : 0;
    if (this.#listed > MAX_LISTED)
      throw invalid(`rules: enumerations have more than ${grouped(MAX_LISTED)} values together`);
    if (!this.#isValid(path, { fields: { field: { [kind]: said } } })) return;
    const field = this.#fieldOf(name);
    const before = field.get(kind);
    const tighter = TIGHTER[kind];
    if (before === undefined) field.set(kind, said);
    else if (tighter && typeof before === 'number' && typeof said === 'number')
      field.set(kind, tighter(before, said));
    else if (withoutDescription(before) !== withoutDescription(said))
      this.unsupported(path, `A field has one ${kind}, and an earlier one is kept`);
  }

  rows(path: string, kind: 'min' | 'max' | 'closed', value: unknown, modifiers: Modifiers = {}): void {
    const given = longForm(value, modifiers);
    if (this.#isValid(path, { rows: { [kind]: given } })) this.#rows.set(kind, given);
  }

  unique(path: string, names: readonly unknown[], modifiers: Modifiers = {}) {
    if (names.length === 1 && typeof names[0] === 'string')
      return this.constrain(path, names[0], 'unique', true, modifiers);
    const given = longForm(names, modifiers);
    if (this.#isValid(path, { rows: { unique: [given] } })) this.#unique.push(given);
  }

  compare(path: string, rule: CompareRule): void {
    if (this.#isValid(path, { compare: [rule] })) this.#compare.push(rule);
  }

  when(path: string, rule: WhenRule): void {
    const count = Object.values(rule.then.fields ?? {}).reduce(
      (sum, field) => sum + Object.keys(field).length,
      0,
    );
    if (this.#isValid(path, { when: [rule] }, count)) this.#when.push(rule);
  }

  statistic(path: string, rule: StatisticRule): void {
    if (this.#isValid(path, { statistics: [rule] })) this.#statistics.push(rule);
  }

  /** The fields alone, for `then` of a `when`. */
  fields(): NonNullable<RulesDocument['fields']> {
    return Object.fromEntries([...this.#fields].map(([name, field]) => [name, Object.fromEntries(field)]));
  }

  /** Throws `Rejection` INVALID_RULES if the rules contradict each other or are too many. */
  finish(): Imported {
    const rows = {
      ...Object.fromEntries(this.#rows),
      ...(this.#unique.length > 0 && { unique: this.#unique }),
    };
    const rules = {
      ...(this.#description !== undefined && { description: this.#description }),
      ...(this.#fields.size > 0 && { fields: this.fields() }),
      ...(Object.keys(rows).length > 0 && { rows }),
      ...(this.#compare.length > 0 && { compare: this.#compare }),
      ...(this.#when.length > 0 && { when: this.#when }),
      ...(this.#statistics.length > 0 && { statistics: this.#statistics }),
    };
    const more =
      this.#leftOut > 0
        ? [{ path: '', reason: `${grouped(this.#leftOut)} more have no counterpart; they are not listed` }]
        : [];
    return { rules: parseRules(rules, unchecked).document, unsupported: [...this.#unsupported, ...more] };
  }

  #fieldOf(name: string): Map<string, unknown> {
    let field = this.#fields.get(name);
    if (field) return field;
    field = new Map();
    this.#fields.set(name, field);
    return field;
  }

  #isValid(path: string, rules: object, count = 1): boolean {
    this.#added += count;
    // Some say what holds anyway, and are no rules.
    if (this.#added > MAX_TRIED)
      throw invalid(`rules: there are more than ${grouped(MAX_CONSTRAINTS)} rules`);
    try {
      parseRules(rules, this.#checkPattern);
      return true;
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      // The path in the message is that of the single rule that was tried.
      this.unsupported(path, error.message.replace(/^[\w.[\]]+: /, ''));
      return false;
    }
  }
}

export function shortText(text: string): string {
  const trimmed = text.trim();
  // No half of a pair of surrogates.
  return trimmed.length <= MAX_TEXT
    ? trimmed
    : `${trimmed.slice(0, MAX_TEXT - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The modifiers that are given. */
export const given = (modifiers: Modifiers) =>
  Object.fromEntries(Object.entries(modifiers).filter(([, modifier]) => modifier !== undefined)) as {
    [Name in keyof Modifiers]: NonNullable<Modifiers[Name]>;
  };

const longForm = (value: unknown, modifiers: Modifiers): unknown =>
  Object.keys(given(modifiers)).length === 0 ? value : { value, ...given(modifiers) };

function withoutDescription(said: unknown): string {
  const { value, severity, tolerance } = (isMembers(said) ? said : { value: said }) as Record<
    string,
    unknown
  >;
  return JSON.stringify({ value, severity, tolerance });
}
