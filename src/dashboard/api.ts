/** Calls of the public API, through its client. The pages use nothing else. */
import { type Answer, type Call, call, type Query, transportOf } from '../client/call.ts';
import { ADDRESSES, type Operations } from '../client/contract.ts';
import { SluiceError } from '../client/sluice-error.ts';
import type {
  AlertChannelRequest,
  Baseline,
  BaselineEntry,
  Batch,
  Incident,
  Plan,
  RulesDocument,
  Settings,
  SourceRules,
} from './contract.ts';
import { forget, session } from './session.ts';
import type { TimeLine } from './time-line.ts';

/** The address of the service, without a final slash. It has a path if a proxy serves it under one. */
export const base = new URL('.', location.href).href.replace(/\/$/, '');

/** An unsuccessful call, with a message for people. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const READING = transportOf({ maxRetries: 2, maxPauseMs: 5000 });
/** People try again themselves. */
const WRITING = { ...READING, maxRetries: 0 };

/** The body of the answer. Throws `Failure`. */
async function ask<Name extends keyof Operations>(
  name: Name,
  { path, query, body }: Call<Name> = {},
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const transport = ADDRESSES[name][0] === 'GET' ? READING : WRITING;
  const given = { path: wellFormed(path), query: wellFormed(query), body } as Call<Name>;
  try {
    return await call({ base, credentials: authorization(), transport }, name, given, signal);
  } catch (error) {
    throw error instanceof SluiceError ? failureOf(error) : error;
  }
}

/** Replaces unpaired surrogates, which addresses cannot encode, and leaves out what is not given. */
const wellFormed = (names: Record<string, unknown> = {}) =>
  Object.fromEntries(
    Object.entries(names).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value).toWellFormed()]],
    ),
  );

export const unreachable = () =>
  new Failure(
    'The server does not answer. Check that it runs and that you are connected, then try again.',
    'UNREACHABLE',
    0,
  );

export function authorization(): Record<string, string> {
  const signedIn = session();
  return signedIn === null ? {} : { Authorization: `Bearer ${signedIn.token}` };
}

/** Answers of Sluice have a message and a code, answers of a proxy have neither. Forgets a session that has ended. */
export function failureOf({ status, code, message }: SluiceError): Failure {
  if (status === 0) return unreachable();
  if (status === 401 && code === 'AUTH_INVALID' && session() !== null) forget();
  const isOurs = code !== 'UNEXPECTED_ANSWER';
  return new Failure(isOurs ? message : messageFor(status), isOurs ? code : `HTTP ${status}`, status);
}

function messageFor(status: number): string {
  if (status === 413) return 'This is too large for one request.';
  if (status === 414 || status === 431) return 'This name is too long for the server.';
  if (status >= 500) return 'The server cannot answer right now. Try again soon.';
  return `The server answered with status ${status} and gave no reason.`;
}

/** Null if there is none. */
async function orNull<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

export const askCode = (email: string) => ask('sendCode', { body: { email } });
export const openSession = (email: string, code: string) => ask('openSession', { body: { email, code } });
export const claimAccount = (key: string) => ask('claimAccount', { body: { key } });
export const endSession = () => ask('endSession');

export const statistics = (days: number, signal?: AbortSignal) =>
  ask('statistics', { query: { days, limit: 1000 } }, signal);

/** How many jobs had each verdict in each span, oldest first. */
export const verdicts = async ({ from, width, count }: TimeLine, signal?: AbortSignal) => {
  const query = { from: new Date(from).toISOString(), seconds: width / 1000, spans: count };
  return (await ask('verdictsOverTime', { query }, signal)).spans;
};

export interface JobsQuery {
  limit: number;
  source?: string | null;
  status?: string | null;
  /** RFC 3339 */
  from?: string | null;
  to?: string | null;
  before?: string | null;
}

export const jobs = async (query: JobsQuery, signal?: AbortSignal) =>
  (await ask('listJobs', { query: query as Query<'listJobs'> }, signal)).jobs;

export const job = (id: string, signal?: AbortSignal) => ask('findJob', { path: { id } }, signal);

export async function baselines(signal?: AbortSignal): Promise<BaselineEntry[]> {
  const all: BaselineEntry[] = [];
  for (let after: string | undefined, page = 0; page === 0 || after !== undefined; page++) {
    const { sources, next } = await ask('listBaselines', { query: { limit: 200, after } }, signal);
    all.push(...sources);
    after = next;
  }
  return all;
}

/** `isLast`: no older batches are known. A page of very wide batches may end early. */
export async function history(
  source: string,
  limit: number,
  before: string | null,
  signal?: AbortSignal,
): Promise<{ batches: Batch[]; isLast: boolean }> {
  const query = { limit, before: before ?? undefined };
  const { batches, next } = await ask('sourceHistory', { path: { source }, query }, signal);
  return { batches, isLast: batches.length < limit && next === undefined };
}

/** `field`: null for the batch as a whole. */
export const trends = (source: string, field: string | null, signal?: AbortSignal) =>
  ask('sourceTrends', { path: { source }, query: { field: field ?? undefined } }, signal);

export const reset = (source: string) => ask('resetBaseline', { path: { source } });
export const baseline = (source: string, signal?: AbortSignal): Promise<Baseline | null> =>
  orNull(ask('describeBaseline', { path: { source } }, signal));

export const settings = (source: string, signal?: AbortSignal) =>
  ask('getSettings', { path: { source } }, signal);
/** `version`: of the settings that were loaded and then changed. */
export const putSettings = (source: string, version: number, body: Settings) =>
  ask('putSettings', { path: { source }, query: { if_version: version }, body });
export const setPinned = (source: string, pinned: boolean) =>
  ask('pinBaseline', { path: { source }, body: { pinned } });
export const versions = async (source: string, signal?: AbortSignal) =>
  (await ask('listVersions', { path: { source } }, signal)).versions;
export const sourceChanges = async (source: string, signal?: AbortSignal) =>
  (await ask('listSourceChanges', { path: { source } }, signal)).changes;
export const rollBack = (source: string, version: number) =>
  ask('rollBack', { path: { source }, body: { version } });
export const accept = (source: string, job_id: string) =>
  ask('acceptBatch', { path: { source }, body: { job_id } });
export const giveFeedback = (source: string, job_id: string, verdict: 'expected' | 'bad') =>
  ask('giveFeedback', { path: { source }, body: { job_id, verdict } });

export const rules = (source: string, signal?: AbortSignal): Promise<SourceRules | null> =>
  orNull(ask('getRules', { path: { source } }, signal));
/** `version`: the one that the change began with; 0 without rules. */
export const putRules = (source: string, version: number, body: unknown) =>
  ask('putRules', { path: { source }, query: { if_version: version }, body: body as RulesDocument });
export const deleteRules = (source: string, version: number) =>
  ask('deleteRules', { path: { source }, query: { if_version: version } });
export const suggestedRules = (source: string, signal?: AbortSignal) =>
  ask('suggestRules', { path: { source } }, signal);
export const ruleChanges = async (source: string, signal?: AbortSignal) =>
  (await ask('listRuleChanges', { path: { source } }, signal)).changes;

/** Newest first. */
export async function openIncidents(signal?: AbortSignal): Promise<Incident[]> {
  const all: Incident[] = [];
  for (let isLast = false; !isLast && all.length < MAX_INCIDENTS; ) {
    const query = { status: 'open', limit: INCIDENTS, before: all.at(-1)?.id };
    const { incidents } = await ask('listIncidents', { query }, signal);
    all.push(...incidents);
    isLast = incidents.length < INCIDENTS;
  }
  return all;
}
/** Null without one. */
export const openIncidentOf = async (source: string, signal?: AbortSignal): Promise<Incident | null> =>
  (await ask('listIncidents', { query: { status: 'open', limit: 1, source } }, signal)).incidents[0] ?? null;
/** In a request, and in all: a source has one at most. */
const INCIDENTS = 200;
const MAX_INCIDENTS = 2_000;
export const acknowledge = (id: string) => ask('acknowledgeIncident', { path: { id } });
/** `until`: RFC 3339, or null to end the snooze. */
export const snooze = (id: string, until: string | null) =>
  ask('snoozeIncident', { path: { id }, body: { until } });

export const channels = async (signal?: AbortSignal) => (await ask('listAlertChannels', {}, signal)).channels;
export const createChannel = (body: AlertChannelRequest) => ask('createAlertChannel', { body });
export const deleteChannel = (id: string) => ask('deleteAlertChannel', { path: { id } });
export const testChannel = (id: string) => ask('testAlertChannel', { path: { id } });
export const rotateSecret = (id: string) => ask('rotateAlertSecret', { path: { id } });
export const deliveries = async (limit: number, signal?: AbortSignal) =>
  (await ask('listAlertDeliveries', { query: { limit } }, signal)).deliveries;
export const resend = (id: string) => ask('resendAlertDelivery', { path: { id } });

export const keys = async (signal?: AbortSignal) => (await ask('listKeys', {}, signal)).keys;
export const createKey = (name: string) => ask('createKey', { body: name === '' ? {} : { name } });
export const deleteKey = (id: string) => ask('deleteKey', { path: { id } });

export const billing = (signal?: AbortSignal) => ask('showBilling', {}, signal);
/** `tier`: one that costs. */
export const checkout = (tier: Plan) =>
  ask('startCheckout', { body: { tier: tier as Exclude<Plan, 'developer'> } });
export const portal = () => ask('openPortal');
