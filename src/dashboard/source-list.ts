/** The list of sources: what is known of each, which ones are shown, and in which order. The choice is in the address. */
import type { BaselineEntry, Incident, SourceStatistics, Verdict } from './contract.ts';
import { VERDICTS } from '../terms/verdict.ts';

export interface Source {
  name: string;
  /** Null if no job of the source is left, or if it is not among the 1,000 that were screened last. */
  totals: SourceStatistics | null;
  baseline: BaselineEntry | null;
  /** Null unless it is open. */
  incident: Incident | null;
}

export const SORTS = { trouble: 'trouble', name: 'name', last: 'last batch', rows: 'rows' } as const;
export type Sort = keyof typeof SORTS;

export interface Choice {
  /** Part of a name, an owner or a tag. */
  search: string;
  sort: Sort;
  verdict: Verdict | null;
  /** Only sources with an open incident. */
  isOpen: boolean;
  owner: string | null;
  tag: string | null;
}

export const EVERYTHING: Choice = {
  search: '',
  sort: 'trouble',
  verdict: null,
  isOpen: false,
  owner: null,
  tag: null,
};

/** The choice in the query of an address. What is not known there is left out. */
export function choiceIn(query: string): Choice {
  const parameters = new URLSearchParams(query);
  const sort = parameters.get('sort');
  return {
    search: parameters.get('search') ?? '',
    sort: sort !== null && Object.hasOwn(SORTS, sort) ? (sort as Sort) : 'trouble',
    verdict: VERDICTS.find(each => each === parameters.get('verdict')) ?? null,
    isOpen: parameters.get('incident') === 'open',
    owner: parameters.get('owner'),
    tag: parameters.get('tag'),
  };
}

/** The inverse of `choiceIn`, without what is chosen by default. */
export function queryOf({ search, sort, verdict, isOpen, owner, tag }: Choice): string {
  const given = {
    ...(search && { search }),
    ...(sort !== EVERYTHING.sort && { sort }),
    ...(verdict && { verdict }),
    ...(isOpen && { incident: 'open' }),
    ...(owner !== null && { owner }),
    ...(tag !== null && { tag }),
  };
  return new URLSearchParams(given).toString();
}

/** Sources with jobs, sources with only a baseline, and sources with only an incident. */
export function joined(
  statistics: readonly SourceStatistics[],
  baselines: readonly BaselineEntry[],
  incidents: readonly Incident[],
): Source[] {
  const totals = new Map(statistics.map(each => [each.source, each]));
  const entries = new Map(baselines.map(each => [each.source, each]));
  const open = new Map(incidents.map(each => [each.source, each]));
  return [...new Set([...totals.keys(), ...entries.keys(), ...open.keys()])].map(name => ({
    name,
    totals: totals.get(name) ?? null,
    baseline: entries.get(name) ?? null,
    incident: open.get(name) ?? null,
  }));
}

export function shownOf(sources: readonly Source[], choice: Choice): Source[] {
  const wanted = choice.search.trim().toLowerCase();
  return sources
    .filter(source => isChosen(source, choice) && (wanted === '' || isFound(source, wanted)))
    .sort((a, b) => ORDERS[choice.sort](a, b) || byName(a, b));
}

const isChosen = ({ totals, baseline, incident }: Source, { verdict, isOpen, owner, tag }: Choice): boolean =>
  (verdict === null || totals?.lastStatus === verdict) &&
  (!isOpen || incident !== null) &&
  (owner === null || baseline?.owner === owner) &&
  (tag === null || (baseline?.tags?.includes(tag) ?? false));

const isFound = ({ name, baseline }: Source, wanted: string): boolean =>
  [name, baseline?.owner ?? '', ...(baseline?.tags ?? [])].some(text => text.toLowerCase().includes(wanted));

/** All owners, or all tags, of the sources. */
export const valuesIn = (sources: readonly Source[], of: 'owner' | 'tags'): string[] =>
  [...new Set(sources.flatMap(({ baseline }) => baseline?.[of] ?? []))].sort();

const byName = (a: Source, b: Source): number => (a.name < b.name ? -1 : 1);

const ORDERS: Record<Sort, (a: Source, b: Source) => number> = {
  trouble: (a, b) => troubleOf(a) - troubleOf(b) || byTrouble(a.totals, b.totals),
  name: byName,
  last: (a, b) => lastOf(b) - lastOf(a),
  rows: (a, b) => (b.totals?.totalRows ?? 0) - (a.totals?.totalRows ?? 0),
};

const lastOf = ({ totals, baseline }: Source): number =>
  Date.parse(totals?.lastRun ?? baseline?.last_seen ?? '') || 0;

/** Open incidents first: BLOCK before WARN, and what somebody has seen to last. Then sources without one. */
const troubleOf = ({ incident }: Source): number => (incident ? rankOf(incident) : RANKS);
const RANKS = 4;

/** BLOCK before WARN; what somebody has seen to comes last. */
export const rankOf = (incident: Incident): number =>
  (isSeenTo(incident) ? 2 : 0) + (incident.verdict === 'BLOCK' ? 0 : 1);

const isSeenTo = (incident: Incident): boolean =>
  incident.acknowledged_at !== null || incident.accepted_at !== null || isSnoozed(incident);

export const isSnoozed = ({ snoozed_until: until }: Incident): boolean =>
  until !== null && Date.parse(until) > Date.now();

type Counts = Pick<SourceStatistics, 'blockCount' | 'warnCount' | 'avgHealthPct'>;
const NO_TROUBLE: Counts = { blockCount: 0, warnCount: 0, avgHealthPct: 100 };

/** The most BLOCKs first, then the most WARNs, then the lowest health. */
export function byTrouble(a: Counts | null, b: Counts | null): number {
  const [one, other] = [a ?? NO_TROUBLE, b ?? NO_TROUBLE];
  return (
    other.blockCount - one.blockCount ||
    other.warnCount - one.warnCount ||
    one.avgHealthPct - other.avgHealthPct
  );
}
