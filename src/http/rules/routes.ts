/** /v1/schema/{source}/rules: what its owner says must be true of a source. */
import { setImmediate } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { boundsOf, type StorageLimits } from '../../account/storage.ts';
import { MAX_DOCUMENT_BYTES } from '../../documents/document-text.ts';
import { quoted, Rejection } from '../../terms/errors.ts';
import type { UploadLimits } from '../../intake/upload.ts';
import { MAX_JOB_BYTES } from '../../report/bounds.ts';
import { RulesDocument } from '../../rules/declared/document.ts';
import { MAX_RULES_BYTES } from '../../rules/declared/limits.ts';
import { listed } from '../../rules/declared/missing-fields.ts';
import { parseRules, unchecked } from '../../rules/declared/parse.ts';
import { refuseRepeated } from '../../rules/declared/reader.ts';
import { IMPORT_FORMATS } from '../../rules/interchange/import.ts';
import {
  changeRules,
  changesOf,
  MAX_CHANGES,
  type RulesReference,
  rulesOf,
  type SourceRulesDependencies,
} from '../../sources/source-rules.ts';
import type { Baselines } from '../../sources/baselines.ts';
import { type Identity, type JobStore, TOO_LARGE } from '../../stores/ports.ts';
import type { SuggestOrder } from '../../threads/source-tasks.ts';
import type { Threads } from '../../threads/threads.ts';
import { answer, json } from '../documents/operation.ts';
import { bodyBytes, jsonText } from '../json-body.ts';
import { ifVersion, optional, wordSchema } from '../parameters.ts';
import { route } from '../route.ts';
import type { UnsentBytes } from '../unsent-bytes.ts';
import {
  ChangedRules,
  ImportedRules,
  RULES,
  RulesChangeList,
  RulesDeleted,
  SourceRules,
  STORED,
  SuggestedRules,
} from './schema.ts';

interface Dependencies extends UploadLimits, StorageLimits, SourceRulesDependencies {
  baselines: Pick<Baselines, 'notes' | 'unknownFields'>;
  jobs: Pick<JobStore, 'list' | 'find'>;
  unsent: UnsentBytes;
  threads: Pick<Threads, 'run'>;
}

/** Suggestions are made from so many batches that were not BLOCK, of the source's last jobs. */
const SUGGESTED_FROM = 5;
const LAST_JOBS = 50;

/** White space may take as much as the rules. */
const MAX_BODY_BYTES = 2 * MAX_RULES_BYTES;

const IF_VERSION = ifVersion('rules');

const referenceOf = (
  { account, key, who }: Identity,
  source: string,
  deps: Dependencies,
): RulesReference => ({
  account: account.id,
  bounds: boundsOf(account, deps),
  source,
  by: key,
  who,
});

/** `{ unknown_fields }` where rules name fields that no batch of the source had. */
async function unknownIn(
  document: RulesDocument,
  { account, source }: RulesReference,
  { baselines }: Dependencies,
) {
  const unknown = await baselines.unknownFields(account, source, document);
  if (unknown.length === 0) return {};
  return { unknown_fields: unknown.map(each => ({ field: each.field, ...listed(each) })) };
}

const get = route('GET /v1/schema/:source/rules', {
  operationId: 'getRules',
  tag: 'Rules',
  summary: 'Show the rules of a source',
  answers: {
    200: answer('The rules', SourceRules, { orders: { source: 'orders', rules: RULES, ...STORED } }),
  },
  refusals: ['NOT_FOUND'],
  messages: { NOT_FOUND: "The source 'orders' has no rules" },
  async handle({ caller, source }, deps: Dependencies) {
    const found = await rulesOf(referenceOf(caller, source, deps), deps);
    if (found === null) throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no rules`);
    return { source, ...found };
  },
});

const put = route('PUT /v1/schema/:source/rules', {
  operationId: 'putRules',
  tag: 'Rules',
  summary: 'Replace the rules of a source',
  description:
    'All rules at once. A version of the baseline is stored first, and to roll back to it brings the earlier rules back. The same rules again change nothing.',
  query: { if_version: IF_VERSION },
  content: { required: true, content: json(RulesDocument, { orders: RULES }) },
  answers: {
    200: answer('The rules', ChangedRules, { orders: { source: 'orders', rules: RULES, ...STORED } }),
  },
  refusals: [
    'INVALID_RULES',
    'VERSION_CONFLICT',
    'PLAN_LIMIT_EXCEEDED',
    'INVALID_JSON',
    'INVALID_PARAMETER',
    'REQUEST_TIMEOUT',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  messages: { INVALID_JSON: 'The body must be one JSON text in UTF-8' },
  async handle({ request, caller, source, query }, deps: Dependencies) {
    const reference = referenceOf(caller, source, deps);
    const { value, text } = await jsonText(request, deps, MAX_BODY_BYTES);
    // Probably a file that is missing or was cut off: `{}` and DELETE remove all rules.
    if (text === '')
      throw new Rejection('INVALID_RULES', 'rules: the body is empty; send {} to remove all rules');
    refuseRepeated(text);
    const { document } = parseRules(value, unchecked);
    await deps.threads.run('checkPatterns', { document });
    const changed = await changeRules(reference, document, 'put', deps, query.if_version);
    return { source, ...changed, ...(await unknownIn(document, reference, deps)) };
  },
});

const remove = route('DELETE /v1/schema/:source/rules', {
  operationId: 'deleteRules',
  tag: 'Rules',
  summary: 'Delete the rules of a source',
  query: { if_version: IF_VERSION },
  answers: { 200: answer('There are no rules', RulesDeleted, { orders: { ok: true, source: 'orders' } }) },
  refusals: ['VERSION_CONFLICT'],
  async handle({ caller, source, query }, deps: Dependencies) {
    await changeRules(referenceOf(caller, source, deps), null, 'deleted', deps, query.if_version);
    return { ok: true, source };
  },
});

const listChanges = route('GET /v1/schema/:source/rules/history', {
  operationId: 'listRuleChanges',
  tag: 'Rules',
  summary: 'List who changed the rules of a source',
  description: `Newest first, at most ${MAX_CHANGES}.`,
  answers: {
    200: answer('The changes', RulesChangeList, {
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
    }),
  },
  async handle({ caller, source }, deps: Dependencies) {
    const changes = await changesOf(referenceOf(caller, source, deps), deps);
    return { source, changes: changes.map(({ rules: _, ...change }) => change) };
  },
});

const suggest = route('GET /v1/schema/:source/rules/suggested', {
  operationId: 'suggestRules',
  tag: 'Rules',
  summary: 'Suggest rules for a source',
  description:
    'From the newest five batches that were not BLOCK: what held in all of them, with the evidence. Rules that the source has are not suggested. Nothing is stored.',
  answers: {
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
  },
  async handle({ request, caller, source }, deps: Dependencies) {
    const reference = referenceOf(caller, source, deps);
    await deps.unsent.reserve(request, reference.account, MAX_JOB_BYTES);
    const jobs = await deps.jobs.list(reference.account, { source, limit: LAST_JOBS });
    const good = jobs.filter(({ status }) => status !== 'BLOCK').slice(0, SUGGESTED_FROM);
    const batches: SuggestOrder['batches'] = [];
    for (const { id, rowsReceived: rows, createdAt: at } of good) {
      // An embedded store answers within this turn of the event loop.
      await setImmediate();
      const found = await deps.jobs.find(reference.account, id);
      if (found === null || found.document === TOO_LARGE) continue;
      batches.push({ rows, at, profile: found.document.profile });
    }
    const rules = (await rulesOf(reference, deps))?.rules ?? null;
    return { source, ...(await deps.threads.run('suggest', { batches, rules })) };
  },
});

const DOCUMENT = Type.String({ description: 'A document in YAML or JSON, as text in UTF-8' });
const SCHEMA_OF_ROW = { properties: { quantity: { type: 'integer', minimum: 1 } }, required: ['quantity'] };

const importRules = route('POST /v1/schema/:source/rules/import', {
  operationId: 'importRules',
  tag: 'Rules',
  summary: 'Make rules of a document of another program',
  description: `The document may have ${MAX_DOCUMENT_BYTES / 1024} KiB. Nothing is stored without \`apply=true\`.`,
  query: {
    format: {
      description: `Format of the document: ${IMPORT_FORMATS.join(', ')}`,
      schema: wordSchema(IMPORT_FORMATS),
      example: 'json-schema',
    },
    table: optional('Which table, if the document describes several', Type.String()),
    apply: {
      description: '`true` replaces the rules of the source',
      schema: Type.Boolean({ default: false }),
    },
    if_version: IF_VERSION,
  },
  content: {
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
  answers: {
    200: answer('The rules, and what they cannot say', ImportedRules, {
      schema: {
        source: 'orders',
        rules: { fields: { quantity: { type: 'integer', minimum: 1, nullable: false } } },
        unsupported: [],
      },
    }),
  },
  refusals: [
    'INVALID_RULES',
    'VERSION_CONFLICT',
    'PLAN_LIMIT_EXCEEDED',
    'PAYLOAD_TOO_LARGE',
    'REQUEST_TIMEOUT',
  ],
  messages: {
    INVALID_PARAMETER: `format must be one of ${IMPORT_FORMATS.join(', ')}`,
    INVALID_RULES: "table: name one object of the schema; the document has 'orders', 'customers'",
  },
  async handle({ request, caller, source, query }, deps: Dependencies) {
    const { format, table, apply, if_version } = query;
    const bytes = await bodyBytes(request, deps, MAX_DOCUMENT_BYTES);
    const { rules, unsupported } = await deps.threads.run('importDocument', { bytes, format, table });
    const reference = referenceOf(caller, source, deps);
    const unknown = await unknownIn(rules, reference, deps);
    if (!apply) return { source, rules, unsupported, ...unknown };
    const { version, updated_at } = await changeRules(reference, rules, 'imported', deps, if_version);
    return { source, rules, unsupported, ...unknown, version, updated_at };
  },
});

export const rulesRoutes = [get, put, remove, listChanges, suggest, importRules];
