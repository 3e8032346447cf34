/** All tasks of a thread: those about batches are here, and one batch at a time is in its engine; those without it are in `large-tasks.ts` and `source-tasks.ts`. */
import { fullGC } from 'bun:jsc';
import { LRUCache } from 'lru-cache';
import { Status } from '../../assembly/abi.ts';
import type { Baseline } from '../baseline/baseline.ts';
import { encodeState } from '../baseline/encode-state.ts';
import { pastColumnsOf } from '../baseline/past-columns.ts';
import type { Content } from '../baseline/source-content.ts';
import { NOT_HELD } from '../baseline/sources.ts';
import type { BatchStart, Engine } from '../engine/engine.ts';
import type { RowList } from '../engine/queries.ts';
import type { SliceKeys } from '../engine/row-keys.ts';
import type { Finding } from '../findings/kinds.ts';
import { rejectionOf } from '../intake/refusals.ts';
import type { BlockedRun } from '../judge/blocked-run.ts';
import type { ScreenOptions } from '../options/options.ts';
import { readProfile } from '../profile/read.ts';
import type { KeptOfBatch } from '../report/completion.ts';
import type { ReportHead } from '../report/response.ts';
import type { Quarantine } from '../report-schema/report.ts';
import { ParsedRules } from '../rules/declared/parsed-rules.ts';
import { PatternCache } from '../rules/declared/patterns.ts';
import type { History } from '../rules/learned/history.ts';
import type { HeldKeys } from '../states/keys/key-set.ts';
import { recordOf } from '../states/record.ts';
import { RepeatedRows } from '../states/repeated-rows.ts';
import type { State } from '../states/state.ts';
import { evidenceInEngine, evidenceInState } from './evidence.ts';
import { headOf, type JudgedBatch, judgeBatch, reportBatch, rulesFor } from './judged-batch.ts';
import { type BodyStart, ParsedBatch } from './parsed-batch.ts';
import { LargeTasks } from './large-tasks.ts';
import type { SourceOrder, SourceReply, TaskSettings } from './source-tasks.ts';
import { type BeginOrder, type SliceTerms, WholeBatch } from './whole-batch.ts';
import { type FoldedStates, type MeasuredPosts, type WindowOrder, WindowPosts } from './window-posts.ts';

export interface ParseOrder {
  /** With the first bytes. */
  start?: BodyStart;
  pieces: Uint8Array[];
  /** The client pauses: what is here is parsed, as it may wait for a refusal. */
  isPausing?: boolean;
  /** The body is complete. */
  isLast?: boolean;
  /** With the last bytes: the batch is judged too if it is of this source. */
  judge?: JudgeOrder & { source: string };
  /** With the last bytes of the first slice of a batch that comes here. */
  begin?: BeginOrder;
  /** With the last bytes of a slice that comes once more: its rows that repeat others, by the keys that it gave. */
  repeats?: RowList[];
}

/** A batch whose slices are measured: all of them together. */
export interface AdoptOrder {
  source: string;
  options: ScreenOptions;
  state: State;
}

/** What a complete body says. */
export interface Parsed {
  source: string;
  rows: number;
  dryRun: boolean;
  /** The answer to `judge`, and how long that took, in ms. */
  judged: (SourceReply<Judged> & { ms: number }) | null;
  /** Of a slice: keys of its rows, which repeat where rows do. */
  keys?: SliceKeys[];
  /** Of a slice that comes once more: its rows to hold back. */
  held?: Quarantine;
}

export interface JudgeOrder extends SourceOrder {
  /** The request's, and its job's. */
  id: string;
  /** In ms. */
  at: number;
  /** When its first byte came, in ms of `Date.now`. */
  arrivedAt: number;
  /** Whether a job is kept of the batch. */
  isKept: boolean;
}

export interface WrittenOrder {
  key: string;
  id: string;
  /** Whether the baseline has got its state. */
  isLearned: boolean;
  /** Whether batches wait for a thread. */
  isBusy: boolean;
}

/** What is said of a batch, and kept of it. */
export interface Said {
  head: ReportHead;
  /** The report as JSON. Its `latency_ms` is 0 until it is known. */
  body: string;
  /** Null where no job keeps it. */
  kept: KeptOfBatch | null;
  /** Of a batch that is not learned, but may be accepted yet; encoded. */
  unlearned: Uint8Array | null;
}

export interface Judged extends Said {
  source: string;
  /** How long measuring took, in ms. */
  measureMs: number;
  /** For the store of baselines; null: the source does not learn the batch. */
  state: Uint8Array | null;
  /** Whether the source has a baseline. */
  isKnown: boolean;
  run: BlockedRun | null;
  /** Whether a run of BLOCKed batches ends, though the source does not learn. */
  endsRun: boolean;
  /** Of a batch in slices, if row verdicts were asked for: its slices have to come once more. */
  findings: readonly Finding[] | null;
}

/** Sources whose last fit is remembered for batches that came meanwhile, and what these may take. */
const FITTED = { max: 16, maxSize: 64 * 1024 * 1024 };
/** Address space beyond the body that an idle engine may keep: about 500 columns. */
const KEPT_BYTES = 128 * 1024 * 1024;

/** A batch that waits to be judged. */
interface Complete {
  source: string;
  options: ScreenOptions;
  /** Of its slices, if it came in slices; null: the engine holds it. */
  state: State | null;
}

/** Of a batch of several texts, lines are none of the batch. */
const lineIn =
  ({ parts }: State) =>
  (_: number, line: number) =>
    parts.size === 1 ? line : 0;

export class Tasks extends LargeTasks {
  readonly #makeEngine: () => Engine;
  #opened: Engine | null = null;
  readonly #patterns = new PatternCache();
  readonly #rules = new ParsedRules();
  readonly #windows = new WindowPosts({
    engine: () => this.#engine,
    termsOf: begin => this.#termsOf(begin),
    settings: this.settings,
    patterns: this.#patterns,
    rulesOf: text => this.#rules.of(text),
  });
  #parsed: ParsedBatch | null = null;
  #complete: Complete | null = null;
  /** Batches whose slices are measured here, by id. */
  readonly #wholes = new Map<string, WholeBatch>();
  /** Judged batches that are being written, with their encoded states. */
  readonly #judged = new Map<string, { judged: JudgedBatch; state: Uint8Array | null }>();
  /**
   * The contents that were fitted last, and when that was done. A batch that came meanwhile is judged by what was learned until then, and shares the fit: when many
   * batches of a source come at once, they are not fitted for each of them. A few sources at a time are that busy.
   */
  readonly #fitted = new LRUCache<string, { content: Content; endedAt: number }>({
    ...FITTED,
    sizeCalculation: ({ content }) => content.bytes,
  });
  /** Sources whose next baseline is to be fitted, with their `settleAfter`. */
  readonly #wanted = new Map<string, number>();

  constructor(makeEngine: () => Engine, settings: TaskSettings) {
    super(settings);
    this.#makeEngine = makeEngine;
  }

  /** Makes the engine, which otherwise the first batch waits for. */
  open(): void {
    this.#opened ??= this.#makeEngine();
  }

  get #engine(): Engine {
    this.open();
    return this.#opened!;
  }

  /** Null until the body is complete. Throws `Rejection`. */
  parse({ start, pieces, isPausing, isLast, judge, begin, repeats = [] }: ParseOrder): Parsed | null {
    if (start) this.#parsed = new ParsedBatch(this.#engine, start);
    const parsed = this.#parsed!;
    for (const piece of pieces) parsed.write(piece);
    if (isPausing) parsed.flush();
    if (!isLast) return null;
    const { source, options } = parsed.end();
    const { slice } = parsed;
    const said = { source, rows: this.#engine.rows, dryRun: options.dryRun };
    if (slice) {
      const whole = this.#wholeOf(slice, begin);
      const held = whole.hold(this.#engine, repeats);
      if (held) return { ...said, judged: null, held };
      return { ...said, judged: null, keys: whole.add(this.#engine, slice, parsed.signs) };
    }
    // It is measured when it is judged: how CSV is read depends on the past.
    this.#complete = { source, options, state: null };
    const since = performance.now();
    const judged = judge?.source === source ? this.judge(judge) : null;
    return { ...said, judged: judged && { ...judged, ms: performance.now() - since } };
  }

  /** The body that was parsed is given up. */
  forget(): void {
    this.#parsed = this.#complete = null;
  }

  /** What is known of the slices of a batch that were measured here, which are forgotten; null without one. `keys`: those that were collected. */
  takeState({ batch }: { batch: string }): { state: State | null; keys: HeldKeys[] } {
    const whole = this.#wholes.get(batch);
    this.#wholes.delete(batch);
    return { state: whole?.end() ?? null, keys: whole?.handOver() ?? [] };
  }

  /** All slices of a batch in place of its rows: it can be judged now. */
  adopt(complete: AdoptOrder): Parsed {
    const { source, options, state } = complete;
    this.#complete = complete;
    return { source, rows: state.rows, dryRun: options.dryRun, judged: null };
  }

  #wholeOf({ batch, keysShare }: NonNullable<BodyStart['slice']>, begin: BeginOrder | undefined): WholeBatch {
    const known = this.#wholes.get(batch);
    if (known) return known;
    const repeated = keysShare === null ? null : new RepeatedRows(keysShare);
    const whole = new WholeBatch(begin ? this.#termsOf(begin) : null, repeated);
    this.#wholes.set(batch, whole);
    return whole;
  }

  #termsOf({ options, at, findings, isByIndex, ...order }: BeginOrder): SliceTerms {
    const { result } = this.about(order, ({ baseline }) => baseline);
    if (result === NOT_HELD) throw new Error('a batch begins with all that is stored of its source');
    const rules = rulesFor(options, order.read.stored.notes, text => this.#rules.of(text));
    const said = { findings: findings ?? null, isByIndex: isByIndex ?? false };
    return { baseline: result, rules, patterns: this.#patterns, now: at, ...said };
  }

  // ---- Posts of sources with a window ----

  /** Null: it has to be told what the window begins with. Throws `Rejection` if what all posts leave behind is too large. */
  measurePosts(order: WindowOrder): MeasuredPosts | null {
    return this.#windows.measure(order);
  }

  foldWindow(order: { window: string }): FoldedStates | null {
    return this.#windows.fold(order);
  }

  /** A copy of the bytes that have arrived, to begin again later. */
  received(): Uint8Array {
    this.#parsed = null;
    return this.#engine.received();
  }

  /** Reads each body alone, which should have one row; the result has what is wrong with it, or null. */
  readAlone({ start, bodies }: { start: BatchStart; bodies: Uint8Array[] }): (string | null)[] {
    return bodies.map(body => {
      this.#engine.begin(start);
      const isRefused = this.#engine.write(body) === Status.FAILED || this.#engine.end() === Status.FAILED;
      if (isRefused) return rejectionOf(this.#engine.refusal(), start.format).message;
      return this.#engine.rows === 1 ? null : `the message has ${this.#engine.rows} rows, not one`;
    });
  }

  /** Judges the batch that was parsed. Afterwards the engine is free. */
  judge({ id, at, arrivedAt, isKept, ...order }: JudgeOrder): SourceReply<Judged> {
    return this.about(order, newest => {
      const content = this.#contentFor(order.key, newest, arrivedAt);
      const { baseline } = content;
      const { source, options: given, state: whole } = this.#complete!;
      const since = performance.now();
      const { sampleRows } = this.settings;
      const pastOf = pastColumnsOf(baseline);
      const profile = whole
        ? readProfile(recordOf(whole, lineIn(whole), pastOf))
        : this.#parsed!.measure(sampleRows, given.fullScan, pastOf);
      const evidence = whole
        ? evidenceInState(whole, profile, pastOf)
        : evidenceInEngine(this.#engine, this.#patterns);
      const measureMs = performance.now() - since;
      const measured = { source, options: given, profile, id, at };
      const { notes } = order.read.stored;
      const history = (_: Baseline, settleAfter: number) => this.#fit(order.key, content, settleAfter);
      const judged = judgeBatch(
        measured,
        { baseline, notes, history },
        {
          evidence,
          rulesOf: text => this.#rules.of(text),
          defaultMode: this.settings.defaultMode,
          isKept,
        },
      );
      this.#parsed = this.#complete = null;
      const { isLearned, run, options } = judged;
      const state = isLearned && !options.dryRun ? encodeState(judged.state) : null;
      if (!options.dryRun) this.#judged.set(id, { judged, state });
      return {
        ...this.#said(judged, false),
        source: judged.source,
        measureMs,
        state,
        isKnown: baseline !== null,
        run,
        endsRun: run === null && notes.run !== null && notes.pinned,
        findings: whole && options.rowVerdicts ? judged.assessment.findings : null,
      };
    });
  }

  /** The baseline had no room to learn the batch: what is said of it then. */
  sayStorageFull({ id }: { id: string }): Said {
    return this.#said(this.#judged.get(id)!.judged, true);
  }

  /** The batch is written, or is given up. If its source has learned it, says whether the tail should be folded. */
  written({ key, id, isLearned, isBusy }: WrittenOrder): boolean {
    const found = this.#judged.get(id);
    this.#judged.delete(id);
    if (!found?.state || !isLearned) return false;
    this.sources.learned(key, { id, state: found.state }, found.judged.state);
    // Batches that wait fit it themselves, once for all of them.
    if (!isBusy) this.#wanted.set(key, found.judged.options.settleAfter);
    return this.sources.hasLongTail(key);
  }

  /** Work for when nothing else is asked: fits a source for its next batch. False if nothing is left. */
  idle(): boolean {
    const [next] = this.#wanted;
    if (!next) return false;
    const [key, settleAfter] = next;
    this.#wanted.delete(key);
    const content = this.sources.next(key);
    if (content?.baseline) this.#fit(key, content, settleAfter);
    return this.#wanted.size > 0;
  }

  /** Replaces an engine whose memory a wide batch has enlarged. Call it when nothing is in progress. */
  trim(): void {
    if (this.#parsed || this.#opened === null) return;
    const { memoryBytes, maxBodyBytes } = this.#opened;
    if (memoryBytes <= maxBodyBytes + KEPT_BYTES) return;
    this.#opened = null;
    fullGC();
    this.open();
  }

  #contentFor(key: string, newest: Content, arrivedAt: number): Content {
    const fitted = this.#fitted.get(key);
    const isShared =
      fitted && arrivedAt < fitted.endedAt && fitted.content.known.generation === newest.known.generation;
    return isShared ? fitted.content : newest;
  }

  #fit(key: string, content: Content, settleAfter: number): History {
    const history = this.sources.history(key, content.baseline!, settleAfter);
    if (this.#fitted.get(key)?.content === content) return history;
    this.#fitted.set(key, { content, endedAt: Date.now() });
    return history;
  }

  #said(judged: JudgedBatch, storageFull: boolean): Said {
    const { report, ...said } = reportBatch(judged, storageFull, this.settings.storeValues);
    return { ...said, head: headOf(report) };
  }
}
