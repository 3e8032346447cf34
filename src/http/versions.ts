/** GET /v1/schema/{source}/versions and /changes, POST /v1/schema/{source}/rollback. */
import { Elysia } from 'elysia';
import { boundsOf, type StorageLimits } from '../account/storage.ts';
import type { Baselines } from '../sources/baselines.ts';
import type { BaselineEditor } from '../sources/editor.ts';
import { quoted, Rejection } from '../errors.ts';
import { isIntegerFrom, MAX_INTEGER } from '../options/options.ts';
import type { UploadLimits } from '../intake/upload.ts';
import { restoreRules } from '../source-rules.ts';
import type { ChangeStore } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime } from './date-time.ts';
import { LIST_CHANGES, LIST_VERSIONS, ROLL_BACK } from './documents/versions.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { queryInteger } from './parameters.ts';
import { sourceInPath } from './source-path.ts';

export interface VersionRouteDependencies extends CallerDependencies, UploadLimits, StorageLimits {
  editor: BaselineEditor;
  baselines: Pick<Baselines, 'notes'>;
  changes: ChangeStore;
}

const VERSIONS_PATH = '/v1/schema/:source/versions';
const CHANGES_PATH = '/v1/schema/:source/changes';
const CHANGES = { min: 1, max: 200, fallback: 50 };
const ROLLBACK_PATH = '/v1/schema/:source/rollback';

export const versionRoutes = (deps: VersionRouteDependencies) =>
  new Elysia()
    .get(VERSIONS_PATH, ({ request }) => listVersions(request, deps), { detail: LIST_VERSIONS })
    .all(VERSIONS_PATH, otherMethods('GET, HEAD'))
    .get(CHANGES_PATH, ({ request }) => listChanges(request, deps), { detail: LIST_CHANGES })
    .all(CHANGES_PATH, otherMethods('GET, HEAD'))
    .post(ROLLBACK_PATH, ({ request }) => rollBack(request, deps), { parse: 'none', detail: ROLL_BACK })
    .all(ROLLBACK_PATH, otherMethods('POST'));

async function listVersions(request: Request, deps: VersionRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  return { source, versions: await deps.editor.versions(account.id, source) };
}

/** The version that was stored just before a change has its time: to go back to it undoes the change. */
async function listChanges(request: Request, deps: VersionRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const limit = queryInteger(request, 'limit', CHANGES);
  const versions = await deps.editor.versions(account.id, source);
  const before = new Map(versions.map(({ made_at, version }) => [made_at, version]));
  const changes = (await deps.changes.list(account.id, source, limit)).map(change => {
    const { action, by, key, job, detail } = change;
    const at = dateTime(change.at);
    const version_before = before.get(at);
    return {
      ...{ at, action, by, key_id: key },
      ...(job !== null && { job_id: job }),
      ...(detail !== null && { detail }),
      ...(version_before !== undefined && { version_before }),
    };
  });
  return { source, changes };
}

async function rollBack(request: Request, deps: VersionRouteDependencies) {
  const { account, key, who } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const { version } = await jsonBody(request, deps);
  if (!isIntegerFrom(1, version))
    throw new Rejection(
      'INVALID_PARAMETER',
      `version must be the number of a version, from 1 to ${MAX_INTEGER}`,
    );
  const at = deps.now();
  const found = await deps.editor.rollBack(account.id, source, version, at, boundsOf(account, deps));
  if (found === null)
    throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no version ${version}`);
  const { batches, rows, rulesVersion } = found;
  const reference = { account: account.id, bounds: boundsOf(account, deps), source, by: key, who };
  const detail = String(version);
  await deps.changes.add(account.id, { source, action: 'rolled_back', at, by: who, key, detail });
  const unrestored =
    rulesVersion === null
      ? 'it does not say which rules held then'
      : (await restoreRules(reference, rulesVersion, deps))
        ? null
        : 'the rules of then are no longer kept';
  const rules = unrestored === null ? '' : `; ${unrestored}, so the rules stay as they are`;
  const message = `The baseline of ${quoted(source)} is version ${version} again${rules}`;
  return { ok: true, source, version, batches, rows, message };
}
