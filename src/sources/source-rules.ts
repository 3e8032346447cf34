/**
 * The rules of a source, and their history. Rules over ports. Each change gets the next version, and is kept with who made it and
 * what it changed; the documents of earlier versions are kept while they have room.
 */
import type { Baselines } from './baselines.ts';
import type { BaselineEditor } from './editor.ts';
import { quoted, Rejection } from '../terms/errors.ts';
import type { RulesDocument } from '../rules/declared/document.ts';
import { parseRules, unchecked } from '../rules/declared/parse.ts';
import { type StoredRules, storedRules } from '../rules/declared/parsed-rules.ts';
import type { Bounds, ChangeStore } from '../stores/ports.ts';
import { shortened } from '../terms/wording.ts';

export interface SourceRulesDependencies {
  editor: Pick<BaselineEditor, 'setRules' | 'rulesPast'>;
  baselines: Pick<Baselines, 'notes'>;
  changes: Pick<ChangeStore, 'add'>;
  now: () => number;
}

export const CHANGE_REASONS = ['put', 'deleted', 'imported', 'rolled_back'] as const;
export type ChangeReason = (typeof CHANGE_REASONS)[number];

/** One change, as stored and in the API. */
export interface RulesChange {
  version: number;
  at: string;
  /** Id of the API key; null: a person who was signed in. */
  by: string | null;
  reason: ChangeReason;
  /** Single rules after the change. */
  count: number;
  /** Paths of single rules, at most MAX_PATHS each. */
  added: string[];
  removed: string[];
  changed: string[];
  /** The document of the version, while it has room. Of the newest one it is not kept twice. */
  rules?: RulesDocument | null;
}

export const MAX_CHANGES = 20;
/** Characters of all kept changes as JSON. Past them the oldest documents go, then the oldest changes. */
export const MAX_PAST = 512 * 1024;
export const MAX_PATHS = 50;
/** Characters of each. */
export const MAX_PATH = 200;

export interface RulesReference {
  account: string;
  bounds: Bounds;
  source: string;
  /** Id of the API key; null: a session. */
  by: string | null;
  /** Who that is, in words: `who` of `Identity`. */
  who: string;
}

/** The rules that hold; null: none. */
export async function rulesOf(
  { account, source }: Pick<RulesReference, 'account' | 'source'>,
  { baselines }: Pick<SourceRulesDependencies, 'baselines'>,
): Promise<(StoredRules & { rules: RulesDocument }) | null> {
  const stored = storedRules((await baselines.notes(account, source)).rules);
  return stored?.rules ? { ...stored, rules: stored.rules } : null;
}

/**
 * Replaces the rules; null deletes them. The same rules again change nothing. `ifVersion`: only where the rules have this version; 0: where there
 * never were any. Throws `Rejection` SERVICE_UNAVAILABLE, VERSION_CONFLICT, and the bounds' refusal.
 */
export async function changeRules(
  { account, source, by, who, bounds }: RulesReference,
  rules: RulesDocument | null,
  reason: ChangeReason,
  deps: SourceRulesDependencies,
  ifVersion?: number,
): Promise<StoredRules> {
  const at = deps.now();
  let [held, isChanged]: [StoredRules | null, boolean] = [null, false];
  const change = async (before: string | null) => {
    const stored = storedRules(before) ?? { version: 0, updated_at: '', rules: null };
    [held, isChanged] = [stored, false];
    if (JSON.stringify(stored.rules) === JSON.stringify(rules)) return null;
    if (ifVersion !== undefined && ifVersion !== stored.version)
      throw conflict(source, stored.version, ifVersion);
    const version = stored.version + 1;
    const next = { version, updated_at: new Date(at).toISOString(), rules };
    const note = { version, at: next.updated_at, by, reason, ...difference(stored.rules, rules) };
    const past = pastWith(await changesOf({ account, source }, deps), stored, note);
    [held, isChanged] = [next, true];
    return { after: JSON.stringify(next), past: JSON.stringify(past) };
  };
  // Whoever has no room left may delete.
  await deps.editor.setRules(account, source, change, at, rules === null ? undefined : bounds);
  const detail = String(held!.version);
  if (isChanged) await deps.changes.add(account, { source, action: 'rules', at, by: who, key: by, detail });
  return held!;
}

const conflict = (source: string, version: number, asked: number): Rejection =>
  new Rejection(
    'VERSION_CONFLICT',
    `The rules of ${quoted(source)} have version ${version}, not ${asked}: read them again and repeat the change`,
  );

/** Newest first. */
export async function changesOf(
  { account, source }: Pick<RulesReference, 'account' | 'source'>,
  { editor }: Pick<SourceRulesDependencies, 'editor'>,
): Promise<RulesChange[]> {
  const past = await editor.rulesPast(account, source);
  return past === null ? [] : (JSON.parse(past) as RulesChange[]);
}

/** Brings back the rules of an earlier version. False if their document is no longer kept: the rules stay as they are. */
export async function restoreRules(
  reference: RulesReference,
  version: number,
  deps: SourceRulesDependencies,
): Promise<boolean> {
  const stored = storedRules((await deps.baselines.notes(reference.account, reference.source)).rules);
  if ((stored?.version ?? 0) === version) return true;
  const found = (await changesOf(reference, deps)).find(change => change.version === version);
  const rules = version === 0 ? null : found?.rules;
  if (rules === undefined) return false;
  await changeRules(reference, rules, 'rolled_back', deps);
  return true;
}

/** The document of the version before moves to its change. */
function pastWith(changes: readonly RulesChange[], before: StoredRules, change: RulesChange): RulesChange[] {
  const [last, ...older] = changes;
  const kept = last ? [change, { ...last, rules: before.rules }, ...older] : [change];
  const past = kept.slice(0, MAX_CHANGES).map(sized);
  const size = () => past.reduce((sum, each) => sum + each.size, 0);
  for (let i = past.length - 1; i > 0 && size() > MAX_PAST; i--) {
    const { rules: _, ...rest } = past[i]!.change;
    past[i] = sized(rest);
  }
  while (size() > MAX_PAST) past.pop();
  return past.map(({ change: each }) => each);
}

const sized = (change: RulesChange) => ({ change, size: JSON.stringify(change).length + 1 });

function difference(before: RulesDocument | null, after: RulesDocument | null) {
  const [old, now] = [singleRules(before), singleRules(after)];
  const paths = (of: ReadonlyMap<string, string>, is: (path: string) => boolean) =>
    Array.from([...of.keys()].filter(is).slice(0, MAX_PATHS), path => shortened(path, MAX_PATH - 1));
  return {
    count: now.size,
    added: paths(now, path => !old.has(path)),
    removed: paths(old, path => !now.has(path)),
    changed: paths(now, path => old.has(path) && old.get(path) !== now.get(path)),
  };
}

const singleRules = (document: RulesDocument | null): Map<string, string> =>
  new Map(
    (document === null ? [] : parseRules(document, unchecked).constraints).map(constraint => [
      constraint.rule,
      JSON.stringify(constraint),
    ]),
  );
