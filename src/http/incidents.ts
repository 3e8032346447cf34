/** /v1/incidents: sources that do not pass, or did not. */
import { Elysia } from 'elysia';
import { acknowledge, type AlertDependencies, snooze } from '../alerts/account-alerts.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { Incident } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime, dateTimeOrNull } from './date-time.ts';
import { ACKNOWLEDGE_INCIDENT, LIST_INCIDENTS, SNOOZE_INCIDENT } from './documents/incidents.ts';
import { PAGE } from './jobs.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { queryAlertId, queryInteger, querySource, queryWord } from './parameters.ts';

export interface IncidentRouteDependencies extends CallerDependencies, UploadLimits, AlertDependencies {}

const INCIDENTS = '/v1/incidents';
const INCIDENT = `${INCIDENTS}/:id`;

/** Elysia gives null for invalid percent-encoding, which names nothing. */
type Context = { request: Request; params: { id?: string } };

export const incidentRoutes = (deps: IncidentRouteDependencies) =>
  new Elysia()
    .get(
      INCIDENTS,
      async ({ request }) => {
        const { account } = await callerOf(request, deps);
        const found = await deps.alerts.incidents(account.id, {
          limit: queryInteger(request, 'limit', PAGE),
          before: queryAlertId(request, 'before', 'inc'),
          status: queryWord(request, 'status', STATUSES),
          source: querySource(request, 'source'),
        });
        return { incidents: found.map(entryOf) };
      },
      { detail: LIST_INCIDENTS },
    )
    .all(INCIDENTS, otherMethods('GET, HEAD'))
    .post(
      `${INCIDENT}/acknowledge`,
      async ({ request, params }: Context) => {
        const { account } = await callerOf(request, deps);
        return entryOf(await acknowledge(account.id, params.id ?? '', deps));
      },
      { parse: 'none', detail: ACKNOWLEDGE_INCIDENT },
    )
    .all(`${INCIDENT}/acknowledge`, otherMethods('POST'))
    .post(
      `${INCIDENT}/snooze`,
      async ({ request, params }: Context) => {
        const { account } = await callerOf(request, deps);
        return entryOf(await snooze(account.id, params.id ?? '', await jsonBody(request, deps), deps));
      },
      { parse: 'none', detail: SNOOZE_INCIDENT },
    )
    .all(`${INCIDENT}/snooze`, otherMethods('POST'));

const STATUSES = ['open', 'resolved'] as const;

const entryOf = (incident: Incident) => ({
  id: incident.id,
  source: incident.source,
  status: incident.status,
  verdict: incident.verdict,
  opened_at: dateTime(incident.openedAt),
  resolved_at: dateTimeOrNull(incident.resolvedAt),
  batches: incident.batches,
  first_job: incident.firstJob,
  last_job: incident.lastJob,
  last_at: dateTime(incident.lastAt),
  health_score: incident.healthScore,
  reason: incident.reason,
  acknowledged_at: dateTimeOrNull(incident.acknowledgedAt),
  snoozed_until: dateTimeOrNull(incident.snoozedUntil),
  accepted_at: dateTimeOrNull(incident.accepted?.at),
  accepted_by: incident.accepted?.by ?? null,
});
