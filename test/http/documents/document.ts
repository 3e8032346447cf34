/** The document that the application publishes, and what its schemas say of a value. */
import addFormats from 'ajv-formats';
import Ajv from 'ajv/dist/2020';
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

/** Checks values by the document's schemas; strict, so that a schema with a word that means nothing throws. */
export class Checker {
  readonly #ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
  readonly #components: object;
  readonly #closed: boolean;

  /** With `closed`, a member that is not documented is a fault too. */
  constructor(document: Document, closed: boolean) {
    addFormats(this.#ajv);
    this.#ajv.addVocabulary(['components']);
    this.#components = closed ? close(document.components) : document.components;
    this.#closed = closed;
  }
  /** What is wrong with the value; empty when nothing is. */
  faults(schema: Schema, value: unknown): string[] {
    const checked = this.#closed ? close(schema) : schema;
    const validate = this.#ajv.compile({ ...checked, components: this.#components });
    if (validate(value)) return [];
    return validate.errors!.map(
      error => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
    );
  }
}

function close<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(close) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.fromEntries(Object.entries(part).map(([name, member]) => [name, close(member)]));
  const isObjectSchema = typeof members.properties === 'object' && members.type === 'object';
  return (isObjectSchema ? { additionalProperties: false, ...members } : members) as Part;
}
