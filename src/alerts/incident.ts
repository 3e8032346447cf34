/**
 * How an incident begins, goes on and ends. Pure: batches in, the incident and what is to be said of it out. A source that
 * turns from PASS is one incident; it takes up further batches and ends with the first one that passes.
 */
import { DAY_MS } from '../durations.ts';
import type { BadBatch, Incident } from '../stores/ports.ts';

export type IncidentEvent = 'incident.opened' | 'incident.updated' | 'incident.resolved';

/** What an incident has become, and what is to be said; null: nothing. */
export interface Step {
  incident: Incident;
  event: IncidentEvent | null;
}

/**
 * Takes up batches of one source that did not pass, oldest first. `last`: the newest incident of the source. `newId`: of a new
 * one. An opening is said at once; later batches only where the verdict becomes BLOCK, after somebody accepted one, or once a day.
 */
export function takeUp(
  last: Incident | null,
  batches: readonly BadBatch[],
  now: number,
  newId: () => string,
): Step {
  const open = last?.status === 'open' ? last : null;
  const incident = batches.reduce(added, open ?? opened(batches[0]!, last, newId()));
  const event = isQuiet(incident, now) ? null : eventOf(open, incident, now);
  return { incident: event ? { ...incident, toldAt: now } : incident, event };
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
    healthScore,
    reason,
    acknowledgedAt: null,
    snoozedUntil: last?.snoozedUntil ?? null,
    accepted: null,
    toldAt: null,
    version: 0,
  };
}

function added(incident: Incident, { job, verdict, at, healthScore, reason }: BadBatch): Incident {
  const batches = incident.batches + 1;
  const gravest = verdict === 'BLOCK' ? verdict : incident.verdict;
  const isInVain = verdict === gravest && at > (incident.accepted?.at ?? at);
  const accepted = isInVain ? null : incident.accepted;
  // Batches of several processes may arrive in another order than they were screened.
  if (job < incident.lastJob) return { ...incident, batches, verdict: gravest, accepted };
  return { ...incident, batches, verdict: gravest, accepted, lastJob: job, lastAt: at, healthScore, reason };
}

const isQuiet = ({ snoozedUntil }: Incident, now: number): boolean =>
  snoozedUntil !== null && snoozedUntil > now;

function eventOf(
  before: Incident | null,
  { verdict, accepted }: Incident,
  now: number,
): IncidentEvent | null {
  if (before === null || before.toldAt === null) return 'incident.opened';
  if (verdict !== before.verdict) return 'incident.updated';
  // Who accepted a batch expects the next one to pass.
  if (before.accepted !== null) return accepted === null ? 'incident.updated' : null;
  const isReminded = before.acknowledgedAt === null && now - before.toldAt >= DAY_MS;
  return isReminded ? 'incident.updated' : null;
}

/** Its source has passed again, with this job. Who never heard of it does not hear of its end either. */
export const resolved = (incident: Incident, job: string, now: number): Step => ({
  incident: { ...incident, status: 'resolved', resolvedAt: now, lastJob: job, accepted: null },
  event: incident.toldAt === null ? null : 'incident.resolved',
});
