/** Rules that are being put together from a foreign document, and what of it they cannot say. */
import { MAX_NAME_BYTES } from '../../../assembly/abi.ts';
import { Rejection } from '../../terms/errors.ts';
import { grouped, shortened } from '../../terms/wording.ts';
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
import {
  invalid,
  isMembers,
  isSet,
  listOf,
  memberAt,
  type Members,
  type Table,
  textOf,
  watched,
} from './members.ts';

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

const HALF = 'It has half of a surrogate pair, which no file in UTF-8 can hold';

/** A path of rules at the start of a message. */
const PATH = /^(?:[^[\]:]|\[\d+\]|\["(?:[^"\\]|\\.)*"\])+: /;

type Fields = Map<string, Map<string, unknown>>;

/** What an import has listed and counted so far, conditions included. */
class Progress {
  readonly unsupported: Unsupported[] = [];
  /** Of all parts that have no counterpart, those beyond the list included. */
  readonly paths = new Set<string>();
  /** Objects that are being read, the innermost last. */
  readonly open: string[] = [];
  leftOut = 0;
  patterns = 0;
  tried = 0;
  /** Of enumerations. */
  values = 0;
}

export class Draft {
  readonly #fields: Fields = new Map();
  readonly #rows = new Map<string, unknown>();
  readonly #unique: unknown[] = [];
  readonly #compare: CompareRule[] = [];
  readonly #when: WhenRule[] = [];
  readonly #statistics: StatisticRule[] = [];
  #description: string | undefined;
  /** Rules of several fields that other programs also check in rows with nulls. */
  readonly #whole: { path: string; names: readonly unknown[] }[] = [];
  readonly #checkPattern: CheckPattern;
  readonly #progress: Progress;

  constructor(checkPattern: CheckPattern = compiles, progress = new Progress()) {
    this.#checkPattern = checkPattern;
    this.#progress = progress;
  }

  /** For what follows a condition: it has no rules yet, and shares the limits and the list of what has no counterpart. */
  forCondition(): Draft {
    return new Draft(this.#checkPattern, this.#progress);
  }

  unsupported(path: string, reason: string): void {
    const { unsupported, paths } = this.#progress;
    paths.add(path);
    if (unsupported.length < MAX_UNSUPPORTED) unsupported.push({ path: shortened(path, PATH_SHOWN), reason });
    else this.#progress.leftOut++;
  }

  /**
   * Reads an object of the foreign document. Members that `read` does not look at are listed, unless the object, or one that it is in, is listed as a whole,
   * or they are `silent`: they say nothing about rows.
   */
  object(path: string, value: unknown, silent: ReadonlySet<string>, read: (members: Members) => void) {
    if (!isSet(value)) return;
    if (!isMembers(value)) return this.unsupported(path, 'This is no object');
    const { open, paths } = this.#progress;
    const { members, unread } = watched(value);
    open.push(path);
    read(members);
    if (!open.some(each => paths.has(each)))
      // `title@de` is a title.
      for (const name of unread())
        if (!silent.has(name.split('@', 1)[0]!)) this.unsupported(memberAt(path, name), 'No rule says this');
    open.pop();
  }

  /** The entries of a list of the foreign document. */
  list(path: string, value: unknown): readonly unknown[] {
    if (isSet(value) && !Array.isArray(value)) this.unsupported(path, 'This is no list');
    return listOf(value);
  }

  /** The objects of a list, each a table with its name. */
  tables(path: string, value: unknown): Table[] {
    return this.list(path, value).flatMap((members, i) => {
      const at = `${path}[${i}]`;
      if (isMembers(members)) return [{ name: textOf(members.name), path: at, members }];
      this.unsupported(at, 'This is no object');
      return [];
    });
  }

  /** A member of the foreign document that is true or false; without it, false. */
  isTrue(path: string, value: unknown): boolean {
    if (isSet(value) && typeof value !== 'boolean') this.unsupported(path, 'This is neither true nor false');
    return value === true;
  }

  description(text: unknown): void {
    if (typeof text === 'string' && text.trim() !== '') this.#description ??= shortText(text);
  }

  /** Names a field, so that it is known where no others may be. */
  field(path: string, name: string, description?: unknown): void {
    if (!this.#isName(path, name)) return;
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
    if (kind === 'pattern' && ++this.#progress.patterns > MAX_PATTERNS)
      throw invalid(`rules: there may be at most ${MAX_PATTERNS} patterns`);
    this.#progress.values += Array.isArray(value) ? value.length : 0;
    if (this.#progress.values > MAX_LISTED)
      throw invalid(`rules: enumerations have more than ${grouped(MAX_LISTED)} values together`);
    if (!this.#isValid(path, { fields: { field: { [kind]: said } } }) || !this.#isName(path, name)) return;
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
    const said = longForm(value, modifiers);
    if (!this.#isValid(path, { rows: { [kind]: said } })) return;
    const before = this.#rows.get(kind);
    if (before === undefined) this.#rows.set(kind, said);
    else if (typeof before === 'number' && typeof said === 'number')
      this.#rows.set(kind, kind === 'min' ? Math.max(before, said) : Math.min(before, said));
    else if (withoutDescription(before) !== withoutDescription(said))
      this.unsupported(path, `A batch has one ${kind}, and an earlier one is kept`);
  }

  unique(path: string, names: readonly unknown[], modifiers: Modifiers = {}) {
    if (names.length === 1 && typeof names[0] === 'string')
      return this.constrain(path, names[0], 'unique', true, modifiers);
    const given = longForm(names, modifiers);
    if (this.#isValid(path, { rows: { unique: [given] } })) this.#unique.push(given);
  }

  /** Notes a rule of several fields that the other program also checks in rows with nulls. `finish` reports it, unless no field may be null. */
  looksAtWhole(path: string, names: readonly unknown[]): void {
    this.#whole.push({ path, names });
  }

  compare(path: string, rule: CompareRule): void {
    if (this.#isValid(path, { compare: [rule] })) this.#compare.push(rule);
  }

  /** Its patterns are known to compile: a draft `forCondition` has tried them. */
  when(path: string, rule: WhenRule): void {
    const constraints = Object.values(rule.then.fields ?? {}).flatMap(field => Object.keys(field));
    if (this.#isValid(path, { when: [rule] }, constraints.length, unchecked)) this.#when.push(rule);
  }

  statistic(path: string, rule: StatisticRule): void {
    if (this.#isValid(path, { statistics: [rule] })) this.#statistics.push(rule);
  }

  /** What `then` of a `when` can hold; null if that is nothing. */
  then(): WhenRule['then'] | null {
    const isEmpty = [...this.#fields.values()].every(field => field.size === 0) && this.#compare.length === 0;
    if (isEmpty) return null;
    return {
      ...(this.#fields.size > 0 && { fields: this.#fieldRules() }),
      ...(this.#compare.length > 0 && { compare: this.#compare }),
    };
  }

  #fieldRules(): NonNullable<RulesDocument['fields']> {
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
      ...(this.#fields.size > 0 && { fields: this.#fieldRules() }),
      ...(Object.keys(rows).length > 0 && { rows }),
      ...(this.#compare.length > 0 && { compare: this.#compare }),
      ...(this.#when.length > 0 && { when: this.#when }),
      ...(this.#statistics.length > 0 && { statistics: this.#statistics }),
    };
    for (const { path, names } of this.#whole)
      if (!names.every(name => this.#mustHaveValue(name)))
        this.unsupported(path, 'Rows that lack one of the values are not looked at');
    const { unsupported, leftOut } = this.#progress;
    const more =
      leftOut > 0
        ? [{ path: '', reason: `${grouped(leftOut)} more have no counterpart; they are not listed` }]
        : [];
    return { rules: parseRules(rules, unchecked).document, unsupported: [...unsupported, ...more] };
  }

  #mustHaveValue(name: unknown): boolean {
    const said = typeof name === 'string' && this.#fields.get(name)?.get('nullable');
    return said === false || (isMembers(said) && said.value === false);
  }

  #isName(path: string, name: string): boolean {
    const isShort = Buffer.byteLength(name) <= MAX_NAME_BYTES;
    if (!isShort) this.unsupported(path, `A field name may have at most ${grouped(MAX_NAME_BYTES)} bytes`);
    else if (!name.isWellFormed()) this.unsupported(path, HALF);
    return isShort && name.isWellFormed();
  }

  #fieldOf(name: string): Map<string, unknown> {
    let field = this.#fields.get(name);
    if (field) return field;
    field = new Map();
    this.#fields.set(name, field);
    return field;
  }

  #isValid(path: string, rules: object, count = 1, checkPattern = this.#checkPattern): boolean {
    this.#progress.tried += count;
    // Some say what holds anyway, and are no rules.
    if (this.#progress.tried > MAX_TRIED)
      throw invalid(`rules: there are more than ${grouped(MAX_CONSTRAINTS)} rules`);
    if (!isWellFormed(rules)) {
      this.unsupported(path, HALF);
      return false;
    }
    try {
      parseRules(rules, checkPattern);
      return true;
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      // The path in the message is that of the single rule that was tried.
      this.unsupported(path, error.message.replace(PATH, ''));
      return false;
    }
  }
}

/** Whether all texts and names in a value are whole. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, each]) => name.isWellFormed() && isWellFormed(each));
}

export function shortText(text: string): string {
  const trimmed = text.trim().toWellFormed();
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
