/** GET /v1/schema/{source}/versions, and the way back to one. */
import { Elysia } from 'elysia';
import type { BaselineEditor } from '../baseline/editor.ts';
import { quoted, Rejection } from '../errors.ts';
import type { UploadLimits } from '../intake/upload.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { LIST_VERSIONS, ROLL_BACK } from './documents/versions.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { sourceInPath } from './source-path.ts';

export interface VersionRouteDependencies extends CallerDependencies, UploadLimits {
  editor: BaselineEditor;
}

const VERSIONS = '/v1/schema/:source/versions';
const ROLLBACK = '/v1/schema/:source/rollback';

export const versionRoutes = (deps: VersionRouteDependencies) =>
  new Elysia()
    .get(VERSIONS, ({ request }) => listed(request, deps), { detail: LIST_VERSIONS })
    .all(VERSIONS, otherMethods('GET, HEAD'))
    .post(ROLLBACK, ({ request }) => rolledBack(request, deps), { parse: 'none', detail: ROLL_BACK })
    .all(ROLLBACK, otherMethods('POST'));

async function listed(request: Request, deps: VersionRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  return { source, versions: await deps.editor.versions(account.id, source) };
}

async function rolledBack(request: Request, deps: VersionRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const { version } = await jsonBody(request, deps);
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1)
    throw new Rejection('INVALID_PARAMETER', 'version must be the number of a version, from 1');
  const size = await deps.editor.rollBack(account.id, source, version, deps.now());
  if (size === null)
    throw new Rejection(
      'NOT_FOUND',
      `The source ${quoted(source)} has no version ${version} any more, or never had`,
    );
  const message = `The baseline of ${quoted(source)} is again as version ${version} has it`;
  return { ok: true, source, version, ...size, message };
}
