/** The service's operations, named as in its OpenAPI document. */
import { AccountCalls } from './account-calls.ts';
import { longBody, requestsOf } from './any-length.ts';
import { withLast } from './batches.ts';
import type { Answer, Query } from './call.ts';
import type { Operations } from './contract.ts';
import { Blocked, holding, withRows } from './gate.ts';
import {
  chunkOptions,
  type Dividable,
  divided,
  type Input,
  namesOf,
  type PartInput,
  withMode,
} from './input.ts';
import { type BatchScreening, halvesAfter, isTooLarge, type Screening } from './screening.ts';
import { bodyIn } from './send.ts';
import {
  type CallSettings,
  type ChangeSettings,
  type GateSettings,
  keyOf,
  type PartSettings,
  type ScreenSettings,
  traceHeaders,
} from './settings.ts';
import type { Streamed, WindowVerdict } from './stream.ts';

/**
 * A server and an account on it.
 *
 * Every method rejects with `SluiceError` when the service refuses the request or cannot be reached, with the signal's reason
 * after an abort, and with `TypeError` for arguments that no request can carry. Reads, screenings and repeatable writes are
 * retried while that may help.
 */
export class Sluice extends AccountCalls {
  // ---- screening ----

  /**
   * Screens a batch of any length. Up to 10,000 rows are sent as one request, and more of them as `screenWhole` sends them.
   */
  screen(given: Input, settings: ScreenSettings = {}): Promise<Screening> {
    const input = withMode(given);
    return this.#screened(input, settings, input.options);
  }

  /** `options` are those of up to 10,000 rows. */
  async #screened(input: Input, settings: ScreenSettings, options: Input['options']): Promise<Screening> {
    const { signal, compress } = settings;
    const shared = { key: keyOf(settings), trace: traceHeaders(settings), signal };
    const body = { maxBodyBytes: this.maxBodyBytes, compress, signal };
    const { one, long } = await requestsOf(input, body, options);
    if (one !== null)
      try {
        return await this.screenOnce(one, shared);
      } catch (error) {
        // Only the server counts the rows of a text, and its limits may be lower.
        if (!isTooLarge(error)) throw error;
      }
    return this.screenLong(long, { source: input.source, headers: namesOf(input) }, shared);
  }

  /**
   * Screens a batch of any length in one request, which is sent while the input is read: the memory of a few pieces is enough. It is sent again only if the input can be read again: give an array, text or bytes, a `Blob`,
   * or a function that opens it.
   */
  async screenWhole(given: Input, settings: ScreenSettings = {}): Promise<Screening> {
    const input = withMode(given);
    const { signal, compress } = settings;
    const shared = { key: keyOf(settings), trace: traceHeaders(settings), signal };
    const headers = namesOf(input);
    const long = longBody(input, { maxBodyBytes: this.maxBodyBytes, compress, signal });
    return this.screenLong(long, { source: input.source, headers }, shared);
  }

  /**
   * Screens any number of rows in batches, one request after the other. Each request has its own key: the given one and the
   * numbers of the batch's first and last row. A batch that is too large for the server is sent in halves. Stop reading the
   * results, and nothing more is sent. The memory of two batches is enough for any input.
   */
  async *screenAll(given: Dividable, settings: ScreenSettings = {}): AsyncGenerator<BatchScreening, void> {
    const input = withMode(given);
    const { signal, compress } = settings;
    const wholeKey = keyOf(settings);
    const trace = traceHeaders(settings);
    const { groups, wrap } = await divided(input, { maxBodyBytes: this.maxBodyBytes, compress, signal });
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
        const outcome = await this.screenOnce(request, { key, trace, signal }).catch((error: unknown) =>
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

  /**
   * Screens rows without end over one connection: a report for each window, as its rows come. After a break it connects again and
   * goes on where the server has got to; no row is judged twice. Stop reading the verdicts, and nothing more is sent.
   */
  stream(input: Streamed, settings: CallSettings = {}): AsyncGenerator<WindowVerdict, void> {
    return this.openStream(withMode(input), settings);
  }

  /**
   * `screen` that rejects with `Blocked` on BLOCK; with `blockOn: 'warn'` on WARN too. Asks for row verdicts on up to 10,000
   * rows; more of them have row verdicts if `options` ask for them.
   */
  async gate(given: Input, settings: GateSettings = {}): Promise<Screening> {
    const input = withMode(given);
    const verdicts = holding(settings);
    const screening = await this.#screened(input, settings, withRows(input).options);
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

  // ---- batches in parts ----

  /** Opens a batch of any length. Send its parts, then finish it. */
  openBatch(
    body: Operations['openBatch']['body'],
    { signal, idempotencyKey }: Pick<ScreenSettings, 'signal' | 'idempotencyKey'> = {},
  ) {
    const headers = { 'Idempotency-Key': keyOf({ idempotencyKey }) };
    return this.call('openBatch', { body: withMode(body), headers }, { signal });
  }

  /** The batches, open ones first, without their parts. */
  listBatches(settings?: CallSettings) {
    return this.call('listBatches', {}, settings);
  }

  findBatch(id: string, settings?: CallSettings) {
    return this.call('findBatch', { path: { id } }, settings);
  }

  /** Nothing of the batch is learned or counted. */
  abortBatch(id: string, settings?: CallSettings) {
    return this.call('abortBatch', { path: { id } }, settings);
  }

  /**
   * Sends a part, numbered from 0: any number of rows, as `screenWhole` sends them. Parts may be sent in any order, at once, and from
   * many machines. The same rows again have the same answer, and other rows under the number reject with PART_CONFLICT.
   */
  async sendPart(
    id: string,
    part: number,
    input: PartInput,
    { signal, compress }: PartSettings = {},
  ): Promise<Answer<'sendPart'>> {
    const long = longBody(input, { maxBodyBytes: this.maxBodyBytes, compress, signal });
    const path = { id, part: String(part) };
    return bodyIn(await this.sendLong('sendPart', path, long, { headers: {}, signal }));
  }

  /** Judges the parts as one batch; a repeat has the same answer. Rejects with PARTS_MISSING and their numbers. */
  finishBatch(id: string, parts: number, { signal }: CallSettings = {}): Promise<Screening> {
    return this.finished(id, parts, signal);
  }

  // ---- jobs and statistics ----

  /** Newest first. For the next page pass the last id as `before`. */
  listJobs(query: Query<'listJobs'> = {}, settings?: CallSettings) {
    return this.call('listJobs', { query }, settings);
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
  findJob(id: string, settings?: CallSettings) {
    return this.call('findJob', { path: { id } }, settings);
  }

  /** Totals of the last days. */
  statistics(query: Query<'statistics'> = {}, settings?: CallSettings) {
    return this.call('statistics', { query }, settings);
  }

  /** How many jobs had each verdict, in equal spans of time. */
  verdictsOverTime(query: Query<'verdictsOverTime'> = {}, settings?: CallSettings) {
    return this.call('verdictsOverTime', { query }, settings);
  }

  /** The batches of a source, newest first. */
  sourceHistory(source: string, query: Query<'sourceHistory'> = {}, settings?: CallSettings) {
    return this.call('sourceHistory', { path: { source }, query }, settings);
  }

  /** The statistics of a field over the newest batches, with what was expected and the alarms. */
  sourceTrends(source: string, query: Query<'sourceTrends'> = {}, settings?: CallSettings) {
    return this.call('sourceTrends', { path: { source }, query }, settings);
  }

  // ---- baselines ----

  /** Sources with a baseline. For the next page pass `next` as `after`. */
  listBaselines(query: Query<'listBaselines'> = {}, settings?: CallSettings) {
    return this.call('listBaselines', { query }, settings);
  }

  /** The baseline of a source, by field. */
  describeBaseline(source: string, settings?: CallSettings) {
    return this.call('describeBaseline', { path: { source } }, settings);
  }

  /** Deletes the baseline. The next batch makes a new one. */
  resetBaseline(source: string, settings?: CallSettings) {
    return this.call('resetBaseline', { path: { source } }, settings);
  }

  resetAllBaselines(settings?: CallSettings) {
    return this.call('resetAllBaselines', {}, settings);
  }

  // ---- settings and feedback ----

  /** The settings of a source, and the values in force. */
  getSettings(source: string, settings?: CallSettings) {
    return this.call('getSettings', { path: { source } }, settings);
  }

  /** Replaces all settings: absent or null ones go back to their defaults. */
  putSettings(
    source: string,
    body: Operations['putSettings']['body'],
    { ifVersion, ...settings }: ChangeSettings = {},
  ) {
    return this.call('putSettings', { path: { source }, query: { if_version: ifVersion }, body }, settings);
  }

  /** What the owner of a source says must be true of it. */
  getRules(source: string, settings?: CallSettings) {
    return this.call('getRules', { path: { source } }, settings);
  }

  /** Replaces all rules. */
  putRules(
    source: string,
    body: Operations['putRules']['body'],
    { ifVersion, ...settings }: ChangeSettings = {},
  ) {
    return this.call('putRules', { path: { source }, query: { if_version: ifVersion }, body }, settings);
  }

  deleteRules(source: string, { ifVersion, ...settings }: ChangeSettings = {}) {
    return this.call('deleteRules', { path: { source }, query: { if_version: ifVersion } }, settings);
  }

  /** Who changed the rules, newest first. */
  listRuleChanges(source: string, settings?: CallSettings) {
    return this.call('listRuleChanges', { path: { source } }, settings);
  }

  /** Rules that the newest batches keep, with the evidence for each. */
  suggestRules(source: string, settings?: CallSettings) {
    return this.call('suggestRules', { path: { source } }, settings);
  }

  /** Makes rules of a document of another program: its text in YAML or JSON, or its value. `apply` stores them. */
  importRules(
    source: string,
    document: string | object,
    query: Operations['importRules']['query'],
    settings?: CallSettings,
  ) {
    return this.call('importRules', { path: { source }, query, body: document as object }, settings);
  }

  /** A pinned baseline learns nothing until it is unpinned. */
  pinBaseline(source: string, pinned: boolean, settings?: CallSettings) {
    return this.call('pinBaseline', { path: { source }, body: { pinned } }, settings);
  }

  /** Makes a batch that got WARN or BLOCK the new normal. */
  acceptBatch(source: string, jobId: string, settings?: CallSettings) {
    return this.call('acceptBatch', { path: { source }, body: { job_id: jobId } }, settings);
  }

  /** An expected batch is added to the history, a bad one is removed. */
  giveFeedback(
    source: string,
    jobId: string,
    verdict: Operations['giveFeedback']['body']['verdict'],
    settings?: CallSettings,
  ) {
    return this.call('giveFeedback', { path: { source }, body: { job_id: jobId, verdict } }, settings);
  }

  /** What people and programs changed at a source, newest first. */
  listSourceChanges(source: string, query: Query<'listSourceChanges'> = {}, settings?: CallSettings) {
    return this.call('listSourceChanges', { path: { source }, query }, settings);
  }

  /** Versions of a baseline to roll back to, newest first. */
  listVersions(source: string, settings?: CallSettings) {
    return this.call('listVersions', { path: { source } }, settings);
  }

  rollBack(source: string, version: number, settings?: CallSettings) {
    return this.call('rollBack', { path: { source }, body: { version } }, settings);
  }
}
