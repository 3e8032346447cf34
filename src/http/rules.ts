/** /v1/schema/{source}/rules: what its owner says must be true of a source. */
import { setImmediate } from 'node:timers/promises';
import { Elysia } from 'elysia';
import { boundsOf, type StorageLimits } from '../account/storage.ts';
import { MAX_DOCUMENT_BYTES } from '../document-text.ts';
import { quoted, Rejection } from '../errors.ts';
import type { UploadLimits } from '../intake/upload.ts';
import { MAX_RULES_BYTES } from '../rules/declared/limits.ts';
import { MAX_JOB_BYTES } from '../report/bounds.ts';
import { parseRules, unchecked } from '../rules/declared/parse.ts';
import { refuseRepeated } from '../rules/declared/reader.ts';
import type { SuggestOrder } from '../threads/source-tasks.ts';
import { type JobStore, TOO_LARGE } from '../stores/ports.ts';
import { IMPORT_FORMATS } from '../rules/interchange/import.ts';
import {
  changeRules,
  changesOf,
  type RulesReference,
  rulesOf,
  type SourceRulesDependencies,
} from '../source-rules.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import {
  DELETE_RULES,
  GET_RULES,
  IMPORT_RULES,
  LIST_RULE_CHANGES,
  PUT_RULES,
  SUGGEST_RULES,
} from './documents/rules.ts';
import { bodyBytes, jsonText } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { ifVersionIn, queryText } from './parameters.ts';
import type { Threads } from '../threads/threads.ts';
import type { UnsentBytes } from './unsent-bytes.ts';
import { sourceInPath } from './source-path.ts';

export interface RulesRouteDependencies
  extends CallerDependencies,
    UploadLimits,
    StorageLimits,
    SourceRulesDependencies {
  jobs: Pick<JobStore, 'list' | 'find'>;
  unsent: UnsentBytes;
  threads: Pick<Threads, 'run'>;
}

const RULES_PATH = '/v1/schema/:source/rules';
const IMPORT_PATH = '/v1/schema/:source/rules/import';
const SUGGESTED_PATH = '/v1/schema/:source/rules/suggested';
const HISTORY_PATH = '/v1/schema/:source/rules/history';

/** Suggestions are made from so many batches that were not BLOCK, of the source's last jobs. */
const SUGGESTED_FROM = 5;
const LAST_JOBS = 50;

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
    .get(SUGGESTED_PATH, ({ request }) => listSuggestions(request, deps), { detail: SUGGEST_RULES })
    .all(SUGGESTED_PATH, otherMethods('GET, HEAD'))
    .post(IMPORT_PATH, ({ request }) => postImport(request, deps), { parse: 'none', detail: IMPORT_RULES })
    .all(IMPORT_PATH, otherMethods('POST'));

async function referenceOf(request: Request, deps: RulesRouteDependencies): Promise<RulesReference> {
  const { account, key: by, who } = await callerOf(request, deps);
  return { account: account.id, bounds: boundsOf(account, deps), source: sourceInPath(request), by, who };
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
  const ifVersion = ifVersionIn(request);
  const { value, text } = await jsonText(request, deps, MAX_BODY_BYTES);
  // Probably a file that is missing or was cut off: `{}` and DELETE remove all rules.
  if (text === '')
    throw new Rejection('INVALID_RULES', 'rules: the body is empty; send {} to remove all rules');
  refuseRepeated(text);
  const rules = parseRules(value, unchecked);
  const { document } = rules;
  await deps.threads.run('checkPatterns', { document });
  return { source: reference.source, ...(await changeRules(reference, document, 'put', deps, ifVersion)) };
}

async function deleteRules(request: Request, deps: RulesRouteDependencies) {
  const reference = await referenceOf(request, deps);
  await changeRules(reference, null, 'deleted', deps, ifVersionIn(request));
  return { ok: true, source: reference.source };
}

async function listChanges(request: Request, deps: RulesRouteDependencies) {
  const reference = await referenceOf(request, deps);
  const changes = await changesOf(reference, deps);
  return { source: reference.source, changes: changes.map(({ rules: _, ...change }) => change) };
}

async function listSuggestions(request: Request, deps: RulesRouteDependencies) {
  const reference = await referenceOf(request, deps);
  await deps.unsent.reserve(request, reference.account, MAX_JOB_BYTES);
  const { source } = reference;
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
  const ifVersion = ifVersionIn(request);
  const bytes = await bodyBytes(request, deps, MAX_DOCUMENT_BYTES);
  const { rules, unsupported } = await deps.threads.run('importDocument', { bytes, format, table });
  if (apply === 'false') return { source: reference.source, rules, unsupported };
  const { version, updated_at } = await changeRules(reference, rules, 'imported', deps, ifVersion);
  return { source: reference.source, rules, unsupported, version, updated_at };
}
