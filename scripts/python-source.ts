/** An OpenAPI document → the Python client's types, and a method for each operation. The async code of the client → its sync code. */
import {
  type Addressed,
  answerOf,
  bodyOf,
  codesIn,
  nameIn,
  type OpenApi,
  operationsIn,
  type Schema,
  schemasUsed,
} from './contract-source.ts';

const GENERATED = 'Generated from its OpenAPI document by `npm run contract`; do not edit.';

/** Python's keywords: a member or a parameter cannot have such a name. */
const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in is
   lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

const isName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);
const text = (value: unknown): string => JSON.stringify(value);
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const camel = (word: string): string => word.split('_').map(capital).join('');
const snake = (word: string): string => word.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** Written by hand: they take frames, rows and files, or have a key. */
const BY_HAND = new Set(['screen', 'screenWhole', 'openBatch', 'sendPart', 'finishBatch']);

// ---- types ----

/** Collects the classes: objects inside others have no name in the document, and get one from where they stand. */
class Classes {
  readonly texts: string[] = [];

  typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return nameIn(schema.$ref);
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    if (Array.isArray(schema.type)) {
      const types = schema.type.map(type => this.typeOf({ ...schema, type }, name));
      return `Union[${types.join(', ')}]`;
    }
    switch (schema.type) {
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'string':
        return 'str';
      case 'null':
        return 'None';
      case 'array':
        return `List[${schema.items ? this.typeOf(schema.items, `${name}Item`) : 'Any'}]`;
      case 'object':
        return this.#objectOf(schema, name);
      default:
        return 'Any';
    }
  }

  #objectOf(schema: Schema, name: string): string {
    if (schema.properties) {
      this.declare(name, schema);
      return name;
    }
    const { additionalProperties } = schema;
    const values = typeof additionalProperties === 'object' ? additionalProperties : {};
    return `Dict[str, ${this.typeOf(values, `${name}Value`)}]`;
  }

  declare(name: string, schema: Schema): void {
    const { properties, required = [] } = schema;
    if (!properties) {
      this.texts.push(`${comment(schema.description)}${name} = ${this.typeOf(schema, `${name}Value`)}\n`);
      return;
    }
    const members = Object.entries(properties).map(([member, value]) => {
      const type = this.typeOf(value, `${name}${camel(member)}`);
      return { member, value, type: required.includes(member) ? type : `NotRequired[${type}]` };
    });
    if (members.every(({ member }) => isName(member))) {
      const lines = members.map(
        ({ member, value, type }) => `${comment(value.description, '    ')}    ${member}: ${type}`,
      );
      this.texts.push(`class ${name}(TypedDict):\n${docstring(schema.description)}${lines.join('\n')}\n`);
    } else {
      // A class cannot have these names, and the call evaluates its types: those that follow must be texts.
      const lines = members.map(
        ({ member, value, type }) =>
          `${comment(value.description, '        ')}        ${text(member)}: ${text(type)},`,
      );
      this.texts.push(
        `${comment(schema.description)}${name} = TypedDict(\n    ${text(name)},\n    {\n${lines.join('\n')}\n    },\n)\n`,
      );
    }
  }
}

const literal = (value: unknown): string =>
  value === null ? 'None' : typeof value === 'boolean' ? capital(String(value)) : text(value);

const comment = (given: string | undefined, indent = ''): string =>
  given === undefined ? '' : `${indent}#: ${given.replaceAll(/\s+/g, ' ')}\n`;

const docstring = (given: string | undefined): string =>
  given === undefined
    ? ''
    : `    """${given.replaceAll('\\', '\\\\').replaceAll('"', "'").replaceAll(/\s+/g, ' ')}"""\n\n`;

const TYPES_HEAD = `"""Types of the service's requests and answers, as \`json.loads\` gives them. ${GENERATED}"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired

`;

/** The text of clients/python/src/sluice/types.py. */
export function pythonTypes(document: OpenApi): string {
  const operations = operationsIn(document);
  const used = schemasUsed(operations, document);
  const { schemas } = document.components;
  const classes = new Classes();
  const codes = codesIn(operations, schemas).map(text).join(', ');
  classes.texts.push(`#: For programs; the message is for people\nErrorCode = Literal[${codes}]\n`);
  const aliases = (name: string) => !schemas[name]!.properties;
  const names = Object.keys(schemas).filter(name => used.has(name));
  // An alias is evaluated where it stands: it follows the classes that it names.
  for (const name of [...names.filter(each => !aliases(each)), ...names.filter(aliases)])
    classes.declare(name, schemas[name]!);
  for (const { operation } of operations) {
    const id = capital(operation.operationId);
    const [body, answer] = [bodyOf(operation), answerOf(operation)];
    if (body && !body.$ref) classes.typeOf(body, `${id}Body`);
    if (!answer.$ref) classes.typeOf(answer, `${id}Answer`);
  }
  return `${TYPES_HEAD}\n${classes.texts.join('\n\n')}`;
}

// ---- operations ----

interface Method {
  id: string;
  summary: string;
  /** As in a signature. */
  parameters: string[];
  answer: string;
  /** The arguments of `_call`. */
  arguments: string;
}

/** The name of a type in `types`; builtins and generics stay as they are. */
const qualified = (type: string): string =>
  type.replaceAll(/\b[A-Z]\w*\b/g, (name, at: number) =>
    /^(Any|Dict|List|Literal|Optional|Union|None|NotRequired|True|False)$/.test(name) || type[at - 1] === '"'
      ? name
      : `types.${name}`,
  );

/** A keyword gets an underscore behind it, as PEP 8 says. */
const argument = (name: string): string => (isName(name) ? name : `${name}_`);

function methodOf({ method, path, operation }: Addressed, document: OpenApi): Method {
  const { operationId: id, parameters = [] } = operation;
  const classes = new Classes();
  const typeOf = (schema: Schema, name: string) => qualified(classes.typeOf(schema, name));
  const inPath = parameters.filter(each => each.in === 'path');
  const inQuery = parameters.filter(each => each.in === 'query');
  const body = bodyOf(operation);
  const whole = body?.$ref ? document.components.schemas[nameIn(body.$ref)]! : body;
  const bodyName = body?.$ref ? nameIn(body.$ref) : `${capital(id)}Body`;
  const members = Object.entries(whole?.properties ?? {});
  const taken = new Set([...inPath, ...inQuery].map(({ name }) => name));
  // Members become parameters where all of them can.
  const isFlat = members.length > 0 && members.every(([name]) => isName(name) && !taken.has(name));
  const required = new Set(whole?.required ?? []);
  const keywords = [
    ...(isFlat
      ? members.map(([name, schema]) => {
          const type = typeOf(schema, `${bodyName}${camel(name)}`);
          return required.has(name) ? `${name}: ${type}` : `${name}: Optional[${type}] = None`;
        })
      : []),
    ...inQuery.map(({ name, required: must, schema }) => {
      const type = typeOf(schema, `${capital(id)}${camel(name)}`);
      return must ? `${argument(name)}: ${type}` : `${argument(name)}: Optional[${type}] = None`;
    }),
  ];
  const sent = !body
    ? 'None'
    : isFlat
      ? `given({${members.map(([name]) => `${text(name)}: ${name}`).join(', ')}})`
      : 'body';
  const dictionary = (of: { name: string }[]) =>
    `{${of.map(({ name }) => `${text(name)}: ${argument(name)}`).join(', ')}}`;
  return {
    id,
    summary: (operation as { summary?: string }).summary ?? id,
    parameters: [
      'self',
      ...inPath.map(({ name, schema }) => `${name}: ${typeOf(schema, name)}`),
      ...(body && !isFlat ? [`body: ${typeOf(body, bodyName)}`] : []),
      ...(keywords.length > 0 ? ['*', ...keywords] : []),
    ],
    answer: typeOf(answerOf(operation), `${capital(id)}Answer`),
    arguments: [
      text(id),
      text(method.toUpperCase()),
      text(path),
      dictionary(inPath),
      dictionary(inQuery),
      sent,
    ].join(', '),
  };
}

function asyncClass(methods: Method[]): string {
  const bodies = methods.map(
    ({ id, summary, parameters, answer, arguments: call }) =>
      `    async def ${snake(id)}(${parameters.join(', ')}) -> ${answer}:
        """${summary.replaceAll('"', "'")}."""
        answer: ${answer} = await self._call(${call})
        return answer
`,
  );
  return `class AsyncOperations:
    """The operations of the API that take no rows. All raise \`SluiceError\`."""

    async def _call(
        self, name: str, method: str, path: str, names: Dict[str, str], query: Dict[str, Any], body: Any
    ) -> Any:
        raise NotImplementedError

${bodies.join('\n')}`;
}

/** The text of clients/python/src/sluice/_operations.py. */
export function pythonOperations(document: OpenApi): string {
  const methods = operationsIn(document)
    .filter(({ operation }) => !BY_HAND.has(operation.operationId))
    .map(addressed => methodOf(addressed, document));
  return `"""The operations of the API, named as in its OpenAPI document. ${GENERATED}"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from . import types


def given(members: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


${syncOf(asyncClass(methods))}

${asyncClass(methods)}`;
}

// ---- async to sync ----

/** What differs between the code of a client for an event loop and of one for threads. */
const SYNC: [RegExp, string][] = [
  [/^""".*"""/, `"""The client. Generated from _async_client.py by \`npm run contract\`; do not edit."""`],
  [/Files and frames are read in threads\./, 'Several threads may share it.'],
  [/\basync (?=def|for|with)/g, ''],
  [/\bawait /g, ''],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\b_async_waiting\b/g, '_waiting'],
  [/\ba(?=close\(|iter_bytes\()/g, ''],
  [/\b__a(?=enter__|exit__)/g, '__'],
];

/** The text of clients/python/src/sluice/_client.py, from that of _async_client.py. */
export const syncOf = (text: string): string =>
  SYNC.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
