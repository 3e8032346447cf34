/** API description of /v1/schema/{source}/versions and /rollback. */
import { Type } from '@sinclair/typebox';
import { VERSION_REASONS } from '../../baseline/version.ts';
import { MAX_INTEGER } from '../../options/options.ts';
import { MAX_VERSIONS } from '../../stores/ports.ts';
import { answer, json, operation } from './operation.ts';
import { SOURCE_IN_PATH } from './parameters.ts';
import { CALLER, JSON_BODY, NO_ROOM, refusals } from './refusals.ts';
import { BLOCKED } from './examples.ts';
import {
  count,
  dateTime,
  flag,
  integer,
  JOB_ID,
  largeCount,
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
