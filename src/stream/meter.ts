/** Counts what streams do, for Prometheus. Topics and partitions come from the configuration, so there are few. */
import { Counter, Gauge, Registry } from 'prom-client';
import { Histogram } from '../metrics/histogram.ts';
import type { Verdict } from './judge.ts';
import { FAILURES, type TopicPartition } from './port.ts';

const WINDOW_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Besides those of Kafka: the stores, the plan's rows, the API key. */
const OTHER_FAILURES = ['store', 'plan', 'key'];

export interface Passed {
  messages: number;
  /** How many of them were held; the others are in `clean`. */
  held: number;
  verdicts: readonly Verdict[];
  /** Time since the first message of the window came. */
  ms: number;
  /** Messages of the partition after the window. */
  lag: number;
}

export class StreamMeter {
  readonly #registry = new Registry();
  readonly #messages = this.#counter('messages_total', 'Messages passed on, by where they went', [
    'topic',
    'to',
  ]);
  readonly #windows = this.#counter('windows_total', 'Windows written', ['topic']);
  readonly #verdicts = this.#counter('verdicts_total', 'Verdicts on the rows of a source in a window', [
    'topic',
    'verdict',
  ]);
  readonly #failures = this.#counter('failures_total', 'Failures after which a window is tried again', [
    'kind',
  ]);
  readonly #seconds = new Histogram(
    'sluice_stream_window_seconds',
    'From the first message of a window to its commit',
    ['topic'],
    WINDOW_SECONDS,
    this.#registry,
  );
  readonly #lag = this.#gauge('lag', 'Messages that are not passed on yet');
  readonly #halted = this.#gauge('halted', '1 where a BLOCKed window stops the partition');

  constructor() {
    for (const kind of [...FAILURES, ...OTHER_FAILURES]) this.#failures.inc({ kind }, 0);
  }

  /** All metrics in Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** A window is committed. */
  passed({ topic, partition }: TopicPartition, { messages, held, verdicts, ms, lag }: Passed): void {
    this.#windows.inc({ topic });
    this.#messages.inc({ topic, to: 'held' }, held);
    this.#messages.inc({ topic, to: 'clean' }, messages - held);
    for (const { report } of verdicts) this.#verdicts.inc({ topic, verdict: report.status });
    this.#seconds.of(topic).observe(ms / 1000);
    this.#lag.set({ topic, partition }, lag);
  }

  failed(kind: string): void {
    this.#failures.inc({ kind });
  }

  halted({ topic, partition }: TopicPartition, isHalted: boolean): void {
    this.#halted.set({ topic, partition }, isHalted ? 1 : 0);
  }

  /** The partition is not ours any more: whose it is reports it. */
  left({ topic, partition }: TopicPartition): void {
    this.#lag.remove({ topic, partition });
    this.#halted.remove({ topic, partition });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name: `sluice_stream_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string) {
    const labelNames = ['topic', 'partition'] as const;
    return new Gauge({ name: `sluice_stream_${name}`, help, labelNames, registers: [this.#registry] });
  }
}
