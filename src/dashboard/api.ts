/** Calls of the public API. The pages use nothing else. */
import type {
  AlertChannelRequest,
  AlertDelivery,
  Answer,
  Baseline,
  BaselineEntry,
  Batch,
  Billing,
  CompleteJob,
  Incident,
  Job,
  CreatedAlertChannel,
  NewKey,
  Plan,
  RotatedAlertChannel,
  Settings,
  SourceRules,
  SourceSettings,
  Statistics,
  SuggestedRules,
  Taught,
  Trends,
} from './contract.ts';
import { encoded } from './route.ts';
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

interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal | undefined;
}

const MAX_WAIT_SECONDS = 5;
const MAX_TRIES = 3;

/** The body of the answer. Retries reads after RATE_LIMITED. Throws `Failure`. */
async function call<Answer>(path: string, { method = 'GET', body, signal }: Call = {}): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const response = await ask(path, {
      method,
      headers: { ...authorization(), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
      cache: 'no-store',
      redirect: 'error',
    });
    if (response.ok) return (await response.json()) as Answer;
    const failure = failureOf(response.status, await response.text());
    const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
    const again = method === 'GET' && response.status === 429 && wait <= MAX_WAIT_SECONDS;
    if (!again || attempt === MAX_TRIES) throw failure;
    await new Promise(resolve => setTimeout(resolve, wait * 1000));
  }
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${base}${path}`, init);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw unreachable();
  }
}

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
export function failureOf(status: number, text: string): Failure {
  const { message, code } = errorIn(text);
  if (status === 401 && code === 'AUTH_INVALID' && session() !== null) forget();
  return new Failure(message ?? messageFor(status), code ?? `HTTP ${status}`, status);
}

function errorIn(text: string): { message?: string; code?: string } {
  try {
    const { message, code } = JSON.parse(text) as Record<string, unknown>;
    return typeof message === 'string' && typeof code === 'string' ? { message, code } : {};
  } catch {
    return {};
  }
}

function messageFor(status: number): string {
  if (status === 413) return 'This is too large for one request.';
  if (status === 414 || status === 431) return 'This name is too long for the server.';
  if (status >= 500) return 'The server cannot answer right now. Try again soon.';
  return `The server answered with status ${status} and gave no reason.`;
}

export const askCode = (email: string) => call('/v1/auth/otp', { method: 'POST', body: { email } });
export const openSession = (email: string, code: string) =>
  call<Answer<'openSession'>>('/v1/auth/session', { method: 'POST', body: { email, code } });
export const claimAccount = (key: string) =>
  call<Answer<'claimAccount'>>('/v1/account/claim', { method: 'POST', body: { key } });
export const endSession = () => call('/v1/auth/session', { method: 'DELETE' });

export const statistics = (days: number, signal?: AbortSignal) =>
  call<Statistics>(`/v1/stats?days=${days}&limit=1000`, { signal });

/** How many jobs had each verdict in each span, oldest first. */
export const verdicts = async ({ from, width, count }: TimeLine, signal?: AbortSignal) => {
  const query = `from=${new Date(from).toISOString()}&seconds=${width / 1000}&spans=${count}`;
  return (await call<Answer<'verdictsOverTime'>>(`/v1/stats/verdicts?${query}`, { signal })).spans;
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

export async function jobs(query: JobsQuery, signal?: AbortSignal): Promise<Job[]> {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const parameters = given.map(([name, value]) => `${name}=${encoded(String(value))}`).join('&');
  return (await call<Answer<'listJobs'>>(`/v1/jobs?${parameters}`, { signal })).jobs;
}

export const job = (id: string, signal?: AbortSignal) =>
  call<CompleteJob>(`/v1/jobs/${encoded(id)}`, { signal });

export async function baselines(signal?: AbortSignal): Promise<BaselineEntry[]> {
  const all: BaselineEntry[] = [];
  for (let after: string | undefined, page = 0; page === 0 || after !== undefined; page++) {
    const query = after === undefined ? '' : `&after=${encoded(after)}`;
    const { sources, next } = await call<Answer<'listBaselines'>>(`/v1/schema?limit=200${query}`, { signal });
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
  const query = `limit=${limit}${before === null ? '' : `&before=${before}`}`;
  const path = `/v1/schema/${encoded(source)}/history?${query}`;
  const { batches, next } = await call<Answer<'sourceHistory'>>(path, { signal });
  return { batches, isLast: batches.length < limit && next === undefined };
}

/** `field`: null for the batch as a whole. */
export const trends = (source: string, field: string | null, signal?: AbortSignal) =>
  call<Trends>(`/v1/schema/${encoded(source)}/trends${field === null ? '' : `?field=${encoded(field)}`}`, {
    signal,
  });

export const reset = (source: string) =>
  call<Answer<'resetBaseline'>>(`/v1/schema/${encoded(source)}`, { method: 'DELETE' });

const sourcePath = (source: string, what: string) => `/v1/schema/${encoded(source)}/${what}`;

/** Null if the source has none. */
export async function baseline(source: string, signal?: AbortSignal): Promise<Baseline | null> {
  try {
    return await call<Baseline>(`/v1/schema/${encoded(source)}`, { signal });
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

export const settings = (source: string, signal?: AbortSignal) =>
  call<SourceSettings>(sourcePath(source, 'settings'), { signal });
/** `version`: of the settings that were loaded and then changed. */
export const putSettings = (source: string, version: number, body: Settings) =>
  call<SourceSettings>(sourcePath(source, `settings?if_version=${version}`), { method: 'PUT', body });
export const setPinned = (source: string, pinned: boolean) =>
  call(sourcePath(source, 'pin'), { method: 'POST', body: { pinned } });
export const versions = async (source: string, signal?: AbortSignal) =>
  (await call<Answer<'listVersions'>>(sourcePath(source, 'versions'), { signal })).versions;
export const sourceChanges = async (source: string, signal?: AbortSignal) =>
  (await call<Answer<'listSourceChanges'>>(sourcePath(source, 'changes'), { signal })).changes;
export const rollBack = (source: string, version: number) =>
  call(sourcePath(source, 'rollback'), { method: 'POST', body: { version } });
export const accept = (source: string, job_id: string) =>
  call<Taught>(sourcePath(source, 'accept'), { method: 'POST', body: { job_id } });
export const giveFeedback = (source: string, job_id: string, verdict: 'expected' | 'bad') =>
  call<Taught>(sourcePath(source, 'feedback'), { method: 'POST', body: { job_id, verdict } });

/** Null if the source has none. */
export async function rules(source: string, signal?: AbortSignal): Promise<SourceRules | null> {
  try {
    return await call<SourceRules>(sourcePath(source, 'rules'), { signal });
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** `version`: the one that the change began with; 0 without rules. */
export const putRules = (source: string, version: number, body: unknown) =>
  call<SourceRules>(sourcePath(source, `rules?if_version=${version}`), { method: 'PUT', body });
export const deleteRules = (source: string, version: number) =>
  call(sourcePath(source, `rules?if_version=${version}`), { method: 'DELETE' });
export const suggestedRules = (source: string, signal?: AbortSignal) =>
  call<SuggestedRules>(sourcePath(source, 'rules/suggested'), { signal });
export const ruleChanges = async (source: string, signal?: AbortSignal) =>
  (await call<Answer<'listRuleChanges'>>(sourcePath(source, 'rules/history'), { signal })).changes;

/** Newest first. */
export async function openIncidents(signal?: AbortSignal): Promise<Incident[]> {
  const all: Incident[] = [];
  for (let isLast = false; !isLast && all.length < MAX_INCIDENTS; ) {
    const before = all.length === 0 ? '' : `&before=${all.at(-1)!.id}`;
    const path = `/v1/incidents?status=open&limit=${INCIDENTS}${before}`;
    const { incidents } = await call<Answer<'listIncidents'>>(path, { signal });
    all.push(...incidents);
    isLast = incidents.length < INCIDENTS;
  }
  return all;
}
/** Null without one. */
export const openIncidentOf = async (source: string, signal?: AbortSignal): Promise<Incident | null> => {
  const path = `/v1/incidents?status=open&limit=1&source=${encoded(source)}`;
  return (await call<Answer<'listIncidents'>>(path, { signal })).incidents[0] ?? null;
};
/** In a request, and in all: a source has one at most. */
const INCIDENTS = 200;
const MAX_INCIDENTS = 2_000;
export const acknowledge = (id: string) =>
  call<Incident>(`/v1/incidents/${encoded(id)}/acknowledge`, { method: 'POST' });
/** `until`: RFC 3339, or null to end the snooze. */
export const snooze = (id: string, until: string | null) =>
  call<Incident>(`/v1/incidents/${encoded(id)}/snooze`, { method: 'POST', body: { until } });

const CHANNELS = '/v1/alerts/channels';
export const channels = async (signal?: AbortSignal) =>
  (await call<Answer<'listAlertChannels'>>(CHANNELS, { signal })).channels;
export const createChannel = (body: AlertChannelRequest) =>
  call<CreatedAlertChannel>(CHANNELS, { method: 'POST', body });
export const deleteChannel = (id: string) => call(`${CHANNELS}/${encoded(id)}`, { method: 'DELETE' });
export const testChannel = (id: string) =>
  call<AlertDelivery>(`${CHANNELS}/${encoded(id)}/test`, { method: 'POST' });
export const rotateSecret = (id: string) =>
  call<RotatedAlertChannel>(`${CHANNELS}/${encoded(id)}/rotate`, { method: 'POST' });
export const deliveries = async (limit: number, signal?: AbortSignal) =>
  (await call<Answer<'listAlertDeliveries'>>(`/v1/alerts/deliveries?limit=${limit}`, { signal })).deliveries;
export const resend = (id: string) =>
  call<AlertDelivery>(`/v1/alerts/deliveries/${encoded(id)}/resend`, { method: 'POST' });

export const keys = async (signal?: AbortSignal) =>
  (await call<Answer<'listKeys'>>('/v1/keys', { signal })).keys;
export const createKey = (name: string) =>
  call<NewKey>('/v1/keys', { method: 'POST', body: name === '' ? {} : { name } });
export const deleteKey = (id: string) => call(`/v1/keys/${encoded(id)}`, { method: 'DELETE' });

export const billing = (signal?: AbortSignal) => call<Billing>('/v1/billing', { signal });
export const checkout = (tier: Plan) =>
  call<Answer<'startCheckout'>>('/v1/billing/checkout', { method: 'POST', body: { tier } });
export const portal = () => call<Answer<'openPortal'>>('/v1/billing/portal', { method: 'POST' });
