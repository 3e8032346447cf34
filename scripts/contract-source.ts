/** An OpenAPI document → the client's types: the schemas that its operations use, and each operation's request and answer. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  description?: string;
}

export interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; description: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Operations that only the payment provider calls. */
const EXCLUDED = new Set(['receiveEvent']);

const HEAD = `/**
 * Types of the service's requests and answers. Generated from its OpenAPI document by \`npm run contract\`; do not edit.
 *
 * A field may have the name \`constructor\` or \`__proto__\`: look names up with \`Object.hasOwn\`.
 */
`;

/** The text of src/client/contract.ts. */
export function contractSource(document: OpenApi): string {
  const operations = operationsIn(document);
  const used = schemasUsed(operations, document);
  const { schemas } = document.components;
  return [
    HEAD,
    `${comment('For programs; the message is for people')}export type ErrorCode =\n${codesIn(
      operations,
      schemas,
    )
      .map(code => `  | '${code}'`)
      .join('\n')};\n`,
    ...Object.keys(schemas)
      .filter(name => used.has(name))
      .map(name => declaration(name, schemas[name]!)),
    `/** Request and answer of each operation, by \`operationId\`. */\nexport interface Operations {\n${operations
      .map(({ operation }) => `  ${operation.operationId}: ${requestAndAnswer(operation)};`)
      .join('\n')}\n}\n`,
    `/** Method and path. */\nexport const ADDRESSES = {\n${operations
      .map(
        ({ method, path, operation }) =>
          `  ${operation.operationId}: ['${method.toUpperCase()}', '${path}'],`,
      )
      .join(
        '\n',
      )}\n} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>;\n`,
  ].join('\n');
}

export interface Addressed {
  method: string;
  path: string;
  operation: Operation;
}

/** All operations for clients, in the order of the document. */
export const operationsIn = (document: OpenApi): Addressed[] =>
  Object.entries(document.paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
    )
    .filter(({ operation }) => !EXCLUDED.has(operation.operationId));

/** Names of the components that these operations use. */
export function schemasUsed(operations: Addressed[], document: OpenApi): Set<string> {
  const used = new Set<string>();
  for (const { operation } of operations)
    for (const schema of schemasOf(operation)) collect(schema, document, used);
  return used;
}

export const bodyOf = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content['application/json']?.schema;

/** The schema of the successful answer. */
export function answerOf({ responses }: Operation): Schema {
  const [status] = Object.keys(responses).filter(each => each.startsWith('2'));
  return responses[status!]!.content['application/json']!.schema;
}

const schemasOf = (operation: Operation): Schema[] =>
  [bodyOf(operation), answerOf(operation)].filter(schema => schema !== undefined);

export function codesIn(operations: { operation: Operation }[], schemas: Record<string, Schema>): string[] {
  const errors = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).filter(([status]) => !status.startsWith('2')),
  );
  const codes = errors.flatMap(([, { content }]) => {
    const { $ref, properties } = content['application/json']!.schema;
    const of = $ref === undefined ? properties : schemas[nameIn($ref)]!.properties;
    return of!.code!.enum!;
  });
  return [...new Set(codes.map(String))].sort();
}

export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Adds the names of the components that the schema refers to, directly or through others. */
function collect(schema: Schema, document: OpenApi, used: Set<string>): void {
  if (schema.$ref !== undefined) {
    const name = nameIn(schema.$ref);
    if (used.has(name)) return;
    used.add(name);
    collect(document.components.schemas[name]!, document, used);
  }
  const { items, additionalProperties, properties = {} } = schema;
  const inside = [items, additionalProperties, ...Object.values(properties)];
  for (const each of inside) if (typeof each === 'object') collect(each, document, used);
}

const declaration = (name: string, schema: Schema): string =>
  schema.properties
    ? `${comment(schema.description)}export interface ${name} ${members(schema, '')}\n`
    : `${comment(schema.description)}export type ${name} = ${typeOf(schema, '')};\n`;

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(each => typeOf(each, indent)))].join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map(type => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return listOf(typeOf(schema.items!, indent));
    case 'object':
      return objectOf(schema, indent);
    default:
      return schema.type ?? 'unknown';
  }
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value);

const listOf = (item: string): string => (/^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`);

function objectOf(schema: Schema, indent: string): string {
  if (schema.properties) return members(schema, indent);
  const { additionalProperties } = schema;
  // The caller's interfaces have no index signature, but must be assignable to a row.
  return typeof additionalProperties === 'object'
    ? `Record<string, ${typeOf(additionalProperties, indent)}>`
    : 'object';
}

function members({ properties, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties!).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${comment(schema.description, inner)}${inner}${name}${optional}: ${typeOf(schema, inner)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

const comment = (text: string | undefined, indent = ''): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;

function requestAndAnswer(operation: Operation): string {
  const body = bodyOf(operation);
  const parts = [
    ...parametersIn('path', operation),
    ...parametersIn('query', operation),
    ...(body ? [`body: ${typeOf(body, '')}`] : []),
    `answer: ${typeOf(answerOf(operation), '')}`,
  ];
  return `{ ${parts.join('; ')} }`;
}

function parametersIn(place: string, { parameters = [] }: Operation): string[] {
  const of = parameters.filter(parameter => parameter.in === place);
  const listed = of.map(({ name, required, schema }) =>
    required ? `${name}: ${typeOf(schema, '')}` : `${name}?: ${typeOf(schema, '')} | undefined`,
  );
  return of.length === 0 ? [] : [`${place}: { ${listed.join('; ')} }`];
}
