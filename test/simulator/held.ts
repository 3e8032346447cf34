/** What the stores hold at the end of a run. */
import { monthOf } from '../../src/account/period.ts';
import type { SourceSummary } from '../../src/baseline/edit.ts';
import type { BaselineRecord } from '../../src/baseline/record.ts';
import type { Content } from '../../src/baseline/source-content.ts';
import type { Job } from '../../src/stores/ports.ts';
import { ACCOUNT } from './files.ts';
import { now, type Simulator } from './simulator.ts';
import { START } from './world.ts';

export const PERIOD = monthOf(START).start;

export interface Held {
  jobs: { job: Job; report: string }[];
  /** Rows and requests of this run. */
  ledger: { rows: number; requests: number };
  /** Gates that were killed. */
  kills: number;
  /** Batches that each baseline holds, by source. */
  baselines: Map<string, Learned[]>;
}

export interface Learned {
  id: string;
  isAccepted: boolean;
}

export function heldBy(
  simulator: Simulator,
  sources: readonly string[],
  usedRows: number,
  kills: number,
): Held {
  const { jobs, ledger } = simulator;
  const { id } = ACCOUNT;
  const found = now(jobs.list(id, { limit: 1000 })).map(job => {
    const { document } = now(jobs.find(id, job.id))!;
    return { job, report: (document as { report: string }).report };
  });
  const { rows, requests } = now(ledger.usage(id, PERIOD));
  const baselines = new Map(sources.map(source => [source, learnedIn(simulator.content(source))]));
  return { jobs: found, ledger: { rows: rows - usedRows, requests }, kills, baselines };
}

/** What a baseline holds: what was merged, and the tail without a provisional batch. */
export function learnedIn({ folded, states }: Pick<Content, 'folded' | 'states'>): Learned[] {
  const open = states.filter(({ provisional }) => !provisional);
  return [...mergedIn(folded?.recent ?? []), ...open.map(({ id }) => ({ id, isAccepted: false }))];
}

/** The same as a process sees it. */
export function learnedBy({ baseline }: SourceSummary): Learned[] {
  return baseline === null || baseline.provisional ? [] : baseline.recent;
}

export const mergedIn = (recent: BaselineRecord['recent']): Learned[] =>
  recent.map(({ id, accepted }) => ({ id, isAccepted: accepted === true }));
