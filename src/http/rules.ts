/** /v1/schema/{source}/rules: what its owner says must be true of a source. */
import { Elysia } from 'elysia';
import { boundsOf, type StorageLimits } from '../account/storage.ts';
import { DocumentError, MAX_DOCUMENT_BYTES, readDocument } from '../document-text.ts';
import { quoted, Rejection } from '../errors.ts';
import type { UploadLimits } from '../intake/upload.ts';
import { MAX_RULES_BYTES } from '../rules/declared/limits.ts';
import { parseRules } from '../rules/declared/parse.ts';
import { IMPORT_FORMATS, importRules } from '../rules/interchange/import.ts';
import {
  changeRules,
  changesOf,
  type RulesReference,
  rulesOf,
  type SourceRulesDependencies,
} from '../source-rules.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { DELETE_RULES, GET_RULES, IMPORT_RULES, LIST_RULE_CHANGES, PUT_RULES } from './documents/rules.ts';
import { bodyBytes, jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { queryText } from './parameters.ts';
import { sourceInPath } from './source-path.ts';

export interface RulesRouteDependencies
  extends CallerDependencies,
    UploadLimits,
    StorageLimits,
    SourceRulesDependencies {}

const RULES_PATH = '/v1/schema/:source/rules';
const IMPORT_PATH = '/v1/schema/:source/rules/import';
const HISTORY_PATH = '/v1/schema/:source/rules/history';

/** White space may take as much as the rules. */
const MAX_BODY_BYTES = 2 * MAX_RULES_BYTES;

export const rulesRoutes = (deps: RulesRouteDependencies) =>
  new Elysia()
    .get(RULES_PATH, ({ request }) => getRules(request, deps), { detail: GET_RULES })
    .put(RULES_PATH, ({ request }) => putRules(request, deps), { parse: 'none', detail: PUT_RULES })
    .delete(RULES_PATH, ({ request }) => deleteRules(request, deps), { detail: DELETE_RULES })
    .all(RULES_PATH, otherMethods('GET, HEAD, PUT, DELETE'))
    .get(HISTORY_PATH, ({ request }) => listChanges(request, deps), { detail: LIST_RULE_CHANGES })
    .all(HISTORY_PATH, otherMethods('GET, HEAD'))
    .post(IMPORT_PATH, ({ request }) => postImport(request, deps), { parse: 'none', detail: IMPORT_RULES })
    .all(IMPORT_PATH, otherMethods('POST'));

async function referenceOf(request: Request, deps: RulesRouteDependencies): Promise<RulesReference> {
  const { account, key } = await callerOf(request, deps);
  return { account: account.id, bounds: boundsOf(account, deps), source: sourceInPath(request), by: key };
}

async function getRules(request: Request, deps: RulesRouteDependencies) {
  const reference = await referenceOf(request, deps);
  const { source } = reference;
  const found = await rulesOf(reference, deps);
  if (found === null) throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no rules`);
  return { source, ...found };
}

async function putRules(request: Request, deps: RulesRouteDependencies) {
  const reference = await referenceOf(request, deps);
  const { document } = parseRules(await jsonBody(request, deps, MAX_BODY_BYTES));
  return { source: reference.source, ...(await changeRules(reference, document, 'put', deps)) };
}

async function deleteRules(request: Request, deps: RulesRouteDependencies) {
  const reference = await referenceOf(request, deps);
  await changeRules(reference, null, 'deleted', deps);
  return { ok: true, source: reference.source };
}

async function listChanges(request: Request, deps: RulesRouteDependencies) {
  const reference = await referenceOf(request, deps);
  const changes = await changesOf(reference, deps);
  return { source: reference.source, changes: changes.map(({ rules: _, ...change }) => change) };
}

async function postImport(request: Request, deps: RulesRouteDependencies) {
  const reference = await referenceOf(request, deps);
  const given = queryText(request, 'format');
  const format = IMPORT_FORMATS.find(each => each === given);
  if (!format) {
    const said = given === undefined ? '' : `, not ${quoted(given)}`;
    throw new Rejection('INVALID_PARAMETER', `format must be one of ${IMPORT_FORMATS.join(', ')}${said}`);
  }
  const apply = queryText(request, 'apply') ?? 'false';
  if (apply !== 'true' && apply !== 'false')
    throw new Rejection('INVALID_PARAMETER', `apply must be true or false, not ${quoted(apply)}`);
  const table = queryText(request, 'table');
  const document = documentIn(await bodyBytes(request, deps, MAX_DOCUMENT_BYTES));
  const { rules, unsupported } = importRules(format, document, table);
  if (apply === 'false') return { source: reference.source, rules, unsupported };
  const { version, updated_at } = await changeRules(reference, rules, 'imported', deps);
  return { source: reference.source, rules, unsupported, version, updated_at };
}

/** Whatever the Content-Type says: YAML has had none for long. */
function documentIn(bytes: Uint8Array): unknown {
  try {
    return readDocument(bytes).value;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const line = error.line === null ? '' : ` (line ${error.line})`;
    throw new Rejection('INVALID_RULES', `rules: ${error.message}${line}`);
  }
}
