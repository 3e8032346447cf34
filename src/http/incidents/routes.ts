/** /v1/incidents: sources that do not pass, or did not. */
import {
  acknowledge,
  type AlertDependencies,
  findIncident,
  MAX_SNOOZE_DAYS,
  snooze,
} from '../../alerts/account-alerts.ts';
import type { Incident as StoredIncident } from '../../stores/ports.ts';
import { dateTime, dateTimeOrNull } from '../date-time.ts';
import { answer, idOf } from '../documents/operation.ts';
import { integer, optional, PAGE, sourceName, wordSchema } from '../parameters.ts';
import { route } from '../route.ts';
import { EXAMPLE, Incident, INCIDENT_ID, IncidentList, Snooze, STATUSES } from './schema.ts';

/** What the routes of one incident share. */
const ONE = { tag: 'Alerts', params: idOf('incident', EXAMPLE.id), refusals: ['NOT_FOUND'] } as const;
const NO_INCIDENT = { NOT_FOUND: `The account has no incident '${EXAMPLE.id}'` };

const list = route('GET /v1/incidents', {
  operationId: 'listIncidents',
  tag: 'Alerts',
  summary: 'List incidents',
  description:
    'Newest first. An incident begins with a batch that does not pass, takes up further ones of its source, and ends with the first that passes.',
  query: {
    status: optional('Only incidents with this status: open or resolved', wordSchema(STATUSES)),
    source: sourceName('Only incidents of this source'),
    limit: integer('Incidents per page', PAGE),
    before: optional(
      'Only incidents older than this id: pass the last id of a page to get the next page',
      INCIDENT_ID,
    ),
  },
  answers: { 200: answer('The incidents', IncidentList, { incidents: { incidents: [EXAMPLE] } }) },
  handle: async ({ caller, query }, deps: AlertDependencies) => ({
    incidents: (await deps.alerts.incidents(caller.account.id, query)).map(entryOf),
  }),
});

const find = route('GET /v1/incidents/:id', {
  ...ONE,
  operationId: 'findIncident',
  summary: 'Get an incident',
  answers: { 200: answer('The incident', Incident, { open: EXAMPLE }) },
  messages: NO_INCIDENT,
  handle: async ({ caller, id }, deps: AlertDependencies) =>
    entryOf(await findIncident(caller.account.id, id, deps)),
});

const acknowledgeOne = route('POST /v1/incidents/:id/acknowledge', {
  ...ONE,
  operationId: 'acknowledgeIncident',
  summary: 'Acknowledge an incident',
  description: 'Ends its daily reminders. All other messages are still sent.',
  answers: {
    200: answer('The incident', Incident, {
      acknowledged: { ...EXAMPLE, acknowledged_at: '2026-11-21T12:40:00.000Z' },
    }),
  },
  messages: NO_INCIDENT,
  handle: async ({ caller, id }, deps: AlertDependencies) =>
    entryOf(await acknowledge(caller.account.id, id, deps)),
});

const snoozeOne = route('POST /v1/incidents/:id/snooze', {
  ...ONE,
  operationId: 'snoozeIncident',
  summary: 'Snooze an incident',
  description:
    'Nothing is sent of the source before that time, but for the end of an incident that was sent before. A snooze outlasts the incident: new ones of the source are silent too. What was held back is sent with the first bad batch after it.',
  body: { schema: Snooze, examples: { day: { until: '2026-11-22T12:00:00.000Z' } } },
  answers: {
    200: answer('The incident', Incident, {
      snoozed: { ...EXAMPLE, snoozed_until: '2026-11-22T12:00:00.000Z' },
    }),
  },
  messages: {
    ...NO_INCIDENT,
    INVALID_PARAMETER: `until must be a time within the next ${MAX_SNOOZE_DAYS} days, such as 2026-11-22T12:00:00.000Z, or null to end the snooze`,
  },
  handle: async ({ caller, id, body }, deps: AlertDependencies) =>
    entryOf(await snooze(caller.account.id, id, body.until, deps)),
});

const entryOf = (incident: StoredIncident) => ({
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

export const incidentRoutes = [list, find, acknowledgeOne, snoozeOne];
