/** /v1/schema: lists, describes and resets baselines. */
import { Elysia } from 'elysia';
import { boundsOf, type StorageLimits } from '../account/storage.ts';
import { MAX_RECORD_BYTES } from '../baseline/limits.ts';
import type { Baselines } from '../sources/baselines.ts';
import type { BaselineEditor } from '../sources/editor.ts';
import { quoted, Rejection } from '../errors.ts';
import { timeOf } from '../intake/request-id.ts';
import { settingsIn } from '../options/settings.ts';
import type { ChangeStore, JobStore } from '../stores/ports.ts';
import type { DescribedSource } from '../threads/described-source.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime, dateTimeOrNull } from './date-time.ts';
import { DESCRIBE_BASELINE, LIST_BASELINES, RESET_ALL, RESET_BASELINE } from './documents/schema.ts';
import { otherMethods } from './methods.ts';
import { queryInteger, querySource } from './parameters.ts';
import { sourceToEnd } from './source-path.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

/** The documents show the route with an encoded source. */
const HIDDEN = { detail: { hide: true } };
/** Sources per page. */
const LIMIT = { min: 1, max: 200, fallback: 50 };

export interface SchemaRouteDependencies extends CallerDependencies, StorageLimits {
  baselines: Pick<Baselines, 'describe' | 'reset' | 'sources'>;
  editor: Pick<BaselineEditor, 'reset'>;
  changes: Pick<ChangeStore, 'add'>;
  jobs: Pick<JobStore, 'lastSeen'>;
  unsent: UnsentBytes;
}

export const schemaRoutes = (deps: SchemaRouteDependencies) =>
  new Elysia()
    .get('/v1/schema', ({ request }) => listBaselines(request, deps), { detail: LIST_BASELINES })
    .delete('/v1/schema', ({ request }) => resetAll(request, deps), { detail: RESET_ALL })
    .all('/v1/schema', otherMethods('GET, HEAD, DELETE'))
    .get('/v1/schema/:source', ({ request }) => describeSource(request, deps), { detail: DESCRIBE_BASELINE })
    .delete('/v1/schema/:source', ({ request }) => resetOne(request, deps), { detail: RESET_BASELINE })
    .all('/v1/schema/:source', otherMethods('GET, HEAD, DELETE'))
    // Common clients do not encode the slashes of a source.
    // `all` is tried last, so that addresses below a source keep their meaning for every method.
    .all('/v1/schema/*', ({ request }) => unencoded(request, deps), HIDDEN);

async function unencoded(request: Request, deps: SchemaRouteDependencies) {
  if (request.method === 'DELETE') return resetOne(request, deps);
  if (request.method === 'GET') return describeSource(request, deps);
  if (request.method === 'HEAD') {
    await describeSource(request, deps);
    return new Response(null, { headers: JSON_TYPE });
  }
  return otherMethods('GET, HEAD, DELETE')({ request });
}

async function listBaselines(request: Request, deps: SchemaRouteDependencies) {
  const { account } = await callerOf(request, deps);
  checkAddress(request);
  const limit = queryInteger(request, 'limit', LIMIT);
  const after = querySource(request, 'after') ?? null;
  const { sources, next } = await deps.baselines.sources(account.id, after, limit);
  const names = sources.map(({ source }) => source);
  const seen = await deps.jobs.lastSeen(account.id, names);
  return {
    sources: sources.map(({ settings, ...size }) => ({
      ...size,
      last_seen: dateTimeOrNull(seen.get(size.source)),
      ...ownershipIn(settings),
    })),
    ...(next !== null && { next }),
  };
}

/** Only what is set. */
function ownershipIn(settings: string | null) {
  const { owner, tags } = settingsIn(settings);
  return { ...(owner !== undefined && { owner }), ...(tags && { tags }) };
}

async function describeSource(request: Request, deps: SchemaRouteDependencies) {
  const { account } = await callerOf(request, deps);
  checkAddress(request);
  checkNoParameters(request);
  const source = sourceToEnd(request);
  await deps.unsent.reserve(request, account.id, MAX_RECORD_BYTES);
  const described = await deps.baselines.describe(account.id, source);
  if (described === null) throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no baseline`);
  const { fields, run, advice, mode, pinned, ...facts } = described;
  const seen = await deps.jobs.lastSeen(account.id, [source]);
  const head = {
    source,
    ...facts,
    last_seen: dateTimeOrNull(seen.get(source)),
    mode,
    pinned,
    ...(run && { blocked_since: blockedSince(run) }),
    ...(advice.length > 0 && { advice }),
  };
  const text = `${JSON.stringify(head).slice(0, -1)},"fields":${fields}}`;
  return new Response(text, { headers: JSON_TYPE });
}

const JSON_TYPE = { 'Content-Type': 'application/json;charset=utf-8' };

const blockedSince = ({ since, batches, last }: NonNullable<DescribedSource['run']>) => ({
  job_id: since,
  timestamp: dateTime(timeOf(since)),
  batches,
  last_job_id: last,
});

async function resetOne(request: Request, deps: SchemaRouteDependencies) {
  const { account, key, who } = await callerOf(request, deps);
  checkAddress(request);
  checkNoParameters(request);
  const source = sourceToEnd(request);
  const at = deps.now();
  await deps.editor.reset(account.id, source, at, boundsOf(account, deps));
  await deps.changes.add(account.id, { source, action: 'reset', at, by: who, key });
  const message = `The source ${quoted(source)} now has no baseline; its next batch creates one`;
  return { ok: true, reset: source, message };
}

async function resetAll(request: Request, deps: SchemaRouteDependencies) {
  const { account, key, who } = await callerOf(request, deps);
  checkAddress(request);
  if (new URL(request.url).search !== '')
    throw invalid(
      'This address resets every source and takes no parameters; to reset one source, add it to the path',
    );
  await deps.baselines.reset(account.id);
  await deps.changes.add(account.id, { source: null, action: 'reset', at: deps.now(), by: who, key });
  return { ok: true, reset: 'all', message: 'No source has a baseline now; its next batch creates one' };
}

/** Elysia treats `/v1/schema/` as `/v1/schema`, but the client probably has an empty variable and does not mean all sources. */
function checkAddress(request: Request): void {
  if (!new URL(request.url).pathname.endsWith('/')) return;
  throw invalid('The source in the address is empty or ends in a slash; write a slash as %2F');
}

/** A client that does not encode a question mark in a source would get, or reset, another source. */
function checkNoParameters({ url }: Request): void {
  if (!url.includes('?')) return;
  throw invalid('This address takes no parameters; a question mark in a source is written as %3F');
}

const invalid = (message: string) => new Rejection('INVALID_PARAMETER', message);
