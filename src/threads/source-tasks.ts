/**
 * What a thread does for the sources that live in it, and for documents: plain functions. A thread has no store and no socket, so everything that a task needs
 * comes with its order.
 */
import { statisticsOf } from '../baseline/collect-statistics.ts';
import {
  renewedRecord,
  type SourceSummary,
  summaryOf,
  type VersionCopy,
  versionOf,
} from '../baseline/edit.ts';
import { decodeRecord } from '../baseline/encode-record.ts';
import { decodeState, encodeState } from '../baseline/encode-state.ts';
import type { Content } from '../baseline/source-content.ts';
import { NOT_HELD, type ReadBaseline, Sources } from '../baseline/sources.ts';
import { noteOf, type VersionReason } from '../baseline/version.ts';
import type { AskedMode } from '../options/options.ts';
import { settingsIn, settledOptions } from '../options/settings.ts';
import type { ProfileDescription } from '../profile/describe.ts';
import type { RulesDocument } from '../rules/declared/document.ts';
import { type MissingField, missingFields } from '../rules/declared/missing-fields.ts';
import { compilePatterns, parseRules, unchecked } from '../rules/declared/parse.ts';
import { type ImportFormat, importRules } from '../rules/interchange/import.ts';
import type { Imported } from '../rules/interchange/draft.ts';
import { surpriseAtWarn } from '../rules/learned/compare.ts';
import { type History, HISTORY_FITTER } from '../rules/learned/history.ts';
import { type Trend, trendsIn } from '../rules/learned/trend.ts';
import { type Suggested, suggestRules } from '../rules/suggest.ts';
import type { Known, StoredState } from '../stores/ports.ts';
import type { Verdict } from '../terms/verdict.ts';
import { type DescribedSource, describeSource } from './described-source.ts';
import { readRules } from './read-rules.ts';

/** The same in all threads of a process. */
export interface TaskSettings {
  /** Rows whose values are measured when there are more and not all are asked for. */
  sampleRows: number;
  /** The mode where neither the request nor the source's settings give one. */
  defaultMode: AskedMode;
  /** Whether jobs keep values of the payload. */
  storeValues: boolean;
}

/** About one source. */
export interface SourceOrder {
  /** As `keyOf` makes it. */
  key: string;
  read: ReadBaseline;
}

/** An answer about a source, and what of it the thread holds now. */
export interface SourceReply<Result> {
  result: Result | typeof NOT_HELD;
  known: Known | null;
}

/** A folded record for the store, with the note of a version. */
export interface FoldedSource {
  expected: Known;
  bytes: Uint8Array;
  spent: string[];
  /** States that the record does not include. */
  dropped: string[];
  /** Of its newest batch, in ms. */
  at: number;
  note: string;
}

export interface Renewed {
  made: SourceSummary;
  folded: Uint8Array;
}

export interface TrendOrder {
  /** Null: the batch as a whole. */
  field: string | null;
  /** States of batches that the source did not learn. */
  unlearned: Uint8Array[];
}

export interface TrendResult {
  /** In the order of time. */
  batches: { id: string; at: number; verdict: Verdict; learned: boolean }[];
  trends: Trend[];
}

export interface OpenedCopy {
  /** The record. */
  bytes: Uint8Array;
  batches: number;
  rows: number;
  /** Ids of its last batches. */
  recent: string[];
}

export interface SuggestOrder {
  /** `profile`: as the job keeps it, in JSON. `at`: in ms. */
  batches: { rows: number; at: number; profile: string }[];
  /** Those that hold. */
  rules: RulesDocument | null;
}

export interface ImportOrder {
  bytes: Uint8Array;
  format: ImportFormat;
  table: string | undefined;
}

export class SourceTasks {
  constructor(
    protected readonly settings: TaskSettings,
    protected readonly sources = new Sources<History>(HISTORY_FITTER),
  ) {}

  // ---- Sources ----

  /** Null if the tail is not long. */
  fold(order: SourceOrder): SourceReply<FoldedSource | null> {
    return this.about(order, content => {
      const folded = this.sources.fold(order.key, content);
      if (!folded) return null;
      const { record, ...rest } = folded;
      const { at } = record.recent.at(-1)!;
      return { ...rest, at, note: noteOf(record, 'learned', at, order.read.stored.notes.rules) };
    });
  }

  /** The store has answered to the last fold of the source. Returns what is held of it now: after a fold its next read is of what is new since. */
  foldEnded({ key, won }: { key: string; won: boolean }): Known | null {
    this.sources.foldEnded(key, won);
    return this.sources.known(key);
  }

  summarise(order: SourceOrder): SourceReply<SourceSummary> {
    return this.about(order, summaryOf);
  }

  /** The record that a batch renewed, encoded, and what of the source it was made of. */
  renew(order: SourceOrder & { kept: Uint8Array; changed: ReadonlySet<string> }): SourceReply<Renewed> {
    return this.about(order, content => ({
      made: summaryOf(content),
      folded: renewedRecord(content, order.kept, order.changed),
    }));
  }

  /** A copy to go back to; null without a baseline that is more than provisional. */
  copy(
    order: SourceOrder & { reason: VersionReason; at: number; job?: string },
  ): SourceReply<VersionCopy | null> {
    const { reason, at, job } = order;
    return this.about(order, content => versionOf(content, reason, at, order.read.stored.notes.rules, job));
  }

  /** Null for a source without a baseline. */
  describe(order: SourceOrder): SourceReply<DescribedSource | null> {
    const { notes } = order.read.stored;
    return this.about(order, ({ baseline }) => baseline && describeSource(baseline, notes, this.settings));
  }

  /** Fields that rules name and no batch of the source had; none for a source without a baseline. */
  unknownFields(order: SourceOrder & { document: RulesDocument }): SourceReply<MissingField[]> {
    const rules = parseRules(order.document, unchecked);
    return this.about(order, ({ baseline }) =>
      baseline === null ? [] : missingFields(rules, new Set(baseline.fields.keys())),
    );
  }

  /** The statistics of a field, or of the batch as a whole, over the last batches. */
  trend(order: SourceOrder & TrendOrder): SourceReply<TrendResult> {
    const { key, read, field, unlearned } = order;
    return this.about(order, ({ baseline }) => {
      const settings = settingsIn(read.stored.notes.settings);
      const { settleAfter, falseAlarmRate } = settledOptions(settings, this.settings.defaultMode);
      const history = baseline && this.sources.history(key, baseline, settleAfter);
      const line = history ? surpriseAtWarn(history, falseAlarmRate) : () => 0;
      const batches = [
        ...(baseline?.recent ?? []).map(batch => ({ ...batch, learned: true })),
        ...unlearned.map(state => ({ ...statisticsOf(decodeState(state)), learned: false })),
      ].sort((a, b) => (a.id < b.id ? -1 : 1));
      return {
        batches: batches.map(({ id, at, verdict, learned }) => ({ id, at, verdict, learned })),
        trends: trendsIn(baseline, batches, { field, settleAfter, surpriseAtWarn: line }),
      };
    });
  }

  // ---- What is about no source ----

  /** A state as it is admitted to a history: no longer provisional. */
  admitted({ kept }: { kept: Uint8Array }): StoredState {
    const state = { ...decodeState(kept), provisional: false };
    return { id: state.id, state: encodeState(state) };
  }

  /** What a copied baseline holds, and its record. Throws DamagedBytes. */
  openCopy({ copy }: { copy: Uint8Array }): OpenedCopy {
    const bytes = Bun.zstdDecompressSync(copy as Uint8Array<ArrayBuffer>);
    const { batches, rows, recent } = decodeRecord(bytes);
    return { bytes, batches, rows, recent: recent.map(({ id }) => id) };
  }

  /** Throws `Rejection` INVALID_RULES. */
  checkPatterns({ document }: { document: RulesDocument }): void {
    compilePatterns(parseRules(document, unchecked));
  }

  /** Rules for what batches had in common. */
  suggest({ batches, rules }: SuggestOrder): Suggested {
    const seen = batches.map(({ rows, at, profile }) => {
      const { fields } = JSON.parse(profile) as ProfileDescription;
      return { rows, at, fields };
    });
    const known = rules === null ? [] : parseRules(rules, unchecked).constraints.map(({ rule }) => rule);
    return suggestRules(seen, new Set(known));
  }

  /** Reads a document in JSON or YAML, and imports it. Throws `Rejection` INVALID_RULES. */
  importDocument({ bytes, format, table }: ImportOrder): Imported {
    return importRules(format, readRules(bytes), table);
  }

  protected about<Result>(
    { key, read }: SourceOrder,
    answer: (content: Content) => Result,
  ): SourceReply<Result> {
    const content = this.sources.content(key, read);
    const result = content === NOT_HELD ? NOT_HELD : answer(content);
    return { result, known: this.sources.known(key) };
  }
}
