/** JSON Schema 2020-12 of a row, or of an array of rows → rules. */
import { pathTo } from '../declared/reader.ts';
import type { FieldConstraint } from '../declared/document.ts';
import { FORMATS as DECLARED_FORMATS } from '../declared/words.ts';
import type { Draft, Imported } from './draft.ts';
import { invalid, isMembers, listOf, type Members, membersOf } from './members.ts';

/** They say something to people or tools and allow every value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  '$anchor',
  '$vocabulary',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
]);

const SAME: Record<string, FieldConstraint> = {
  minimum: 'minimum',
  maximum: 'maximum',
  exclusiveMinimum: 'exclusive_minimum',
  exclusiveMaximum: 'exclusive_maximum',
  multipleOf: 'multiple_of',
  minLength: 'min_length',
  maxLength: 'max_length',
  pattern: 'pattern',
};

/** Of the formats of rules those that JSON Schema knows. */
const FORMATS: ReadonlySet<string> = new Set(
  DECLARED_FORMATS.filter(format => format !== 'country' && format !== 'currency'),
);

/** Keywords that one document may lead to: references may lead anywhere, also in circles. */
const MAX_KEYWORDS = 20_000;
const MAX_REFERENCES = 32;
/** Characters of one of them. */
const MAX_REFERENCE = 1000;

/** One keyword. `isUnion`: null is allowed beside it. */
interface Fact {
  path: string;
  keyword: string;
  value: unknown;
  isUnion: boolean;
}

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
    const isOfRows = schema.type === 'array' || schema.items !== undefined;
    if (isOfRows) this.#array(schema);
    else this.#row(this.#factsOf(schema, ''), this.draft, true);
  }

  #array(schema: Members): void {
    for (const { path, keyword, value } of this.#factsOf(schema, '')) {
      if (keyword === 'items') {
        this.draft.description(membersOf(value).description);
        this.#row(this.#factsOf(value, 'items'), this.draft, true);
      } else if (keyword === 'minItems') this.draft.rows(path, 'min', value);
      else if (keyword === 'maxItems') this.draft.rows(path, 'max', value);
      else if (keyword === 'uniqueItems') this.#uniqueRows(path, value, schema);
      else if (keyword !== 'type') this.draft.unsupported(path, 'Nothing says this of the rows of a batch');
    }
  }

  /** Whole rows differ where they differ in all fields that there may be. */
  #uniqueRows(path: string, value: unknown, { items }: Members): void {
    if (value !== true) return;
    const { properties, additionalProperties } = membersOf(items);
    const names = Object.keys(membersOf(properties));
    if (additionalProperties === false && names.length > 0) this.draft.unique(path, names);
    else
      this.draft.unsupported(
        path,
        'Rows can be unique only in named fields: close the row with additionalProperties: false',
      );
  }

  /** The keywords of a schema, with those that it refers to. */
  #factsOf(schema: unknown, path: string, isUnion = false, references = 0): Fact[] {
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
      const at = pathTo(path, keyword).replace(/^\./, '');
      if (ANNOTATIONS.has(keyword)) return [];
      if (keyword === '$ref') return this.#referred(at, value, isUnion, references);
      if (keyword === 'allOf')
        return listOf(value).flatMap((each, i) => this.#factsOf(each, `${at}[${i}]`, isUnion, references));
      const other = keyword === 'anyOf' || keyword === 'oneOf' ? besideNull(value) : null;
      if (other !== null) return this.#factsOf(listOf(value)[other], `${at}[${other}]`, true, references);
      return [{ path: at, keyword, value, isUnion }];
    });
  }

  #referred(path: string, reference: unknown, isUnion: boolean, references: number): Fact[] {
    const target = references < MAX_REFERENCES ? this.#target(reference) : undefined;
    if (target === undefined) {
      this.draft.unsupported(path, 'Only references within the document are followed, and no circles');
      return [];
    }
    return this.#factsOf(target, path, isUnion, references + 1);
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

  #row(facts: Fact[], draft: Draft, isWhole: boolean): void {
    const ofKind = (keyword: string) => facts.filter(fact => fact.keyword === keyword);
    const required = new Set(ofKind('required').flatMap(({ value }) => listOf(value)));
    const optional: string[] = [];
    for (const { path, value } of ofKind('properties'))
      for (const [name, schema] of Object.entries(membersOf(value)))
        if (this.#property(pathTo(path, name), name, schema, required, draft)) optional.push(name);
    const known = new Set(draft.names());
    for (const name of required)
      if (typeof name === 'string' && !known.has(name)) this.#mustExist('required', name, draft);
    if (optional.length > 0)
      this.draft.unsupported(
        ofKind('properties')[0]!.path,
        `Null and a field that a row lacks count alike, so null is allowed in fields that are not required: ${optional.slice(0, 20).join(', ')}${optional.length > 20 ? ', …' : ''}`,
      );
    for (const fact of facts) if (isWhole) this.#rowKeyword(fact, facts);
  }

  #rowKeyword({ path, keyword, value }: Fact, facts: Fact[]) {
    if (keyword === 'properties' || keyword === 'required' || keyword === 'then') return;
    if (keyword === 'type' && (value === 'object' || listOf(value).includes('object'))) return;
    if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
      const isOpen = value === true || (isMembers(value) && Object.keys(value).length === 0);
      if (value === false && !facts.some(fact => fact.keyword === 'patternProperties'))
        return this.draft.rows(path, 'closed', true);
      if (isOpen) return;
    }
    if (keyword === 'dependentRequired') return this.#dependent(path, value);
    if (keyword === 'if') return this.#condition(path, value, facts);
    this.draft.unsupported(path, 'Nothing says this of a row');
  }

  #dependent(path: string, value: unknown): void {
    for (const [field, names] of Object.entries(membersOf(value))) {
      const fields = Object.fromEntries(listOf(names).map(name => [String(name), { nullable: false }]));
      this.draft.when(pathTo(path, field), { if: { field, null: false }, then: { fields } });
    }
  }

  /** `if` one field has a value `then` others are so. */
  #condition(path: string, value: unknown, facts: Fact[]) {
    const { properties, required, ...rest } = membersOf(value);
    const tests = Object.entries(membersOf(properties));
    const then = facts.find(fact => fact.keyword === 'then');
    const [field, schema] = tests[0] ?? [];
    const { const: equals, enum: among, ...others } = membersOf(schema);
    const isPlain =
      tests.length === 1 && Object.keys(others).every(name => ANNOTATIONS.has(name) || name === 'type');
    const has = Object.keys(rest).every(name => ANNOTATIONS.has(name) || name === 'type');
    if (!then || !isPlain || !has || (equals === undefined) === (among === undefined))
      return this.draft.unsupported(path, 'A condition is the const or enum of one field');
    if (!listOf(required).includes(field))
      this.draft.unsupported(
        path,
        `Rows without '${field}' are not held to it; the schema's condition includes them`,
      );
    const inner = this.draft.another();
    this.#row(this.#factsOf(then.value, then.path), inner, false);
    const condition = equals !== undefined ? { equals } : { in: among };
    this.draft.when(path, { if: { field: field!, ...condition } as never, then: { fields: inner.fields() } });
    for (const each of inner.finish().unsupported) this.draft.unsupported(each.path, each.reason);
  }

  /** Whether null is refused by the schema and allowed by the rules. */
  #property(
    path: string,
    name: string,
    schema: unknown,
    required: ReadonlySet<unknown>,
    draft: Draft,
  ): boolean {
    const { description, title } = membersOf(schema);
    draft.field(name, description ?? title);
    const facts = this.#factsOf(schema, path);
    for (const fact of facts) this.#keyword(fact, name, draft);
    const isNullRefused = facts.some(refusesNull);
    if (required.has(name) && isNullRefused) draft.constrain(path, name, 'nullable', false);
    else if (required.has(name)) this.#mustExist(path, name, draft);
    return isNullRefused && !required.has(name);
  }

  #mustExist(path: string, name: string, draft: Draft): void {
    draft.constrain(path, name, 'required', true);
    this.draft.unsupported(
      path,
      `Each row must have '${name}', but may have null: the rule says that some row has it`,
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
    const types = [value].flat().filter(type => type !== 'null');
    // All six types are every value but null.
    if (types.length === 6) return;
    if (types.length === 0) draft.unsupported(path, 'Nothing says that a field has no value');
    else draft.constrain(path, name, 'type', types.length === 1 ? types[0] : types);
  }
}

/** The place of the other schema in a choice between null and one more; null for any other choice. */
function besideNull(value: unknown): number | null {
  const choices = listOf(value);
  const nulls = choices.map(
    choice => membersOf(choice).type === 'null' && Object.keys(membersOf(choice)).length === 1,
  );
  return choices.length === 2 && nulls[0] !== nulls[1] ? nulls.indexOf(false) : null;
}

function refusesNull({ keyword, value, isUnion }: Fact): boolean {
  if (isUnion) return false;
  if (keyword === 'type') return value !== 'null' && !listOf(value).includes('null');
  if (keyword === 'enum') return !listOf(value).includes(null);
  return keyword === 'const' && value !== null;
}

const unescaped = (name: string): string => {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return name;
  }
};
