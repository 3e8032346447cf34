/** The service's operations, by the names that its OpenAPI document has for them. */
import { addressOf, baseOf } from './address.ts';
import { type Group, halves, knowingLast } from './batches.ts';
import type { Compression } from './content.ts';
import { ADDRESSES, type Operations, type Report } from './contract.ts';
import { chunkOptions, type Dividable, divided, type Input, type Screen, wholeRequest } from './input.ts';
import { checkHeaders, type Incoming, send, waitFor, type Way } from './send.ts';
import { VERDICTS } from './verdict.ts';
import { objectIn, SluiceError, unexpected } from './sluice-error.ts';

export interface Settings {
  /** Address of the server, as in `https://sluice.example.com`. */
  url: string;
  /** An API key. */
  key?: string | undefined;
  /** A session's token, in the place of a key: see `openSession`. */
  token?: string | undefined;
  /** How often a request is sent again; 5. */
  maxRetries?: number | undefined;
  /** A `Retry-After` that is longer is an error at once; 30,000 ms. */
  maxPauseMs?: number | undefined;
  /** For one send with its answer; 120,000 ms. */
  timeoutMs?: number | undefined;
  /** The server's limit of a body; 32 MiB. */
  maxBodyBytes?: number | undefined;
  /** In the place of the platform's. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** How it pauses: resolves after so many ms, rejects when the signal aborts. For tests. */
  wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

export interface CallSettings {
  /** Ends the call with its reason. */
  signal?: AbortSignal | undefined;
}

export interface ScreenSettings extends CallSettings {
  /**
   * Names the request for 24 hours: sent again, it is answered as before and counts no rows twice. One is made where none is
   * given, so that retries are safe; give one where the whole call may be repeated, as by a job that is started again.
   */
  idempotencyKey?: string | undefined;
  /** Compress what is sent. */
  compress?: Compression | undefined;
}

/** An answer to rows. */
export interface Screening {
  report: Report;
  /** The report as the server wrote it. */
  text: string;
  /** The account's plan. */
  plan: string;
  /** What is left of its rows. */
  rowsRemaining: number;
  /** Whether this was answered before, to the same request. */
  replayed: boolean;
}

/** An answer to one batch of many. */
export interface BatchScreening extends Screening {
  /** From 1. */
  batch: number;
  /** Rows of the input, from 1, both included. */
  firstRow: number;
  lastRow: number;
  /** Whether nothing follows. */
  last: boolean;
}

type Answer<Name extends keyof Operations> = Operations[Name]['answer'];
type Asked = Record<string, string | number | undefined>;
type Query<Name extends keyof Operations> = Operations[Name] extends { query: infer Query extends Asked }
  ? Query
  : never;

interface Call<Name extends keyof Operations> {
  path?: Operations[Name] extends { path: infer Names extends Record<string, string> } ? Names : never;
  query?: Query<Name>;
  body?: Operations[Name] extends { body: infer Body } ? Body : never;
}

/** Done twice, these are done once. */
const REPEATABLE: ReadonlySet<keyof Operations> = new Set([
  'resetBaseline',
  'resetAllBaselines',
  'putSettings',
  'pinBaseline',
  'acceptBatch',
  'giveFeedback',
] as const);
/** They ask how it is now. */
const PROBES: ReadonlySet<keyof Operations> = new Set(['health', 'ready'] as const);

const DEFAULTS = {
  maxRetries: 5,
  maxPauseMs: 30_000,
  timeoutMs: 120_000,
  maxBodyBytes: 32 * 1024 * 1024,
};

/**
 * A server and an account on it. Every method rejects with `SluiceError` where the service refuses or cannot be reached, with
 * the signal's reason after an abort, and with `TypeError` for what no request can hold. What only reads, and what has an `Idempotency-Key`, is sent again while that may help.
 */
export class Sluice {
  readonly #base: string;
  readonly #credentials: Record<string, string>;
  readonly #maxBodyBytes: number;
  readonly #way: Way;

  /** Throws `TypeError` for an address that is none, and for a key or token that no header can hold. */
  constructor(settings: Settings) {
    const base = baseOf(settings.url);
    if (base === null)
      throw new TypeError('url must be the address of a server, as in http://127.0.0.1:8080');
    const { key, token } = settings;
    this.#base = base;
    this.#credentials = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'X-API-Key': key }),
    };
    checkHeaders(this.#credentials);
    this.#maxBodyBytes = settings.maxBodyBytes ?? DEFAULTS.maxBodyBytes;
    this.#way = {
      maxRetries: settings.maxRetries ?? DEFAULTS.maxRetries,
      maxPauseMs: settings.maxPauseMs ?? DEFAULTS.maxPauseMs,
      timeoutMs: settings.timeoutMs ?? DEFAULTS.timeoutMs,
      // Browsers want it called on the window.
      fetch: settings.fetch ?? ((url, init) => globalThis.fetch(url, init)),
      wait: settings.wait ?? waitFor,
      random: Math.random,
    };
  }

  // ---- screening ----

  /** Screens a batch with one request: at most 10,000 rows. */
  async screen(input: Input, settings: ScreenSettings = {}): Promise<Screening> {
    const { signal, compress } = settings;
    const key = keyOf(settings);
    const request = await wholeRequest(input, { maxBodyBytes: this.#maxBodyBytes, compress, signal });
    return this.#screen(request, key, signal);
  }

  /**
   * Screens rows without end, in batches that a request can carry, each after the one before and each with a key of its own:
   * the given one with the numbers of the batch's first and last row. A batch that the server finds too large is sent in
   * halves. What is not read on is not sent. Each takes the memory of two batches, however much there is.
   */
  async *screenAll(input: Dividable, settings: ScreenSettings = {}): AsyncGenerator<BatchScreening, void> {
    const { signal, compress } = settings;
    const wholeKey = keyOf(settings);
    const { groups, wrap } = await divided(input, { maxBodyBytes: this.#maxBodyBytes, compress, signal });
    let batch = 1;
    let firstRow = 1;
    for await (const [group, isLast] of knowingLast(groups)) {
      const waiting = [group];
      for (let rows = waiting.shift(); rows !== undefined; rows = waiting.shift()) {
        const last = isLast && waiting.length === 0;
        const place = { firstRow, lastRow: firstRow + rows.length - 1 };
        const options = chunkOptions(input.options, batch, last);
        const key = `${wholeKey}:${place.firstRow}-${place.lastRow}`;
        const request = await wrap(rows, { source: input.source, options });
        const outcome = await this.#screen(request, key, signal).catch((error: unknown) =>
          tooMuch(error, rows!, place),
        );
        if (Array.isArray(outcome)) waiting.unshift(...outcome);
        else {
          yield { ...outcome, batch, ...place, last };
          batch++;
          firstRow += rows.length;
        }
      }
    }
  }

  async #screen({ headers, body }: Screen, key: string, signal: AbortSignal | undefined): Promise<Screening> {
    const answer = await send(
      {
        method: 'POST',
        url: `${this.#base}${ADDRESSES.screen[1]}`,
        headers: { ...headers, ...this.#credentials, 'Idempotency-Key': key },
        body,
        repeatable: true,
        signal,
      },
      this.#way,
    );
    const report = bodyIn<Report>(answer);
    if (!isVerdict(report))
      throw unexpected(answer, 'The answer has no verdict; is this the address of a Sluice server?');
    return {
      report,
      text: answer.text,
      plan: answer.headers.get('x-ratelimit-plan') ?? '',
      rowsRemaining: Number(answer.headers.get('x-ratelimit-remaining') ?? Number.NaN),
      replayed: answer.headers.get('idempotent-replayed') === 'true',
    };
  }

  // ---- what was screened ----

  /** Newest first; `before` is the last id of the page before. */
  async listJobs(query: Query<'listJobs'> = {}, settings?: CallSettings): Promise<Answer<'listJobs'>> {
    return this.#call('listJobs', { query }, settings);
  }

  /** A job with its report and a profile of its fields. */
  async findJob(id: string, settings?: CallSettings): Promise<Answer<'findJob'>> {
    return this.#call('findJob', { path: { id } }, settings);
  }

  /** Sums over the jobs of the last days. */
  async statistics(query: Query<'statistics'> = {}, settings?: CallSettings): Promise<Answer<'statistics'>> {
    return this.#call('statistics', { query }, settings);
  }

  /** The batches of a source, newest first. */
  async sourceHistory(
    source: string,
    query: Query<'sourceHistory'> = {},
    settings?: CallSettings,
  ): Promise<Answer<'sourceHistory'>> {
    return this.#call('sourceHistory', { path: { source }, query }, settings);
  }

  // ---- baselines ----

  /** The sources that have a baseline; `after` is the `next` of the page before. */
  async listBaselines(
    query: Query<'listBaselines'> = {},
    settings?: CallSettings,
  ): Promise<Answer<'listBaselines'>> {
    return this.#call('listBaselines', { query }, settings);
  }

  /** What the baseline of a source knows. */
  async describeBaseline(source: string, settings?: CallSettings): Promise<Answer<'describeBaseline'>> {
    return this.#call('describeBaseline', { path: { source } }, settings);
  }

  /** Forgets it; the next batch makes a fresh one. */
  async resetBaseline(source: string, settings?: CallSettings): Promise<Answer<'resetBaseline'>> {
    return this.#call('resetBaseline', { path: { source } }, settings);
  }

  async resetAllBaselines(settings?: CallSettings): Promise<Answer<'resetAllBaselines'>> {
    return this.#call('resetAllBaselines', {}, settings);
  }

  // ---- what people teach a baseline ----

  /** What is set for a source, and what that comes to. */
  async getSettings(source: string, settings?: CallSettings): Promise<Answer<'getSettings'>> {
    return this.#call('getSettings', { path: { source } }, settings);
  }

  /** Sets all of it: what is absent or null is taken away. */
  async putSettings(
    source: string,
    body: Operations['putSettings']['body'],
    settings?: CallSettings,
  ): Promise<Answer<'putSettings'>> {
    return this.#call('putSettings', { path: { source }, body }, settings);
  }

  /** Stops learning, or goes on with it. */
  async pinBaseline(
    source: string,
    pinned: boolean,
    settings?: CallSettings,
  ): Promise<Answer<'pinBaseline'>> {
    return this.#call('pinBaseline', { path: { source }, body: { pinned } }, settings);
  }

  /** Makes a batch that was refused the new normal. */
  async acceptBatch(source: string, jobId: string, settings?: CallSettings): Promise<Answer<'acceptBatch'>> {
    return this.#call('acceptBatch', { path: { source }, body: { job_id: jobId } }, settings);
  }

  /** An expected batch joins the history, a bad one leaves it. */
  async giveFeedback(
    source: string,
    jobId: string,
    verdict: Operations['giveFeedback']['body']['verdict'],
    settings?: CallSettings,
  ): Promise<Answer<'giveFeedback'>> {
    return this.#call('giveFeedback', { path: { source }, body: { job_id: jobId, verdict } }, settings);
  }

  /** What a baseline can be rolled back to, the newest first. */
  async listVersions(source: string, settings?: CallSettings): Promise<Answer<'listVersions'>> {
    return this.#call('listVersions', { path: { source } }, settings);
  }

  async rollBack(source: string, version: number, settings?: CallSettings): Promise<Answer<'rollBack'>> {
    return this.#call('rollBack', { path: { source }, body: { version } }, settings);
  }

  // ---- keys ----

  async listKeys(settings?: CallSettings): Promise<Answer<'listKeys'>> {
    return this.#call('listKeys', {}, settings);
  }

  /** The answer is the only one that has the key. */
  async createKey(
    body: Operations['createKey']['body'] = {},
    settings?: CallSettings,
  ): Promise<Answer<'createKey'>> {
    return this.#call('createKey', { body }, settings);
  }

  async deleteKey(id: string, settings?: CallSettings): Promise<Answer<'deleteKey'>> {
    return this.#call('deleteKey', { path: { id } }, settings);
  }

  // ---- signing in ----

  /** Sends a one-time code to the address. */
  async sendCode(email: string, settings?: CallSettings): Promise<Answer<'sendCode'>> {
    return this.#call('sendCode', { body: { email } }, settings);
  }

  /** Its token is for a client of its own: `new Sluice({ url, token })`. */
  async openSession(email: string, code: string, settings?: CallSettings): Promise<Answer<'openSession'>> {
    return this.#call('openSession', { body: { email, code } }, settings);
  }

  /** Signs out: the token of this client works no longer. */
  async endSession(settings?: CallSettings): Promise<Answer<'endSession'>> {
    return this.#call('endSession', {}, settings);
  }

  // ---- billing ----

  /** Plan and usage of the current period. */
  async showBilling(settings?: CallSettings): Promise<Answer<'showBilling'>> {
    return this.#call('showBilling', {}, settings);
  }

  /** Where to subscribe. SUBSCRIPTION_EXISTS has `details.url`, where a subscription is changed. */
  async startCheckout(
    tier: Operations['startCheckout']['body']['tier'],
    settings?: CallSettings,
  ): Promise<Answer<'startCheckout'>> {
    return this.#call('startCheckout', { body: { tier } }, settings);
  }

  /** Where to change or end what is paid for. */
  async openPortal(settings?: CallSettings): Promise<Answer<'openPortal'>> {
    return this.#call('openPortal', {}, settings);
  }

  // ---- the service ----

  /** Whether the process answers. Needs no key. */
  async health(settings?: CallSettings): Promise<Answer<'health'>> {
    return this.#call('health', {}, settings);
  }

  /** Whether requests can be served now; SERVICE_UNAVAILABLE has `details.missing`. Needs no key. */
  async ready(settings?: CallSettings): Promise<Answer<'ready'>> {
    return this.#call('ready', {}, settings);
  }

  async #call<Name extends keyof Operations>(
    name: Name,
    { path, query, body }: Call<Name>,
    { signal }: CallSettings = {},
  ): Promise<Answer<Name>> {
    const [method, pattern] = ADDRESSES[name];
    const answer = await send(
      {
        method,
        url: `${this.#base}${addressOf(pattern, path, query)}`,
        headers: { ...this.#credentials, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        repeatable: (method === 'GET' && !PROBES.has(name)) || REPEATABLE.has(name),
        signal,
      },
      this.#way,
    );
    return bodyIn<Answer<Name>>(answer);
  }
}

/** Throws `SluiceError` for what is no JSON object, such as a page that somebody on the way answers with. */
function bodyIn<Body>(answer: Incoming): Body {
  const body = objectIn(answer.text);
  if (body === null)
    throw unexpected(answer, 'The answer is no JSON object; is this the address of a Sluice server?');
  return body as Body;
}

/** Whether it has what every report has, whoever made it. */
function isVerdict({ status, health_score, decision, stats }: Partial<Report>): boolean {
  return (
    VERDICTS.some(verdict => verdict === status) &&
    typeof health_score === 'number' &&
    typeof decision?.reason === 'string' &&
    typeof stats?.source === 'string' &&
    typeof stats.rows_received === 'number'
  );
}

/** The halves of what the server finds too large: it may have other limits, and knows how many cells there are. Else throws. */
function tooMuch(error: unknown, rows: Group, place: SluiceError['place']): [Group, Group] {
  if (!(error instanceof SluiceError)) throw error;
  // By the status, for a proxy knows no code.
  if (error.status === 413 && rows.length > 1) return halves(rows);
  error.place = place;
  throw error;
}

/** Throws `TypeError` for an empty one, as of a variable that is not set: all loads would share it. */
function keyOf({ idempotencyKey = newKey() }: ScreenSettings): string {
  if (idempotencyKey === '') throw new TypeError('idempotencyKey must not be empty');
  return idempotencyKey;
}

const KEY_BYTES = 16;

/** `crypto.randomUUID` is not there on pages without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
