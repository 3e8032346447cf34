/** GET /v1/schema/{source}/versions and /changes, POST /v1/schema/{source}/rollback. */
import { boundsOf, type StorageLimits } from '../../account/storage.ts';
import { quoted, Rejection } from '../../terms/errors.ts';
import { restoreRules } from '../../sources/source-rules.ts';
import type { Baselines } from '../../sources/baselines.ts';
import type { BaselineEditor } from '../../sources/editor.ts';
import { type ChangeStore, MAX_VERSIONS } from '../../stores/ports.ts';
import { dateTime } from '../date-time.ts';
import { BLOCKED } from '../documents/examples.ts';
import { answer } from '../documents/operation.ts';
import { integer, PAGE } from '../parameters.ts';
import { route } from '../route.ts';
import { RollbackRequest, RolledBack, SourceChangeList, VersionList } from './schema.ts';

interface Dependencies extends StorageLimits {
  editor: BaselineEditor;
  baselines: Pick<Baselines, 'notes'>;
  changes: ChangeStore;
  now(): number;
}

const listVersions = route('GET /v1/schema/:source/versions', {
  operationId: 'listVersions',
  tag: 'Baselines',
  summary: 'List stored versions of a baseline',
  description: `Newest first, at most ${MAX_VERSIONS}. Versions survive a reset.`,
  answers: {
    200: answer('The versions', VersionList, {
      versions: {
        source: 'orders',
        versions: [
          {
            version: 2,
            made_at: '2026-11-21T12:12:45.455Z',
            reason: 'before_accept',
            job_id: BLOCKED.request_id,
            batches: 41,
            rows: 49200,
          },
          { version: 1, made_at: '2026-11-20T12:12:44.011Z', reason: 'learned', batches: 16, rows: 19200 },
        ],
      },
    }),
  },
  handle: async ({ caller, source }, deps: Dependencies) => ({
    source,
    versions: await deps.editor.versions(caller.account.id, source),
  }),
});

const rollBack = route('POST /v1/schema/:source/rollback', {
  operationId: 'rollBack',
  tag: 'Baselines',
  summary: 'Roll back to a version',
  description:
    'The current baseline is stored as a version first, so you can undo the rollback. Settings and pin stay. The rules of then hold again, if they are still kept.',
  body: { schema: RollbackRequest, examples: { second: { version: 2 } } },
  answers: {
    200: answer('The baseline is rolled back', RolledBack, {
      second: {
        ok: true,
        source: 'orders',
        version: 2,
        batches: 41,
        rows: 49200,
        message: "The baseline of 'orders' is version 2 again",
      },
    }),
  },
  refusals: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED'],
  messages: { NOT_FOUND: "The source 'orders' has no version 7" },
  async handle({ caller: { account, key, who }, source, body: { version } }, deps: Dependencies) {
    const at = deps.now();
    const bounds = boundsOf(account, deps);
    const found = await deps.editor.rollBack(account.id, source, version, at, bounds);
    if (found === null)
      throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no version ${version}`);
    const { batches, rows, rulesVersion } = found;
    const detail = String(version);
    await deps.changes.add(account.id, { source, action: 'rolled_back', at, by: who, key, detail });
    const reference = { account: account.id, bounds, source, by: key, who };
    const unrestored =
      rulesVersion === null
        ? 'it does not say which rules held then'
        : (await restoreRules(reference, rulesVersion, deps))
          ? null
          : 'the rules of then are no longer kept';
    const rules = unrestored === null ? '' : `; ${unrestored}, so the rules stay as they are`;
    const message = `The baseline of ${quoted(source)} is version ${version} again${rules}`;
    return { ok: true, source, version, batches, rows, message };
  },
});

const listChanges = route('GET /v1/schema/:source/changes', {
  operationId: 'listSourceChanges',
  tag: 'Baselines',
  summary: 'List what people and programs changed',
  description: 'Newest first. An account keeps its last 10,000 changes.',
  query: { limit: integer('Changes', PAGE) },
  answers: {
    200: answer('The changes', SourceChangeList, {
      changes: {
        source: 'orders',
        changes: [
          {
            at: '2026-11-21T12:12:45.455Z',
            action: 'accepted',
            by: 'ann@corp.com',
            key_id: null,
            job_id: BLOCKED.request_id,
            version_before: 2,
          },
          {
            at: '2026-11-20T12:12:44.011Z',
            action: 'settings',
            by: 'nightly load (sluice_live_4fJ2…)',
            key_id: 'key_2a67f63ac37db5fbefff385d',
            detail: 'mode, thresholds',
          },
        ],
      },
    }),
  },
  /** The version that was stored just before a change has its time: to go back to it undoes the change. */
  async handle({ caller: { account }, source, query }, deps: Dependencies) {
    const versions = await deps.editor.versions(account.id, source);
    const before = new Map(versions.map(({ made_at, version }) => [made_at, version]));
    const changes = await deps.changes.list(account.id, source, query.limit);
    return {
      source,
      changes: changes.map(({ at, action, by, key, job, detail }) => ({
        ...{ at: dateTime(at), action, by, key_id: key },
        ...(job !== null && { job_id: job }),
        ...(detail !== null && { detail }),
        ...(before.has(dateTime(at)) && { version_before: before.get(dateTime(at)) }),
      })),
    };
  },
});

export const versionRoutes = [listVersions, listChanges, rollBack];
