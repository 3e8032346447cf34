/**
 * How many bytes a report, a profile and a trend may have, and what is left out of larger ones. Verdict, health, reason and counts are made
 * from all findings before, so what is left out changes none of them.
 *
 * A report has several lists whose length the batch decides. Each list that needs less than an equal share gets what it needs, the others
 * share the rest (max-min fairness), so no list is crowded out. A list keeps its gravest entries.
 */
import { byName } from '../names/by-name.ts';
import type { Anomaly, DriftEvent, Issues, LeftOut, Quarantine, Severity } from '../report-schema/report.ts';
import type { Finding } from '../findings/kinds.ts';
import { rankOf } from '../findings/severity.ts';
import { penaltyOf } from '../judge/health.ts';
import type { Schema } from '../profile/schema.ts';
import { issuesIn } from './lists.ts';

/** Bytes of JSON in UTF-8. */
export const MAX_REPORT_BYTES = 1536 * 1024;
/** Of report and profile together, as a job keeps and answers them. */
export const MAX_JOB_BYTES = 2048 * 1024;
/** Of each of the two parts of a trend. */
export const MAX_TREND_BYTES = 128 * 1024;

/** A violated rule shows a description, a pattern and a sample, of a thousand characters each, and its path three times more. */
const VIOLATION_ENTRIES = 4;

/**
 * An entry has at most so many bytes, and a finding shows its name in six lists at most, each of its characters as `\u0001` at worst. The
 * numbers of rows in quarantine have at most half of a report. So nearly all batches are spared the measuring.
 */
const ENTRY_BYTES = 8 * 1024;
const NAME_FACTOR = 36;

/** Bytes of a value as JSON, with the comma behind it. */
const bytesOf = (value: unknown): number => bytesIn(JSON.stringify(value));
const bytesIn = (json: string): number => Buffer.byteLength(json) + 1;

/** A list that can be cut: the bytes of its entries, the gravest first. Each is measured once, and only when it is asked for. */
interface Sizes {
  length: number;
  at(index: number): number;
}

function sizesOf<Entry>(entries: readonly Entry[], bytes: (entry: Entry) => number = bytesOf): Sizes {
  const known: number[] = [];
  return { length: entries.length, at: index => (known[index] ??= bytes(entries[index]!)) };
}

const membersOf = (names: readonly string[], members: Record<string, unknown>): Sizes =>
  sizesOf(names, name => bytesOf(name) + bytesOf(members[name]));

/** How many of the first entries fit into `room`, and what they take. */
function fitInto(sizes: Sizes, room: number): { kept: number; bytes: number } {
  let bytes = 0;
  for (let kept = 0; kept < sizes.length; kept++) {
    const more = sizes.at(kept);
    if (bytes + more > room) return { kept, bytes };
    bytes += more;
  }
  return { kept: sizes.length, bytes };
}

/** How many of the first entries of each list, so that all together take at most `room` bytes. */
function shared<List extends string>(lists: Record<List, Sizes>, room: number): Record<List, number> {
  const kept = {} as Record<List, number>;
  const needs: { name: List; sizes: Sizes; bytes: number }[] = [];
  for (const [name, sizes] of Object.entries(lists) as [List, Sizes][]) {
    const { kept: whole, bytes } = fitInto(sizes, room);
    // A list that exceeds the room by itself needs more than any share.
    needs.push({ name, sizes, bytes: whole < sizes.length ? Number.POSITIVE_INFINITY : bytes });
  }
  let [left, count] = [room, needs.length];
  for (const { name, sizes } of needs.sort((a, b) => a.bytes - b.bytes)) {
    const found = fitInto(sizes, Math.floor(left / count--));
    kept[name] = found.kept;
    left -= found.bytes;
  }
  return kept;
}

const bySeverity = (a: { severity: Severity }, b: { severity: Severity }): number =>
  rankOf(b.severity) - rankOf(a.severity);

export const gravestFirst = (a: Finding, b: Finding): number =>
  bySeverity(a, b) || penaltyOf(b) - penaltyOf(a);

/** Those of the list that are among the `kept`, in the list's order. */
function among<Entry>(list: readonly Entry[], kept: readonly Entry[]): Entry[] {
  const shown = new Set(kept);
  return list.filter(entry => shown.has(entry));
}

/** Bytes of what the issues list of one finding. Names that are repeated are a list of their own. */
function issueBytes(finding: Finding): number {
  const { duplicate_fields: _, ...issues } = issuesIn([finding]) ?? {};
  return bytesOf(issues);
}

/** The lists of a report. */
export interface Lists {
  schema: Schema;
  issues: Issues | undefined;
  drift: DriftEvent[];
  anomalies: Anomaly[];
  quarantine: Quarantine | null;
  untracked: string[];
}

/** The lists as they fit into MAX_REPORT_BYTES beside `rest`, all else of the report. */
export function boundedLists(
  lists: Lists,
  findings: readonly Finding[],
  rest: object,
): { lists: Lists; leftOut: LeftOut | null } {
  const { schema, quarantine, untracked } = lists;
  const names = Object.keys(schema);
  if (fitsSurely(names, findings, untracked)) return { lists, leftOut: null };
  const { reasons, rows, whole_batch } = quarantine ?? NO_QUARANTINE;
  const duplicates = lists.issues?.duplicate_fields ?? [];
  const inOrder = findings.toSorted(gravestFirst);
  const events = lists.drift.toSorted(bySeverity);
  const found = inOrder.flatMap(({ field }) => (field !== null && field in schema ? [field] : []));
  const fields = [...new Set([...found, ...names])];
  const kept = shared(
    {
      issues: sizesOf(inOrder, issueBytes),
      drift: sizesOf(events),
      schema: membersOf(fields, schema),
      reasons: sizesOf(reasons),
      whole_batch: sizesOf(whole_batch),
      duplicates: sizesOf(duplicates),
      untracked: sizesOf(untracked),
    },
    MAX_REPORT_BYTES - bytesOf({ ...rest, rows, anomalies: lists.anomalies }) - MEMBERS_BYTES,
  );
  const shown = inOrder.slice(0, kept.issues);
  const issues = issuesOf(findings, shown, duplicates.slice(0, kept.duplicates));
  const bounded: Lists = {
    ...lists,
    schema: only(schema, fields.slice(0, kept.schema)),
    issues,
    drift: among(lists.drift, events.slice(0, kept.drift)),
    quarantine: quarantine && {
      ...quarantine,
      reasons: reasons.slice(0, kept.reasons),
      rows: rows.map(([row, places]) => [row, places.filter(place => place < kept.reasons)]),
      whole_batch: whole_batch.slice(0, kept.whole_batch),
    },
    untracked: untracked.slice(0, kept.untracked),
  };
  return { lists: bounded, leftOut: leftOutOf(lists, bounded) };
}

/** Issues of the `shown` findings, with these `duplicates` if there are any. */
function issuesOf(
  findings: readonly Finding[],
  shown: readonly Finding[],
  duplicates: string[],
): Issues | undefined {
  const kept = new Set(shown);
  const issues = issuesIn(
    findings.filter(finding => kept.has(finding) || finding.kind === 'duplicate_fields'),
  );
  if (issues?.duplicate_fields) issues.duplicate_fields = duplicates;
  return issues;
}

const NO_QUARANTINE: Quarantine = { count: 0, reasons: [], rows: [], whole_batch: [] };

function fitsSurely(names: string[], findings: readonly Finding[], untracked: string[]): boolean {
  let longest = 0;
  for (const name of names) longest = Math.max(longest, name.length);
  let entries = names.length + findings.length + untracked.length;
  for (const finding of findings) {
    longest = Math.max(longest, finding.field?.length ?? 0);
    if (finding.kind === 'unchecked_rules') entries++;
    if (finding.kind !== 'rule_violation') continue;
    longest = Math.max(longest, finding.evidence.rule.length);
    entries += VIOLATION_ENTRIES;
  }
  return entries * (ENTRY_BYTES + NAME_FACTOR * longest) < MAX_REPORT_BYTES / 2;
}

/** The members of these names, in their order. */
function only<Value>(members: Record<string, Value>, names: readonly string[]): Record<string, Value> {
  const kept = new Set(names);
  return byName(Object.entries(members).filter(([name]) => kept.has(name)));
}

/** Names of members, brackets, `left_out`. */
const MEMBERS_BYTES = 1024;

/** How many entries of each list are missing; null where none is. */
function leftOutOf(whole: Lists, bounded: Lists): LeftOut | null {
  const counts: [keyof LeftOut, (lists: Lists) => number][] = [
    ['schema', ({ schema }) => Object.keys(schema).length],
    ['issues', ({ issues }) => countIssues(issues)],
    ['drift', ({ drift }) => drift.length],
    ['quarantine', ({ quarantine: q }) => (q ? q.reasons.length + q.whole_batch.length : 0)],
    ['untracked_fields', ({ untracked }) => untracked.length],
  ];
  const missing = counts
    .map(([list, count]) => [list, count(whole) - count(bounded)] as const)
    .filter(([, count]) => count > 0);
  return missing.length === 0 ? null : Object.fromEntries(missing);
}

function countIssues(issues: Issues = {}): number {
  const { row_count_anomaly, ragged_rows, new_enum_value_rows: _, outlier_fields: __, ...lists } = issues;
  const entries = Object.values(lists).reduce((sum, list) => sum + Object.keys(list).length, 0);
  return entries + Number(row_count_anomaly !== undefined) + Number(ragged_rows !== undefined);
}

// ---- what a job keeps besides ----

/** The first members of an object that fit into `room` bytes, those of `first` before the others, as JSON, and how many do not. */
export function boundedMembers<Value>(
  members: Record<string, Value>,
  room: number,
  first: Iterable<string> = [],
): { json: string; leftOut: number } {
  const names = Object.keys(members);
  if (names.length <= FEW_MEMBERS) {
    // Nearly always. One text takes less time than one for each member.
    const json = JSON.stringify(members);
    if (2 * bytesIn(json) < room) return { json, leftOut: 0 };
  }
  const inOrder = [...new Set([...first, ...names])].filter(name => name in members);
  const { kept } = fitInto(membersOf(inOrder, members), room);
  const left = kept === names.length ? members : only(members, inOrder.slice(0, kept));
  return { json: JSON.stringify(left), leftOut: names.length - kept };
}

const FEW_MEMBERS = 200;

/** The gravest entries that fit into `room` bytes of JSON, in their order. */
export function boundedEvents<Entry extends { severity: Severity }>(
  events: readonly Entry[],
  room: number,
): readonly Entry[] {
  const inOrder = events.toSorted(bySeverity);
  const { kept } = fitInto(sizesOf(inOrder), room);
  return among(events, inOrder.slice(0, kept));
}
