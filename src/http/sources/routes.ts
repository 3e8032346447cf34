/** /v1/schema: lists, describes and resets baselines. */
import { boundsOf, type StorageLimits } from '../../account/storage.ts';
import { MAX_RECORD_BYTES } from '../../baseline/limits.ts';
import { quoted, Rejection } from '../../terms/errors.ts';
import type { WindowEnds } from '../../batches/window-end.ts';
import { timeOf } from '../../names/request-id.ts';
import { settingsIn } from '../../options/settings.ts';
import type { Baselines } from '../../sources/baselines.ts';
import type { BaselineEditor } from '../../sources/editor.ts';
import type { ChangeStore, JobStore } from '../../stores/ports.ts';
import type { DescribedSource } from '../../threads/described-source.ts';
import { dateTime, dateTimeOrNull } from '../date-time.ts';
import { answer } from '../documents/operation.ts';
import { integer, PAGE, sourceName } from '../parameters.ts';
import { route } from '../route.ts';
import type { UnsentBytes } from '../unsent-bytes.ts';
import { Baseline, BaselineList, Reset, SIZED } from './schema.ts';

interface Dependencies extends StorageLimits {
  baselines: Pick<Baselines, 'describe' | 'reset' | 'sources'>;
  editor: Pick<BaselineEditor, 'reset'>;
  changes: Pick<ChangeStore, 'add'>;
  jobs: Pick<JobStore, 'lastSeen'>;
  unsent: UnsentBytes;
  windowEnds: Pick<WindowEnds, 'endOf'>;
  now(): number;
}

const ALL_RESET = 'No source has a baseline now; its next batch creates one';

const list = route('GET /v1/schema', {
  operationId: 'listBaselines',
  tag: 'Baselines',
  summary: 'List sources with a baseline',
  query: {
    limit: integer('Sources per page', PAGE),
    after: sourceName('Pass the `next` of a page to get the following page'),
  },
  answers: {
    200: answer('The sources', BaselineList, {
      sources: { sources: [{ ...SIZED, owner: 'team-checkout', tags: ['billing'] }], next: 'orders' },
    }),
  },
  async handle({ request, caller: { account }, query: { limit, after = null } }, deps: Dependencies) {
    checkAddress(request);
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
  },
});

const describe = route('GET /v1/schema/:source', {
  operationId: 'describeBaseline',
  tag: 'Baselines',
  summary: 'Describe a baseline',
  answers: {
    200: answer('The baseline', Baseline, {
      orders: {
        ...SIZED,
        provisional: false,
        mode: 'contract',
        pinned: false,
        fields: {
          amount: {
            type: 'number',
            presence: 1,
            null_rate: 0.02,
            empty_rate: null,
            distinct_ratio: 0.93,
            approx_distinct: 9871,
            low_cardinality: null,
            quantiles: { '0': 0.5, '0.25': 12, '0.5': 40.2, '0.75': 88, '1': 1450 },
          },
        },
      },
    }),
  },
  refusals: ['NOT_FOUND'],
  messages: { NOT_FOUND: "The source 'orders' has no baseline" },
  async handle({ request, caller: { account }, source }, deps: Dependencies) {
    checkNoParameters(request);
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
    return new Response(text, { headers: { 'Content-Type': 'application/json;charset=utf-8' } });
  },
});

const reset = route('DELETE /v1/schema/:source', {
  operationId: 'resetBaseline',
  tag: 'Baselines',
  summary: 'Reset the baseline of a source',
  description:
    'Works without a baseline too. The next batch creates a new one. An open window is judged first. Settings stay, the old baseline is stored as a version, and a pin ends.',
  answers: {
    200: answer('The baseline is reset', Reset, {
      orders: {
        ok: true,
        reset: 'orders',
        message: "The source 'orders' now has no baseline; its next batch creates one",
      },
    }),
  },
  async handle({ request, caller: { account, key, who }, source }, deps: Dependencies) {
    checkNoParameters(request);
    const at = deps.now();
    await deps.windowEnds.endOf(account.id, source);
    await deps.editor.reset(account.id, source, at, boundsOf(account, deps));
    await deps.changes.add(account.id, { source, action: 'reset', at, by: who, key });
    const message = `The source ${quoted(source)} now has no baseline; its next batch creates one`;
    return { ok: true, reset: source, message };
  },
});

const resetAll = route('DELETE /v1/schema', {
  operationId: 'resetAllBaselines',
  tag: 'Baselines',
  summary: 'Reset the baselines of all sources',
  description:
    'Takes no parameters. Open windows are judged first. Settings and stored versions stay; pins end.',
  answers: {
    200: answer('The baselines are reset', Reset, { all: { ok: true, reset: 'all', message: ALL_RESET } }),
  },
  refusals: ['INVALID_PARAMETER'],
  messages: {
    INVALID_PARAMETER:
      'This address resets every source and takes no parameters; to reset one source, add it to the path',
  },
  async handle({ request, caller: { account, key, who } }, deps: Dependencies) {
    checkAddress(request);
    if (new URL(request.url).search !== '')
      throw invalid(
        'This address resets every source and takes no parameters; to reset one source, add it to the path',
      );
    await deps.windowEnds.endOf(account.id, null);
    await deps.baselines.reset(account.id);
    await deps.changes.add(account.id, { source: null, action: 'reset', at: deps.now(), by: who, key });
    return { ok: true, reset: 'all', message: ALL_RESET };
  },
});

/** Only what is set. */
function ownershipIn(settings: string | null) {
  const { owner, tags } = settingsIn(settings);
  return { ...(owner !== undefined && { owner }), ...(tags && { tags }) };
}

const blockedSince = ({ since, batches, last }: NonNullable<DescribedSource['run']>) => ({
  job_id: since,
  timestamp: dateTime(timeOf(since)),
  batches,
  last_job_id: last,
});

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

export const sourceRoutes = [list, resetAll, describe, reset];
