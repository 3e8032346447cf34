/**
 * Prometheus metrics of one process. Labels have few values, and all of them are ours: route patterns, codes, kinds;
 * never an account, a source or a field. Counters restart at 0 with the process, as Prometheus expects.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RequestMeter } from '../http/monitoring.ts';
import type { RequestOutcome } from '../http/request-outcome.ts';
import { STAGES, type Stage } from '../screen/stages.ts';
import { Histogram, type Series } from './histogram.ts';

/** In seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const STEP_BUCKETS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH']);
const VERDICTS = ['PASS', 'WARN', 'BLOCK'];
/** Default metrics of Node that Bun does not support. */
const UNSUPPORTED = /^nodejs_(heap_space|active|gc|version)/;

/** What gauges read at each scrape. */
export interface GaugeSources {
  /** Threads that have a batch, and batches that wait for a thread. */
  threads: { readonly busy: number; readonly waiting: number };
  /** Bytes of uploads that no thread has. */
  kept: { readonly bytes: number };
}

export class Metrics implements RequestMeter {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #requests = this.#counter('requests_total', 'Requests answered', ['method', 'route', 'status']);
  readonly #seconds = this.#histogram(
    'request_seconds',
    "Time until the response was ready, including the wait for the client's bytes",
    ['method', 'route'],
    REQUEST_BUCKETS,
  );
  readonly #refusals = this.#counter('refusals_total', 'Rejected requests by error code', ['code']);
  readonly #bytes = this.#counter('body_bytes_total', 'Bytes of request bodies, before decompression', [
    'route',
  ]);
  readonly #rows = this.#counter('rows_total', 'Rows screened', []);
  readonly #verdicts = this.#counter('verdicts_total', 'Verdicts, including dry runs', ['verdict']);
  readonly #drift = this.#counter('drift_events_total', 'Drift events in reports', ['kind', 'severity']);
  readonly #stages: ReadonlyMap<Stage, Series>;
  readonly #stores = this.#histogram(
    'store_seconds',
    'Duration of store operations',
    ['store', 'operation'],
    STEP_BUCKETS,
  );
  readonly #storeFailures = this.#counter('store_failures_total', 'Failed store operations', [
    'store',
    'operation',
  ]);
  #inFlight = 0;

  constructor() {
    const stages = this.#histogram(
      'stage_seconds',
      'Duration of the stages of screenings',
      ['stage'],
      STEP_BUCKETS,
    );
    this.#stages = new Map(STAGES.map(stage => [stage, stages.of(stage)]));
    for (const verdict of VERDICTS) this.#verdicts.inc({ verdict }, 0);
    this.#gauge('requests_in_flight', 'Requests in progress', () => this.#inFlight);
    collectDefaultMetrics({ register: this.#registry });
    for (const { name } of this.#registry.getMetricsAsArray())
      if (UNSUPPORTED.test(name)) this.#registry.removeSingleMetric(name);
  }

  /** Call it once. */
  watch({ threads, kept }: GaugeSources): void {
    this.#gauge('engines_lent', 'Threads that have a batch', () => threads.busy);
    this.#gauge('engines_waiting', 'Batches that wait for a thread', () => threads.waiting);
    this.#gauge('kept_bytes', 'Bytes of uploads that no thread has', () => kept.bytes);
  }

  /** All metrics in Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  started(): void {
    this.#inFlight++;
  }

  finished({ method: requestMethod, route, status, ms, facts }: RequestOutcome): void {
    this.#inFlight--;
    const method = METHODS.has(requestMethod) ? requestMethod : 'other';
    this.#requests.inc({ method, route, status });
    this.#seconds.of(method, route).observe(ms / 1000);
    if (facts.code !== null) this.#refusals.inc({ code: facts.code });
    if (facts.upload !== null) this.#bytes.inc({ route }, facts.upload.bytes);
    for (const [stage, took] of facts.clock?.ms ?? []) this.#stages.get(stage)!.observe(took / 1000);
    // A replay was counted when it ran.
    if (facts.screened !== null && !facts.screened.replayed) this.#screened(facts.screened.report);
  }

  /** Returns a function that records how long an operation took and whether it failed. */
  ofStore(store: string, operation: string): (ms: number, failed: boolean) => void {
    const seconds = this.#stores.of(store, operation);
    return (ms, failed) => {
      seconds.observe(ms / 1000);
      if (failed) this.#storeFailures.inc({ store, operation });
    };
  }

  #screened({ status, stats, drift = [] }: NonNullable<RequestOutcome['facts']['screened']>['report']): void {
    this.#verdicts.inc({ verdict: status });
    this.#rows.inc(stats.rows_received);
    for (const { kind, severity } of drift) this.#drift.inc({ kind, severity });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name: `sluice_${name}`, help, labelNames, registers: this.#registers });
  }

  #histogram(name: string, help: string, labelNames: string[], bounds: number[]): Histogram {
    return new Histogram(`sluice_${name}`, help, labelNames, bounds, this.#registry);
  }

  #gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name: `sluice_${name}`,
      help,
      registers: this.#registers,
      collect() {
        this.set(value());
      },
    });
  }
}
