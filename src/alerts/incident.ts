/**
 * How an incident begins, goes on and ends. Pure: batches in, the incident and what is to be said of it out. A source that
 * turns from PASS is one incident; it takes up further batches and ends with the first one that passes.
 */
import { DAY_MS } from '../time/durations.ts';
import type { BadBatch, Incident } from '../stores/ports.ts';

export type IncidentEvent = 'incident.opened' | 'incident.updated' | 'incident.resolved';

/** The batch that ends an incident. */
export interface Passed {
  job: string;
  /** 0 to 1. */
  healthScore: number;
}

/** What an incident has become, and what is to be said; null: nothing. */
export interface Step {
  incident: Incident;
  event: IncidentEvent | null;
  /** Null while the incident is open. */
  passed: Passed | null;
}

/**
 * Takes up batches of one source that did not pass, oldest first. `last`: the newest incident of the source. `newId`: of a new
 * one. An opening is said at once; later batches only where the verdict becomes BLOCK, after somebody accepted one, or once a day.
 * What a snooze held back is said with the first batch after it.
 */
export function takeUp(
  last: Incident | null,
  batches: readonly BadBatch[],
  now: number,
  newId: () => string,
): Step {
  const open = last?.status === 'open' ? last : null;
  const incident = batches.reduce(added, open ?? opened(batches[0]!, last, newId()));
  const event = isQuiet(incident, now) ? null : eventOf(incident, now);
  return { incident: event ? told(incident, now) : incident, event, passed: null };
}

/** A new incident without its batch. What is snoozed is the source: a snooze outlasts the incident. */
function opened(first: BadBatch, last: Incident | null, id: string): Incident {
  const { account, source, verdict, at, job, healthScore, reason } = first;
  return {
    id,
    account,
    source,
    status: 'open',
    verdict,
    openedAt: at,
    resolvedAt: null,
    batches: 0,
    firstJob: job,
    lastJob: job,
    lastAt: at,
    lastVerdict: verdict,
    healthScore,
    reason,
    acknowledgedAt: null,
    snoozedUntil: last?.snoozedUntil ?? null,
    accepted: null,
    toldAt: null,
    toldVerdict: null,
    tellNext: null,
    version: 0,
  };
}

function added(incident: Incident, batch: BadBatch): Incident {
  const { job, verdict, at, healthScore, reason } = batch;
  const isAfterAccept = at > (incident.accepted?.at ?? at);
  const changed: Incident = {
    ...incident,
    batches: incident.batches + 1,
    verdict: verdict === 'BLOCK' ? verdict : incident.verdict,
    accepted: isAfterAccept ? null : incident.accepted,
    tellNext: tellNextOf(incident, verdict, isAfterAccept),
  };
  // Batches of several processes may arrive in another order than they were screened.
  if (job < incident.lastJob) return changed;
  return { ...changed, lastJob: job, lastAt: at, lastVerdict: verdict, healthScore, reason };
}

/** Who accepted a batch expects the next one to pass, or at least to be less grave. */
function tellNextOf(
  { verdict, tellNext }: Incident,
  ofBatch: Incident['verdict'],
  isAfterAccept: boolean,
): Incident['tellNext'] {
  if (ofBatch === 'BLOCK' && verdict === 'WARN') return 'any';
  if (!isAfterAccept && tellNext !== 'gravest') return tellNext;
  return ofBatch === verdict ? 'any' : 'gravest';
}

const isQuiet = ({ snoozedUntil }: Incident, now: number): boolean =>
  snoozedUntil !== null && snoozedUntil > now;

function eventOf(
  { toldAt, tellNext, accepted, acknowledgedAt }: Incident,
  now: number,
): IncidentEvent | null {
  if (toldAt === null) return 'incident.opened';
  if (tellNext === 'any') return 'incident.updated';
  const isReminded = accepted === null && acknowledgedAt === null && now - toldAt >= DAY_MS;
  return isReminded ? 'incident.updated' : null;
}

const told = (incident: Incident, now: number): Incident => ({
  ...incident,
  toldAt: now,
  toldVerdict: incident.verdict,
  tellNext: incident.tellNext === 'any' ? null : incident.tellNext,
});

/** Its source has passed again, with this batch. Who never heard of it does not hear of its end either. */
export const resolved = (incident: Incident, passed: Passed, now: number): Step => ({
  incident: { ...incident, status: 'resolved', resolvedAt: now, lastJob: passed.job, accepted: null },
  event: incident.toldAt === null ? null : 'incident.resolved',
  passed,
});
