/**
 * What is counted of one process, as Prometheus reads it. Labels have few values, all of them ours: patterns of routes,
 * codes, kinds; never an account, a source or a field. Counters begin anew with the process, which Prometheus expects.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Answered, RequestMeter } from '../http/observation.ts';
import { STAGES, type Stage } from '../stages.ts';
import { Histogram, type Series } from './histogram.ts';

/** In seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const STEP_BUCKETS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH']);
const VERDICTS = ['PASS', 'WARN', 'BLOCK'];
/** Of the usual ones of Node, what another runtime has no answer to. */
const NOT_KNOWN_HERE = /^nodejs_(heap_space|active|gc|version)/;

/** What is asked at each scrape. */
export interface Watched {
  /** Engines at work, and batches that wait for one. */
  engines: { readonly lent: number; readonly waiting: number };
  /** Batches that wait for their turn at the processor. */
  loop: { readonly waiting: number };
  /** Bytes of uploads that have no engine at the moment. */
  kept: { readonly bytes: number };
}

export class Metrics implements RequestMeter {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #requests = this.#counter('requests_total', 'Requests answered', ['method', 'route', 'status']);
  readonly #seconds = this.#histogram(
    'request_seconds',
    "Until the answer was ready, the wait for the client's bytes included",
    ['method', 'route'],
    REQUEST_BUCKETS,
  );
  readonly #refusals = this.#counter('refusals_total', 'Requests refused, by code', ['code']);
  readonly #bytes = this.#counter('body_bytes_total', 'Bytes of bodies, as they were sent', ['route']);
  readonly #rows = this.#counter('rows_total', 'Rows screened', []);
  readonly #verdicts = this.#counter('verdicts_total', 'Verdicts given, dry runs included', ['verdict']);
  readonly #drift = this.#counter('drift_events_total', 'Drift events reported', ['kind', 'severity']);
  readonly #stages: ReadonlyMap<Stage, Series>;
  readonly #stores = this.#histogram(
    'store_seconds',
    'Time that a store took',
    ['store', 'operation'],
    STEP_BUCKETS,
  );
  readonly #storeFailures = this.#counter('store_failures_total', 'Operations of a store that failed', [
    'store',
    'operation',
  ]);
  #inFlight = 0;

  /** `worker`: which of several processes on this machine, from 0; null: the only one. */
  constructor(worker: number | null = null) {
    const stages = this.#histogram('stage_seconds', 'Stages of screenings', ['stage'], STEP_BUCKETS);
    this.#stages = new Map(STAGES.map(stage => [stage, stages.of(stage)]));
    for (const verdict of VERDICTS) this.#verdicts.inc({ verdict }, 0);
    this.#gauge('requests_in_flight', 'Requests that are being answered', () => this.#inFlight);
    if (worker !== null) this.#registry.setDefaultLabels({ worker: String(worker) });
    collectDefaultMetrics({ register: this.#registry });
    for (const { name } of this.#registry.getMetricsAsArray())
      if (NOT_KNOWN_HERE.test(name)) this.#registry.removeSingleMetric(name);
  }

  /** To be called once. */
  watch({ engines, loop, kept }: Watched): void {
    this.#gauge('engines_lent', 'Engines at work', () => engines.lent);
    this.#gauge('engines_waiting', 'Batches that wait for an engine', () => engines.waiting);
    this.#gauge('batches_waiting', 'Batches that wait for the processor', () => loop.waiting);
    this.#gauge('kept_bytes', 'Bytes of uploads that wait without an engine', () => kept.bytes);
  }

  /** All of it, in Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  begun(): void {
    this.#inFlight++;
  }

  answered({ method: asked, route, status, ms, facts }: Answered): void {
    this.#inFlight--;
    const method = METHODS.has(asked) ? asked : 'other';
    this.#requests.inc({ method, route, status });
    this.#seconds.of(method, route).observe(ms / 1000);
    if (facts.code !== null) this.#refusals.inc({ code: facts.code });
    if (facts.upload !== null) this.#bytes.inc({ route }, facts.upload.bytes);
    for (const [stage, took] of facts.clock?.ms ?? []) this.#stages.get(stage)!.observe(took / 1000);
    // A repeat was counted when it was the first.
    if (facts.screened !== null && !facts.screened.replayed) this.#screened(facts.screened.report);
  }

  /** What notes how long an operation of a store took, and whether it failed. */
  ofStore(store: string, operation: string): (ms: number, failed: boolean) => void {
    const seconds = this.#stores.of(store, operation);
    return (ms, failed) => {
      seconds.observe(ms / 1000);
      if (failed) this.#storeFailures.inc({ store, operation });
    };
  }

  #screened({ status, stats, drift = [] }: NonNullable<Answered['facts']['screened']>['report']): void {
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
