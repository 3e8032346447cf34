/** The service's operations, named as in its OpenAPI document. */
import { addressOf, baseOf } from './address.ts';
import { withLast } from './batches.ts';
import { ADDRESSES, type Operations } from './contract.ts';
import { Blocked, holding, withRows } from './gate.ts';
import {
  chunkOptions,
  type Dividable,
  divided,
  type Input,
  type ScreenRequest,
  wholeRequest,
} from './input.ts';
import { type BatchScreening, bodyIn, halvesAfter, type Screening, screeningIn } from './screening.ts';
import { checkHeaders, send, type Transport, waitFor } from './send.ts';
import {
  type CallSettings,
  DEFAULTS,
  type GateSettings,
  keyOf,
  type ScreenSettings,
  type Settings,
  traceHeaders,
} from './settings.ts';

type Answer<Name extends keyof Operations> = Operations[Name]['answer'];
type Asked = Record<string, string | number | boolean | undefined>;
type Query<Name extends keyof Operations> = Operations[Name] extends { query: infer Query extends Asked }
  ? Query
  : never;

interface Call<Name extends keyof Operations> {
  path?: Operations[Name] extends { path: infer Names extends Record<string, string> } ? Names : never;
  query?: Query<Name>;
  body?: Operations[Name] extends { body: infer Body } ? Body : never;
}

/** Writes with the same effect if they are done twice. */
const REPEATABLE: ReadonlySet<keyof Operations> = new Set([
  'resetBaseline',
  'resetAllBaselines',
  'putSettings',
  'putRules',
  'deleteRules',
  'pinBaseline',
  'acceptBatch',
  'giveFeedback',
] as const);
/** Never retried: they ask for the state right now. */
const PROBES: ReadonlySet<keyof Operations> = new Set(['health', 'ready'] as const);

/**
 * A server and an account on it.
 *
 * Every method rejects with `SluiceError` when the service refuses the request or cannot be reached, with the signal's reason
 * after an abort, and with `TypeError` for arguments that no request can carry. Reads, screenings and repeatable writes are
 * retried while that may help.
 */
export class Sluice {
  readonly #base: string;
  readonly #credentials: Record<string, string>;
  readonly #maxBodyBytes: number;
  readonly #transport: Transport;

  /** Throws `TypeError` for an invalid address, key or token. */
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
    this.#transport = {
      maxRetries: settings.maxRetries ?? DEFAULTS.maxRetries,
      maxPauseMs: settings.maxPauseMs ?? DEFAULTS.maxPauseMs,
      timeoutMs: settings.timeoutMs ?? DEFAULTS.timeoutMs,
      // Browsers require that fetch is called on the window.
      fetch: settings.fetch ?? ((url, init) => globalThis.fetch(url, init)),
      wait: settings.wait ?? waitFor,
      random: Math.random,
    };
  }

  // ---- screening ----

  /** Screens a batch in one request: at most 10,000 rows. */
  async screen(input: Input, settings: ScreenSettings = {}): Promise<Screening> {
    const { signal, compress } = settings;
    const shared = { key: keyOf(settings), trace: traceHeaders(settings), signal };
    const request = await wholeRequest(input, { maxBodyBytes: this.#maxBodyBytes, compress, signal });
    return this.#screen(request, shared);
  }

  /**
   * Screens any number of rows in batches, one request after the other. Each request has its own key: the given one and the
   * numbers of the batch's first and last row. A batch that is too large for the server is sent in halves. Stop reading the
   * results, and nothing more is sent. The memory of two batches is enough for any input.
   */
  async *screenAll(input: Dividable, settings: ScreenSettings = {}): AsyncGenerator<BatchScreening, void> {
    const { signal, compress } = settings;
    const wholeKey = keyOf(settings);
    const trace = traceHeaders(settings);
    const { groups, wrap } = await divided(input, { maxBodyBytes: this.#maxBodyBytes, compress, signal });
    let batch = 1;
    let firstRow = 1;
    for await (const [group, isLast] of withLast(groups)) {
      const queue = [group];
      for (let rows = queue.shift(); rows !== undefined; rows = queue.shift()) {
        const last = isLast && queue.length === 0;
        const place = { firstRow, lastRow: firstRow + rows.length - 1 };
        const options = chunkOptions(input.options, batch, last);
        const key = `${wholeKey}:${place.firstRow}-${place.lastRow}`;
        const request = await wrap(rows, { source: input.source, options });
        const outcome = await this.#screen(request, { key, trace, signal }).catch((error: unknown) =>
          halvesAfter(error, rows!, place),
        );
        if (Array.isArray(outcome)) queue.unshift(...outcome);
        else {
          yield { ...outcome, batch, ...place, last };
          batch++;
          firstRow += rows.length;
        }
      }
    }
  }

  /** `screen` with row verdicts that rejects with `Blocked` on BLOCK; with `blockOn: 'warn'` on WARN too. */
  async gate(input: Input, settings: GateSettings = {}): Promise<Screening> {
    const verdicts = holding(settings);
    const screening = await this.screen(withRows(input), settings);
    if (verdicts.has(screening.report.status)) throw new Blocked(screening);
    return screening;
  }

  /** `screenAll` that rejects with `Blocked` at the first batch that `gate` would hold. */
  async *gateAll(input: Dividable, settings: GateSettings = {}): AsyncGenerator<BatchScreening, void> {
    const verdicts = holding(settings);
    for await (const part of this.screenAll(withRows(input), settings)) {
      const { report, firstRow, lastRow } = part;
      if (verdicts.has(report.status)) throw new Blocked(part, { firstRow, lastRow });
      yield part;
    }
  }

  async #screen(
    { headers, body }: ScreenRequest,
    { key, trace, signal }: { key: string; trace: Record<string, string>; signal: AbortSignal | undefined },
  ): Promise<Screening> {
    const answer = await send(
      {
        method: 'POST',
        url: `${this.#base}${ADDRESSES.screen[1]}`,
        headers: { ...headers, ...trace, ...this.#credentials, 'Idempotency-Key': key },
        body,
        repeatable: true,
        signal,
      },
      this.#transport,
    );
    return screeningIn(answer);
  }

  // ---- jobs and statistics ----

  /** Newest first. For the next page pass the last id as `before`. */
  async listJobs(query: Query<'listJobs'> = {}, settings?: CallSettings): Promise<Answer<'listJobs'>> {
    return this.#call('listJobs', { query }, settings);
  }

  /** All jobs, newest first: page after page, each when it is needed. */
  async *jobs(
    { pageSize = 200, ...query }: { source?: string | undefined; pageSize?: number } = {},
    settings?: CallSettings,
  ): AsyncGenerator<Answer<'listJobs'>['jobs'][number], void> {
    for (let before: string | undefined; ; ) {
      const { jobs } = await this.listJobs({ ...query, limit: pageSize, before }, settings);
      yield* jobs;
      if (jobs.length < pageSize) return;
      before = jobs.at(-1)!.id;
    }
  }

  /** A job with its report and the profile of its fields. */
  async findJob(id: string, settings?: CallSettings): Promise<Answer<'findJob'>> {
    return this.#call('findJob', { path: { id } }, settings);
  }

  /** Totals of the last days. */
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

  /** Sources with a baseline. For the next page pass `next` as `after`. */
  async listBaselines(
    query: Query<'listBaselines'> = {},
    settings?: CallSettings,
  ): Promise<Answer<'listBaselines'>> {
    return this.#call('listBaselines', { query }, settings);
  }

  /** The baseline of a source, by field. */
  async describeBaseline(source: string, settings?: CallSettings): Promise<Answer<'describeBaseline'>> {
    return this.#call('describeBaseline', { path: { source } }, settings);
  }

  /** Deletes the baseline. The next batch makes a new one. */
  async resetBaseline(source: string, settings?: CallSettings): Promise<Answer<'resetBaseline'>> {
    return this.#call('resetBaseline', { path: { source } }, settings);
  }

  async resetAllBaselines(settings?: CallSettings): Promise<Answer<'resetAllBaselines'>> {
    return this.#call('resetAllBaselines', {}, settings);
  }

  // ---- settings and feedback ----

  /** The settings of a source, and the values in force. */
  async getSettings(source: string, settings?: CallSettings): Promise<Answer<'getSettings'>> {
    return this.#call('getSettings', { path: { source } }, settings);
  }

  /** Replaces all settings: absent or null ones go back to their defaults. */
  async putSettings(
    source: string,
    body: Operations['putSettings']['body'],
    settings?: CallSettings,
  ): Promise<Answer<'putSettings'>> {
    return this.#call('putSettings', { path: { source }, body }, settings);
  }

  /** What the owner of a source says must be true of it. */
  async getRules(source: string, settings?: CallSettings): Promise<Answer<'getRules'>> {
    return this.#call('getRules', { path: { source } }, settings);
  }

  /** Replaces all rules. */
  async putRules(
    source: string,
    body: Operations['putRules']['body'],
    settings?: CallSettings,
  ): Promise<Answer<'putRules'>> {
    return this.#call('putRules', { path: { source }, body }, settings);
  }

  async deleteRules(source: string, settings?: CallSettings): Promise<Answer<'deleteRules'>> {
    return this.#call('deleteRules', { path: { source } }, settings);
  }

  /** Who changed the rules, newest first. */
  async listRuleChanges(source: string, settings?: CallSettings): Promise<Answer<'listRuleChanges'>> {
    return this.#call('listRuleChanges', { path: { source } }, settings);
  }

  /** Rules that the newest batches keep, with the evidence for each. */
  async suggestRules(source: string, settings?: CallSettings): Promise<Answer<'suggestRules'>> {
    return this.#call('suggestRules', { path: { source } }, settings);
  }

  /** Makes rules of a document of another program: its text in YAML or JSON, or its value. `apply` stores them. */
  async importRules(
    source: string,
    document: string | object,
    query: Operations['importRules']['query'],
    settings?: CallSettings,
  ): Promise<Answer<'importRules'>> {
    return this.#call('importRules', { path: { source }, query, body: document as object }, settings);
  }

  /** A pinned baseline learns nothing until it is unpinned. */
  async pinBaseline(
    source: string,
    pinned: boolean,
    settings?: CallSettings,
  ): Promise<Answer<'pinBaseline'>> {
    return this.#call('pinBaseline', { path: { source }, body: { pinned } }, settings);
  }

  /** Makes a batch that got WARN or BLOCK the new normal. */
  async acceptBatch(source: string, jobId: string, settings?: CallSettings): Promise<Answer<'acceptBatch'>> {
    return this.#call('acceptBatch', { path: { source }, body: { job_id: jobId } }, settings);
  }

  /** An expected batch is added to the history, a bad one is removed. */
  async giveFeedback(
    source: string,
    jobId: string,
    verdict: Operations['giveFeedback']['body']['verdict'],
    settings?: CallSettings,
  ): Promise<Answer<'giveFeedback'>> {
    return this.#call('giveFeedback', { path: { source }, body: { job_id: jobId, verdict } }, settings);
  }

  /** Versions of a baseline to roll back to, newest first. */
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

  /** Only this answer has the key. */
  async createKey(
    body: Operations['createKey']['body'] = {},
    settings?: CallSettings,
  ): Promise<Answer<'createKey'>> {
    return this.#call('createKey', { body }, settings);
  }

  async deleteKey(id: string, settings?: CallSettings): Promise<Answer<'deleteKey'>> {
    return this.#call('deleteKey', { path: { id } }, settings);
  }

  // ---- sign-in ----

  /** Mails a one-time code to the address. */
  async sendCode(email: string, settings?: CallSettings): Promise<Answer<'sendCode'>> {
    return this.#call('sendCode', { body: { email } }, settings);
  }

  /** Use the token in a new client: `new Sluice({ url, token })`. */
  async openSession(email: string, code: string, settings?: CallSettings): Promise<Answer<'openSession'>> {
    return this.#call('openSession', { body: { email, code } }, settings);
  }

  /** Signs out: this client's token stops working. */
  async endSession(settings?: CallSettings): Promise<Answer<'endSession'>> {
    return this.#call('endSession', {}, settings);
  }

  /** The account's sessions. */
  async listSessions(settings?: CallSettings): Promise<Answer<'listSessions'>> {
    return this.#call('listSessions', {}, settings);
  }

  /** Ends all other sessions of the account. */
  async endOtherSessions(settings?: CallSettings): Promise<Answer<'endOtherSessions'>> {
    return this.#call('endOtherSessions', {}, settings);
  }

  async endOneSession(id: string, settings?: CallSettings): Promise<Answer<'endOneSession'>> {
    return this.#call('endOneSession', { path: { id } }, settings);
  }

  // ---- billing ----

  /** Plan, and usage in the current period. */
  async showBilling(settings?: CallSettings): Promise<Answer<'showBilling'>> {
    return this.#call('showBilling', {}, settings);
  }

  /** The page to subscribe on. SUBSCRIPTION_EXISTS has `details.url`: the page to change a subscription on. */
  async startCheckout(
    tier: Operations['startCheckout']['body']['tier'],
    settings?: CallSettings,
  ): Promise<Answer<'startCheckout'>> {
    return this.#call('startCheckout', { body: { tier } }, settings);
  }

  /** The page to change or end a subscription on. */
  async openPortal(settings?: CallSettings): Promise<Answer<'openPortal'>> {
    return this.#call('openPortal', {}, settings);
  }

  // ---- service ----

  /** Answers while the process runs. Needs no key. */
  async health(settings?: CallSettings): Promise<Answer<'health'>> {
    return this.#call('health', {}, settings);
  }

  /** Answers while requests can be served; SERVICE_UNAVAILABLE has `details.missing`. Needs no key. */
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
        // A document in YAML is sent as it is.
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        repeatable: (method === 'GET' && !PROBES.has(name)) || REPEATABLE.has(name),
        signal,
      },
      this.#transport,
    );
    return bodyIn<Answer<Name>>(answer);
  }
}
