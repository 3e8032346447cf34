/** API description of /v1/schema/{source}/rules. */
import { Type } from '@sinclair/typebox';
import { MAX_DOCUMENT_BYTES } from '../../document-text.ts';
import { MAX_SUGGESTIONS } from '../../rules/suggest.ts';
import { count, flag, largeCount, integer, dateTime, SOURCE, text, word } from '../../contract/values.ts';
import { MAX_INTEGER } from '../../options/options.ts';
import { RulesDocument } from '../../rules/declared/document.ts';
import { MAX_UNSUPPORTED } from '../../rules/interchange/draft.ts';
import { IMPORT_FORMATS } from '../../rules/interchange/import.ts';
import { CHANGE_REASONS, MAX_CHANGES, MAX_PATH, MAX_PATHS } from '../../source-rules.ts';
import { answer, json, operation, type Parameter } from './operation.ts';
import { ifVersion, SOURCE_IN_PATH } from './parameters.ts';
import { CALLER, JSON_BODY, NO_ROOM, refusals } from './refusals.ts';

const VERSION = integer('Number of the version of the rules', 1, MAX_INTEGER);
const UPDATED_AT = dateTime('When they were changed');

const SourceRules = Type.Object(
  { source: SOURCE, rules: RulesDocument, version: VERSION, updated_at: UPDATED_AT },
  { $id: 'SourceRules' },
);

const paths = (what: string) =>
  Type.Array(Type.String(), {
    maxItems: MAX_PATHS,
    description: `Paths of rules that were ${what}, each cut at ${MAX_PATH} characters`,
  });

const RulesChange = Type.Object(
  {
    version: VERSION,
    at: UPDATED_AT,
    by: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Id of the API key that changed them; null: a person who was signed in',
    }),
    reason: word(CHANGE_REASONS, 'How they were changed'),
    count: count('Single rules after the change'),
    added: paths('added'),
    removed: paths('removed'),
    changed: paths('changed'),
  },
  { $id: 'RulesChange' },
);

const ImportedRules = Type.Object(
  {
    source: SOURCE,
    rules: RulesDocument,
    unsupported: Type.Array(
      Type.Object({
        path: text('Where it stands in the document'),
        reason: text('Why there is no rule for it'),
      }),
      {
        description: `What has no counterpart in rules: at most ${MAX_UNSUPPORTED} entries, and one that counts the others`,
      },
    ),
    version: Type.Optional(VERSION),
    updated_at: Type.Optional(UPDATED_AT),
  },
  { $id: 'ImportedRules' },
);

const RULES = {
  description: 'Orders of the shop',
  fields: {
    order_id: { nullable: false, unique: true, pattern: '^ORD-[0-9]+$' },
    quantity: { type: 'integer', minimum: 1, maximum: 999, tolerance: 0.01 },
  },
  rows: { min: 1 },
};
const STORED = { version: 2, updated_at: '2026-11-22T12:12:45.455Z' };
const BAD_SOURCE = { INVALID_PARAMETER: 'The source in the address must not be blank' };

const IF_VERSION = ifVersion('rules');

const inQuery = (
  name: string,
  required: boolean,
  description: string,
  schema: Parameter['schema'],
): Parameter => ({
  name,
  in: 'query',
  required,
  description,
  schema,
});

export const GET_RULES = operation({
  operationId: 'getRules',
  tags: ['Rules'],
  summary: 'Show the rules of a source',
  parameters: [SOURCE_IN_PATH],
  responses: {
    200: answer('The rules', SourceRules, { orders: { source: 'orders', rules: RULES, ...STORED } }),
    ...refusals(['INVALID_PARAMETER', 'NOT_FOUND', ...CALLER], {
      ...BAD_SOURCE,
      NOT_FOUND: "The source 'orders' has no rules",
    }),
  },
});

export const PUT_RULES = operation({
  operationId: 'putRules',
  tags: ['Rules'],
  summary: 'Replace the rules of a source',
  description:
    'All rules at once. A version of the baseline is stored first, and to roll back to it brings the earlier rules back. The same rules again change nothing.',
  parameters: [SOURCE_IN_PATH, IF_VERSION],
  requestBody: { required: true, content: json(RulesDocument, { orders: RULES }) },
  responses: {
    200: answer('The rules', SourceRules, { orders: { source: 'orders', rules: RULES, ...STORED } }),
    ...refusals(['INVALID_RULES', 'VERSION_CONFLICT', 'PLAN_LIMIT_EXCEEDED', ...JSON_BODY, ...CALLER], {
      ...NO_ROOM,
      ...BAD_SOURCE,
    }),
  },
});

export const DELETE_RULES = operation({
  operationId: 'deleteRules',
  tags: ['Rules'],
  summary: 'Delete the rules of a source',
  parameters: [SOURCE_IN_PATH, IF_VERSION],
  responses: {
    200: answer(
      'There are no rules',
      Type.Object({ ok: flag('true'), source: SOURCE }, { $id: 'RulesDeleted' }),
      {
        orders: { ok: true, source: 'orders' },
      },
    ),
    ...refusals(['INVALID_PARAMETER', 'VERSION_CONFLICT', ...CALLER], BAD_SOURCE),
  },
});

export const LIST_RULE_CHANGES = operation({
  operationId: 'listRuleChanges',
  tags: ['Rules'],
  summary: 'List who changed the rules of a source',
  description: `Newest first, at most ${MAX_CHANGES}.`,
  parameters: [SOURCE_IN_PATH],
  responses: {
    200: answer(
      'The changes',
      Type.Object({ source: SOURCE, changes: Type.Array(RulesChange) }, { $id: 'RulesChangeList' }),
      {
        orders: {
          source: 'orders',
          changes: [
            {
              version: 2,
              at: STORED.updated_at,
              by: 'key_2a67f63ac37db5fbefff385d',
              reason: 'put',
              count: 5,
              added: ['fields.quantity.maximum'],
              removed: [],
              changed: ['fields.quantity.minimum'],
            },
          ],
        },
      },
    ),
    ...refusals(['INVALID_PARAMETER', ...CALLER], BAD_SOURCE),
  },
});

const SuggestedRules = Type.Object(
  {
    source: SOURCE,
    rules: RulesDocument,
    evidence: Type.Array(
      Type.Object({
        rule: text('Path of the rule'),
        field: text('Name of its field'),
        constraint: text('Name of the constraint'),
        reason: text('What it rests on, for people'),
        batches: count('Batches that were looked at'),
        rows: largeCount('Their rows'),
      }),
      { maxItems: MAX_SUGGESTIONS, description: 'One for each rule' },
    ),
    left_out: Type.Optional(count('Suggestions that are left out; absent: none')),
  },
  { $id: 'SuggestedRules' },
);

export const SUGGEST_RULES = operation({
  operationId: 'suggestRules',
  tags: ['Rules'],
  summary: 'Suggest rules for a source',
  description:
    'From the newest five batches that were not BLOCK: what held in all of them, with the evidence. Rules that the source has are not suggested. Nothing is stored.',
  parameters: [SOURCE_IN_PATH],
  responses: {
    200: answer('The suggestions', SuggestedRules, {
      orders: {
        source: 'orders',
        rules: { fields: { order_id: { nullable: false } } },
        evidence: [
          {
            rule: 'fields.order_id.nullable',
            field: 'order_id',
            constraint: 'nullable',
            reason: 'None of 6,000 rows is without a value',
            batches: 5,
            rows: 6000,
          },
        ],
      },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], BAD_SOURCE),
  },
});

/** Some generators refer to a type of words that they do not write. */
const IMPORT_FORMAT = Type.String({ pattern: `^(${IMPORT_FORMATS.join('|')})$` });
const DOCUMENT = Type.String({ description: 'A document in YAML or JSON, as text in UTF-8' });
const SCHEMA_OF_ROW = { properties: { quantity: { type: 'integer', minimum: 1 } }, required: ['quantity'] };

export const IMPORT_RULES = operation({
  operationId: 'importRules',
  tags: ['Rules'],
  summary: 'Make rules of a document of another program',
  description: `The document may have ${MAX_DOCUMENT_BYTES / 1024} KiB. Nothing is stored without \`apply=true\`.`,
  parameters: [
    SOURCE_IN_PATH,
    {
      ...inQuery('format', true, `Format of the document: ${IMPORT_FORMATS.join(', ')}`, IMPORT_FORMAT),
      example: 'json-schema',
    },
    inQuery('table', false, 'Which table, if the document describes several', Type.String()),
    inQuery('apply', false, '`true` replaces the rules of the source', Type.Boolean({ default: false })),
    IF_VERSION,
  ],
  requestBody: {
    required: true,
    description: 'The Content-Type is not looked at',
    content: {
      'application/yaml': {
        schema: DOCUMENT,
        examples: {
          schema: { value: 'properties:\n  quantity: {type: integer, minimum: 1}\nrequired: [quantity]\n' },
        },
      },
      ...json(Type.Unsafe<object>({ type: 'object', description: 'A document in JSON' }), {
        schema: SCHEMA_OF_ROW,
      }),
    },
  },
  responses: {
    200: answer('The rules, and what they cannot say', ImportedRules, {
      schema: {
        source: 'orders',
        rules: { fields: { quantity: { type: 'integer', minimum: 1, nullable: false } } },
        unsupported: [],
      },
    }),
    ...refusals(
      [
        'INVALID_RULES',
        'INVALID_PARAMETER',
        'VERSION_CONFLICT',
        'PLAN_LIMIT_EXCEEDED',
        'PAYLOAD_TOO_LARGE',
        'REQUEST_TIMEOUT',
        ...CALLER,
      ],
      {
        ...NO_ROOM,
        INVALID_PARAMETER: `format must be one of ${IMPORT_FORMATS.join(', ')}`,
        INVALID_RULES: "table: name one object of the schema; the document has 'orders', 'customers'",
      },
    ),
  },
});
