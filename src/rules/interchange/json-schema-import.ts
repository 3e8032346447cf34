/** JSON Schema 2020-12 of a row, or of an array of rows → rules. */
import { shortened } from '../../terms/wording.ts';
import type { WhenRule } from '../declared/document.ts';
import { TYPES } from '../declared/words.ts';
import type { Draft, Imported } from './draft.ts';
import { testIn } from './json-schema-condition.ts';
import {
  allowsType,
  ANNOTATIONS,
  APPLICATORS,
  besideNull,
  type Fact,
  FORMATS,
  isOfFields,
  refusesNull,
  SAME,
} from './json-schema-keywords.ts';
import { invalid, isMembers, listOf, memberAt, type Members, membersOf } from './members.ts';

const NONE: ReadonlySet<string> = new Set();
const NAMES_SHOWN = 20;
const NAME_SHOWN = 64;

/** Keywords that one document may lead to: references may lead anywhere, also in circles. */
const MAX_KEYWORDS = 20_000;
const MAX_REFERENCES = 32;
/** Characters of one of them. */
const MAX_REFERENCE = 1000;

export function importJsonSchema(schema: unknown, draft: Draft): Imported {
  if (schema !== true && !isMembers(schema)) throw invalid('rules: a JSON Schema must be an object');
  new Importer(schema, draft).root();
  return draft.finish();
}

class Importer {
  #keywords = 0;

  constructor(
    readonly schema: Members | true,
    readonly draft: Draft,
  ) {}

  root(): void {
    const schema = membersOf(this.schema);
    this.draft.description(schema.description ?? schema.title);
    const facts = this.#factsOf(schema, '');
    const isOfRows = schema.type === 'array' || facts.some(({ keyword }) => keyword === 'items');
    if (isOfRows) for (const fact of facts) this.#ofArray(fact);
    else this.#wholeRow(facts);
  }

  #ofArray({ path, keyword, value, schema }: Fact): void {
    if (keyword === 'items') {
      this.draft.description(membersOf(value).description);
      this.#wholeRow(this.#factsOf(value, path));
    } else if (keyword === 'minItems') this.draft.rows(path, 'min', value);
    else if (keyword === 'maxItems') this.draft.rows(path, 'max', value);
    else if (keyword === 'uniqueItems') this.#uniqueRows(path, value, schema);
    else if (keyword !== 'type' || !allowsType(value, 'array'))
      this.draft.unsupported(path, 'Nothing says this of the rows of a batch');
  }

  /** Whole rows differ where they differ in all fields that there may be. */
  #uniqueRows(path: string, value: unknown, { items }: Members): void {
    if (!this.draft.isTrue(path, value)) return;
    const { properties, additionalProperties } = membersOf(items);
    const names = Object.keys(membersOf(properties));
    if (additionalProperties === false && names.length > 0) {
      this.draft.unique(path, names);
      this.draft.looksAtWhole(path, names);
    } else
      this.draft.unsupported(
        path,
        'Rows can be unique only in named fields: close the row with additionalProperties: false',
      );
  }

  /** The keywords of a schema, with those that it refers to. */
  #factsOf(schema: unknown, path: string, references = 0): Fact[] {
    if (schema === true) return [];
    if (schema === false || !isMembers(schema)) {
      this.draft.unsupported(
        path,
        schema === false ? 'No value is allowed: nothing says that' : 'This is no schema',
      );
      return [];
    }
    this.#keywords += 1 + Object.keys(schema).length;
    if (this.#keywords > MAX_KEYWORDS)
      throw invalid('rules: the references of the schema lead to too many schemas');
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const at = memberAt(path, keyword);
      if (ANNOTATIONS.has(keyword)) return [];
      if (keyword === '$ref') return this.#referred(at, value, references);
      if (keyword === 'allOf')
        return this.draft
          .list(at, value)
          .flatMap((each, i) => this.#factsOf(each, `${at}[${i}]`, references));
      const isChoice = keyword === 'anyOf' || keyword === 'oneOf';
      const beside = isChoice ? this.#besideNull(at, keyword, value, references) : null;
      return beside ?? [{ path: at, keyword, value, isUnion: false, schema, at: path }];
    });
  }

  /** The keywords of the other schema in a choice between null and one more; null for any other choice. */
  #besideNull(path: string, keyword: string, value: unknown, references: number): Fact[] | null {
    const other = besideNull(value);
    if (other === null) return null;
    const at = `${path}[${other}]`;
    const facts = this.#factsOf(listOf(value)[other], at, references);
    if (keyword === 'oneOf' && !facts.some(refusesNull))
      this.draft.unsupported(at, 'It allows null, so oneOf refuses null: nothing says that');
    return facts.map(fact => ({ ...fact, isUnion: true }));
  }

  #referred(path: string, reference: unknown, references: number): Fact[] {
    const target = references < MAX_REFERENCES ? this.#target(reference) : undefined;
    if (target === undefined) {
      this.draft.unsupported(path, 'Only references within the document are followed, and no circles');
      return [];
    }
    return this.#factsOf(target, path, references + 1);
  }

  /** By JSON Pointer: `#/$defs/amount`. */
  #target(reference: unknown): unknown {
    if (typeof reference !== 'string' || reference.length > MAX_REFERENCE || !/^#(\/|$)/.test(reference))
      return undefined;
    const names = reference.slice(1).split('/').slice(1).map(unescaped);
    return names.reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Members)[name] : undefined,
      this.schema,
    );
  }

  #wholeRow(facts: Fact[]): void {
    const refused = this.#fields(facts, this.draft);
    for (const fact of facts) if (!isOfFields(fact)) this.#rowKeyword(fact, facts, refused);
  }

  /** The names of the fields in which the schema refuses null. */
  #fields(facts: Fact[], draft: Draft): ReadonlySet<string> {
    const ofKind = (keyword: string) => facts.filter(fact => fact.keyword === keyword);
    const required = new Set(ofKind('required').flatMap(fact => this.#names(fact)));
    const refused = new Set<string>();
    for (const { path, value } of ofKind('properties'))
      draft.object(path, value, NONE, properties => {
        for (const name of Object.keys(properties))
          if (this.#property(memberAt(path, name), name, properties[name], required, draft))
            refused.add(name);
      });
    const known = new Set(draft.names());
    for (const name of required) if (!known.has(name)) this.#mustExist('required', name, draft);
    const optional = [...refused].filter(name => !required.has(name));
    if (optional.length > 0)
      draft.unsupported(
        ofKind('properties')[0]!.path,
        `Null counts as a missing field, so null is allowed in fields that are not required: ${namesShown(optional)}`,
      );
    return refused;
  }

  #names({ path, value }: Pick<Fact, 'path' | 'value'>): string[] {
    return this.draft.list(path, value).flatMap((name, i) => {
      if (typeof name === 'string') return name;
      this.draft.unsupported(`${path}[${i}]`, 'This is no name');
      return [];
    });
  }

  #rowKeyword(fact: Fact, facts: Fact[], refused: ReadonlySet<string>): void {
    const { path, keyword, value, schema } = fact;
    if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') this.#closed(fact, facts);
    else if (keyword === 'dependentRequired') this.#dependent(path, value, refused);
    else if (keyword === 'if') this.#condition(fact);
    else if (keyword !== 'then') this.draft.unsupported(path, 'Nothing says this of a row');
    else if (schema.if === undefined) this.draft.unsupported(path, 'Without an if it says nothing');
  }

  #closed({ path, keyword, value, schema, at }: Fact, facts: Fact[]) {
    const keywords = new Set(facts.map(fact => fact.keyword));
    if (value !== false || keywords.has('patternProperties'))
      return this.draft.unsupported(
        path,
        'Rules name the fields that a row may have, and say nothing of others',
      );
    const own = new Set(Object.keys(membersOf(schema.properties)));
    const isOfAll =
      keyword === 'additionalProperties'
        ? this.draft.names().every(name => own.has(name))
        : !APPLICATORS.some(each => keywords.has(each)) &&
          facts.every(fact => fact.keyword !== 'properties' || at === '' || fact.path.startsWith(`${at}.`));
    if (isOfAll) this.draft.rows(path, 'closed', true);
    else this.draft.unsupported(path, 'Other schemas name fields of the row, too');
  }

  #dependent(path: string, value: unknown, refused: ReadonlySet<string>): void {
    this.draft.object(path, value, NONE, members => {
      for (const field of Object.keys(members)) {
        const at = memberAt(path, field);
        const names = this.#names({ path: at, value: members[field] });
        const fields = Object.fromEntries(names.map(name => [name, { nullable: false }]));
        if (names.length > 0) this.draft.when(at, { if: { field, null: false }, then: { fields } });
        if (names.length > 0 && !refused.has(field))
          this.draft.unsupported(
            at,
            `Null counts as a missing field, so rows with null are not held to it: ${namesShown([field])}`,
          );
        const nullable = names.filter(name => !refused.has(name));
        if (nullable.length > 0)
          this.draft.unsupported(
            at,
            `Null counts as a missing field, so rows with null fail: ${namesShown(nullable)}`,
          );
      }
    });
  }

  /** `if` one field has a value `then` others are so. */
  #condition({ path, value, schema, at }: Fact) {
    const test = testIn(value);
    if (test === null || schema.then === undefined)
      return this.draft.unsupported(path, 'A condition is the const or enum of one field, with a then');
    if (!test.isRequired)
      this.draft.unsupported(
        path,
        `Rows without '${shortened(test.field, NAME_SHOWN)}' are not held to it; the schema's condition includes them`,
      );
    const inner = this.draft.forCondition();
    const facts = this.#factsOf(schema.then, memberAt(at, 'then'));
    this.#fields(facts, inner);
    for (const fact of facts)
      if (!isOfFields(fact)) inner.unsupported(fact.path, 'A condition is followed by the schemas of fields');
    const then = inner.then();
    const { field, values } = test;
    if (then) this.draft.when(path, { if: { field, ...values } as WhenRule['if'], then });
  }

  /** Whether the schema refuses null. */
  #property(
    path: string,
    name: string,
    schema: unknown,
    required: ReadonlySet<string>,
    draft: Draft,
  ): boolean {
    const { description, title } = membersOf(schema);
    draft.field(path, name, description ?? title);
    const facts = this.#factsOf(schema, path);
    for (const fact of facts) this.#keyword(fact, name, draft);
    const isNullRefused = facts.some(refusesNull);
    if (required.has(name) && isNullRefused) draft.constrain(path, name, 'nullable', false);
    else if (required.has(name)) this.#mustExist(path, name, draft);
    return isNullRefused;
  }

  #mustExist(path: string, name: string, draft: Draft): void {
    draft.constrain(path, name, 'required', true);
    this.draft.unsupported(
      path,
      `Each row must have '${shortened(name, NAME_SHOWN)}', but may have null: the rule says that some row has it`,
    );
  }

  #keyword({ path, keyword, value }: Fact, name: string, draft: Draft): void {
    const same = Object.hasOwn(SAME, keyword) ? SAME[keyword] : undefined;
    if (same) draft.constrain(path, name, same, value);
    else if (keyword === 'type') this.#type(path, name, value, draft);
    else if (keyword === 'enum')
      draft.constrain(
        path,
        name,
        'enum',
        listOf(value).filter(each => each !== null),
      );
    else if (keyword === 'const') draft.constrain(path, name, 'enum', [value]);
    else if (keyword === 'format' && FORMATS.has(value as string))
      draft.constrain(path, name, 'format', value);
    else
      draft.unsupported(
        path,
        keyword === 'format' ? 'No rule knows this format' : 'Nothing says this of a field',
      );
  }

  #type(path: string, name: string, value: unknown, draft: Draft): void {
    const types = [...new Set([value].flat())].filter(type => type !== 'null');
    // All six types are every value but null.
    if (types.length === TYPES.length && TYPES.every(type => types.includes(type))) return;
    if (types.length === 0) draft.unsupported(path, 'Nothing says that a field has no value');
    else draft.constrain(path, name, 'type', types.length === 1 ? types[0] : types);
  }
}

const namesShown = (names: readonly string[]): string =>
  `${names
    .slice(0, NAMES_SHOWN)
    .map(name => shortened(name, NAME_SHOWN))
    .join(', ')}${names.length > NAMES_SHOWN ? ', …' : ''}`;

const unescaped = (name: string): string => {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return name;
  }
};
