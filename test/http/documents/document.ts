/** The document that the application publishes, and what its schemas say of a value. */
import addFormats from 'ajv-formats';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import { Service } from '../service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is asked for whatever a test looks for
export type Document = any;

/** An object of the document that allows any value in JSON Schema. */
export type Schema = object;

export interface Operation {
  id: string;
  method: string;
  /** As in the document: `/v1/jobs/{id}`. */
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: see Document
  document: any;
}

export async function readDocument(service = new Service()): Promise<Document> {
  const response = await service.app.handle(new Request('http://localhost/openapi.json'));
  return response.json();
}

export const operationsOf = (document: Document): Operation[] =>
  Object.entries<object>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      document: operation,
    })),
  );

/**
 * Checks values by the document's schemas. Strict: a schema with a word that means nothing throws. Closed: a member that
 * is not documented is a fault.
 */
export class Checker {
  readonly #ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
  readonly #components: object;
  readonly #compiled = new Map<Schema, ValidateFunction>();

  constructor(document: Document) {
    addFormats(this.#ajv);
    this.#ajv.addVocabulary(['components']);
    this.#components = close(document.components);
  }

  /** What is wrong with the value; empty when nothing is. */
  faults(schema: Schema, value: unknown): string[] {
    const validate = this.#compiled.get(schema) ?? this.#compile(schema);
    if (validate(value)) return [];
    return validate.errors!.map(
      error => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
    );
  }

  #compile(schema: Schema): ValidateFunction {
    const validate = this.#ajv.compile({ ...close(schema), components: this.#components });
    this.#compiled.set(schema, validate);
    return validate;
  }
}

function close<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(close) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.fromEntries(Object.entries(part).map(([name, member]) => [name, close(member)]));
  const isObjectSchema = typeof members.properties === 'object' && members.type === 'object';
  return (isObjectSchema ? { additionalProperties: false, ...members } : members) as Part;
}

/**
 * The members that a schema names, as `Component.member`; with a value only those that the value has. `inside` is the
 * component, or whatever else the schema is called.
 */
export function membersOf(document: Document, schema: Document, inside: string, value?: Document): string[] {
  if (value === null) return [];
  if (schema.$ref) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return membersOf(document, document.components.schemas[name], name, value);
  }
  const named = Object.entries<Document>(schema.properties ?? {})
    .filter(([name]) => value === undefined || Object.hasOwn(value, name))
    .flatMap(([name, member]) => [
      `${inside}.${name}`,
      ...membersOf(document, member, `${inside}.${name}`, value?.[name]),
    ]);
  const each = schema.items ?? schema.additionalProperties;
  if (typeof each !== 'object') return named;
  const values = value === undefined ? [undefined] : Object.values<Document>(value);
  return [...named, ...values.flatMap(one => membersOf(document, each, inside, one))];
}
