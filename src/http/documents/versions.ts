/** API description of /v1/schema/{source}/versions and /rollback. */
import { Type } from '@sinclair/typebox';
import { VERSION_REASONS } from '../../baseline/version.ts';
import { MAX_INTEGER } from '../../options/options.ts';
import { CHANGE_ACTIONS, MAX_VERSIONS } from '../../stores/ports.ts';
import { answer, json, operation } from './operation.ts';
import { integerInQuery, SOURCE_IN_PATH } from './parameters.ts';
import { CALLER, JSON_BODY, NO_ROOM, refusals } from './refusals.ts';
import { BLOCKED } from './examples.ts';
import {
  count,
  dateTime,
  flag,
  integer,
  JOB_ID,
  largeCount,
  orNull,
  SOURCE,
  text,
  word,
} from '../../contract/values.ts';

const NUMBER = integer('Number of the version', 1, MAX_INTEGER);
const SIZE = { batches: count('Number of batches learned'), rows: largeCount('Number of rows learned') };

const Version = Type.Object(
  {
    version: NUMBER,
    made_at: dateTime('When it was stored'),
    reason: word(
      VERSION_REASONS,
      '`learned`: stored from time to time while the baseline learns; others: stored just before that change',
    ),
    job_id: Type.Optional(JOB_ID),
    ...SIZE,
    rules_version: Type.Optional(
      integer(
        'Version of the rules that held, 0 for none; versions of older releases lack it',
        0,
        MAX_INTEGER,
      ),
    ),
  },
  { $id: 'Version' },
);

const VersionList = Type.Object({ source: SOURCE, versions: Type.Array(Version) }, { $id: 'VersionList' });

const RolledBack = Type.Object(
  { ok: flag('true'), source: SOURCE, version: NUMBER, ...SIZE, message: text('What happened, for people') },
  { $id: 'RolledBack' },
);

const BAD_SOURCE = { INVALID_PARAMETER: 'The source in the address must not be blank' };

export const LIST_VERSIONS = operation({
  operationId: 'listVersions',
  tags: ['Baselines'],
  summary: 'List stored versions of a baseline',
  description: `Newest first, at most ${MAX_VERSIONS}. Versions survive a reset.`,
  parameters: [SOURCE_IN_PATH],
  responses: {
    200: answer('The versions', VersionList, {
      versions: {
        source: 'orders',
        versions: [
          {
            version: 2,
            made_at: '2026-11-21T12:12:45.455Z',
            reason: 'before_accept',
            job_id: BLOCKED.request_id,
            batches: 41,
            rows: 49200,
          },
          {
            version: 1,
            made_at: '2026-11-20T12:12:44.011Z',
            reason: 'learned',
            batches: 16,
            rows: 19200,
          },
        ],
      },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], BAD_SOURCE),
  },
});

export const ROLL_BACK = operation({
  operationId: 'rollBack',
  tags: ['Baselines'],
  summary: 'Roll back to a version',
  description:
    'The current baseline is stored as a version first, so you can undo the rollback. Settings and pin stay. The rules of then hold again, if they are still kept.',
  parameters: [SOURCE_IN_PATH],
  requestBody: {
    required: true,
    content: json(Type.Object({ version: NUMBER }, { $id: 'RollbackRequest' }), { second: { version: 2 } }),
  },
  responses: {
    200: answer('The baseline is rolled back', RolledBack, {
      second: {
        ok: true,
        source: 'orders',
        version: 2,
        batches: 41,
        rows: 49200,
        message: "The baseline of 'orders' is version 2 again",
      },
    }),
    ...refusals(['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', ...JSON_BODY, ...CALLER], {
      ...NO_ROOM,
      INVALID_PARAMETER: `version must be the number of a version, from 1 to ${MAX_INTEGER}`,
      NOT_FOUND: "The source 'orders' has no version 7",
    }),
  },
});

const SourceChange = Type.Object(
  {
    at: dateTime('When'),
    action: word(CHANGE_ACTIONS, 'What was done'),
    by: text('Who did it, as it was then: the address of a person, or name and first letters of an API key'),
    key_id: orNull(text('Id of the API key; null: a person who was signed in')),
    job_id: Type.Optional(JOB_ID),
    detail: Type.Optional(
      text('Of `settings` the names of those that changed, of `rules` and `rolled_back` the version'),
    ),
    version_before: Type.Optional(
      integer('The version that was stored just before: to roll back to it undoes this', 1, MAX_INTEGER),
    ),
  },
  { $id: 'SourceChange' },
);
const SourceChangeList = Type.Object(
  { source: SOURCE, changes: Type.Array(SourceChange) },
  { $id: 'SourceChangeList' },
);

export const LIST_CHANGES = operation({
  operationId: 'listSourceChanges',
  tags: ['Baselines'],
  summary: 'List what people and programs changed',
  description: 'Newest first. An account keeps its last 10,000 changes.',
  parameters: [SOURCE_IN_PATH, integerInQuery('limit', 'Changes', { min: 1, max: 200, fallback: 50 })],
  responses: {
    200: answer('The changes', SourceChangeList, {
      changes: {
        source: 'orders',
        changes: [
          {
            at: '2026-11-21T12:12:45.455Z',
            action: 'accepted',
            by: 'ann@corp.com',
            key_id: null,
            job_id: BLOCKED.request_id,
            version_before: 2,
          },
          {
            at: '2026-11-20T12:12:44.011Z',
            action: 'settings',
            by: 'nightly load (sluice_live_4fJ2…)',
            key_id: 'key_2a67f63ac37db5fbefff385d',
            detail: 'mode, thresholds',
          },
        ],
      },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], BAD_SOURCE),
  },
});
