/** API description of /v1/incidents. */
import { Type } from '@sinclair/typebox';
import { MAX_SNOOZE_DAYS } from '../../alerts/account-alerts.ts';
import { count, dateTime, JOB_ID, orNull, share, SOURCE, text, word } from '../../contract/values.ts';
import { PAGE } from '../jobs.ts';
import { answer, json, operation, type Parameter } from './operation.ts';
import { integerInQuery, sourceInQuery } from './parameters.ts';
import { CALLER, JSON_BODY, refusals } from './refusals.ts';

const STATUSES = ['open', 'resolved'] as const;
export const INCIDENT_ID = Type.String({
  pattern: '^inc_[0-7][0-9A-HJKMNP-TV-Z]{25}$',
  description: 'Id of the incident; ids sort by time',
});

const Incident = Type.Object(
  {
    id: INCIDENT_ID,
    source: SOURCE,
    status: word(STATUSES, 'Resolved: the newest batch of the source passed'),
    verdict: word(['WARN', 'BLOCK'], 'The gravest of its batches'),
    opened_at: dateTime('When the first of its batches was screened'),
    resolved_at: orNull(dateTime('When it was resolved; null while it is open')),
    batches: count('Batches that did not pass'),
    first_job: JOB_ID,
    last_job: JOB_ID,
    last_at: dateTime('When the newest batch that did not pass was screened'),
    health_score: share('Of that batch'),
    reason: text('Of that batch'),
    acknowledged_at: orNull(dateTime('When somebody acknowledged it; null: nobody has')),
    snoozed_until: orNull(dateTime('Nothing is sent before; null: it is not snoozed')),
    accepted_at: orNull(
      dateTime(
        'When somebody accepted a batch of the source as the new normal; null: nobody has since its newest batch, or it was undone',
      ),
    ),
    accepted_by: orNull(
      text('Who that was: the address of a person, or name and first letters of an API key'),
    ),
  },
  { $id: 'Incident' },
);

const EXAMPLE = {
  id: 'inc_01KAHZ8V3N2Q4R5S6T7V8W9XYZ',
  source: 'orders',
  status: 'open',
  verdict: 'BLOCK',
  opened_at: '2026-11-21T12:00:00.000Z',
  resolved_at: null,
  batches: 3,
  first_job: 'req_01KAHZ8V3N2Q4R5S6T7V8W9XYA',
  last_job: 'req_01KAHZ8V3N2Q4R5S6T7V8W9XYB',
  last_at: '2026-11-21T12:30:00.000Z',
  health_score: 0.42,
  reason: 'Blocked: amount has 60% nulls, usually 0%',
  acknowledged_at: null,
  snoozed_until: null,
  accepted_at: null,
  accepted_by: null,
};

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the incident',
  schema: Type.String({ minLength: 1 }),
  example: EXAMPLE.id,
};
const NO_INCIDENT = { NOT_FOUND: `The account has no incident '${EXAMPLE.id}'` };

export const LIST_INCIDENTS = operation({
  operationId: 'listIncidents',
  tags: ['Alerts'],
  summary: 'List incidents',
  description:
    'Newest first. An incident begins with a batch that does not pass, takes up further ones of its source, and ends with the first that passes.',
  parameters: [
    {
      name: 'status',
      in: 'query',
      required: false,
      description: 'Only incidents with this status: open or resolved',
      schema: Type.String({ pattern: `^(${STATUSES.join('|')})$` }),
    },
    sourceInQuery('source', 'Only incidents of this source'),
    integerInQuery('limit', 'Incidents per page', PAGE),
    {
      name: 'before',
      in: 'query',
      required: false,
      description: 'Only incidents older than this id: pass the last id of a page to get the next page',
      schema: INCIDENT_ID,
    },
  ],
  responses: {
    200: answer('The incidents', Type.Object({ incidents: Type.Array(Incident) }, { $id: 'IncidentList' }), {
      incidents: { incidents: [EXAMPLE] },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], {
      INVALID_PARAMETER: "status must be open or resolved, not 'closed'",
    }),
  },
});

export const ACKNOWLEDGE_INCIDENT = operation({
  operationId: 'acknowledgeIncident',
  tags: ['Alerts'],
  summary: 'Acknowledge an incident',
  description: 'Ends its daily reminders. All other messages are still sent.',
  parameters: [ID],
  responses: {
    200: answer('The incident', Incident, {
      acknowledged: { ...EXAMPLE, acknowledged_at: '2026-11-21T12:40:00.000Z' },
    }),
    ...refusals(['NOT_FOUND', ...CALLER], NO_INCIDENT),
  },
});

const Snooze = Type.Object(
  {
    until: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: `Within the next ${MAX_SNOOZE_DAYS} days; null ends the snooze`,
    }),
  },
  { $id: 'SnoozeRequest' },
);

export const SNOOZE_INCIDENT = operation({
  operationId: 'snoozeIncident',
  tags: ['Alerts'],
  summary: 'Snooze an incident',
  description:
    'Nothing is sent of the source before that time, but for the end of an incident that was sent before. A snooze outlasts the incident: new ones of the source are silent too. What was held back is sent with the first bad batch after it.',
  parameters: [ID],
  requestBody: { required: true, content: json(Snooze, { day: { until: '2026-11-22T12:00:00.000Z' } }) },
  responses: {
    200: answer('The incident', Incident, {
      snoozed: { ...EXAMPLE, snoozed_until: '2026-11-22T12:00:00.000Z' },
    }),
    ...refusals([...JSON_BODY, 'NOT_FOUND', ...CALLER], {
      ...NO_INCIDENT,
      INVALID_PARAMETER: `until must be a time within the next ${MAX_SNOOZE_DAYS} days, such as 2026-11-22T12:00:00.000Z, or null to end the snooze`,
      UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON: send Content-Type: application/json',
      PAYLOAD_TOO_LARGE: 'Too large: a body may have at most 65,536 bytes',
      INVALID_JSON: 'The body must be one JSON text in UTF-8',
    }),
  },
});
