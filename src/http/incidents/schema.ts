/** Requests and answers of /v1/incidents. */
import { Type } from '@sinclair/typebox';
import { MAX_SNOOZE_DAYS } from '../../alerts/account-alerts.ts';
import {
  checkedBy,
  count,
  dateTime,
  JOB_ID,
  orNull,
  share,
  SOURCE,
  text,
  word,
} from '../../report-schema/values.ts';
import { instantOf } from '../../time/instant.ts';
import { alertId } from '../parameters.ts';

export const STATUSES = ['open', 'resolved'] as const;
export const INCIDENT_ID = alertId('inc', 'Id of the incident; ids sort by time');

export const Incident = Type.Object(
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

export const EXAMPLE = {
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

export const IncidentList = Type.Object({ incidents: Type.Array(Incident) }, { $id: 'IncidentList' });

export const Snooze = Type.Object(
  {
    until: checkedBy<string | null>(
      // The handler knows how far away it may be.
      value => value === null || (typeof value === 'string' && instantOf(value) !== null),
      `a time within the next ${MAX_SNOOZE_DAYS} days, or null to end the snooze`,
      {
        type: ['string', 'null'],
        format: 'date-time',
        description: `Within the next ${MAX_SNOOZE_DAYS} days; null ends the snooze`,
      },
    ),
  },
  { $id: 'SnoozeRequest' },
);
