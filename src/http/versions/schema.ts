/** Requests and answers of /v1/schema/{source}/versions, /changes and /rollback. */
import { Type } from '@sinclair/typebox';
import { VERSION_REASONS } from '../../baseline/version.ts';
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
} from '../../report-schema/values.ts';
import { MAX_INTEGER } from '../../options/options.ts';
import { CHANGE_ACTIONS } from '../../stores/ports.ts';

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

export const VersionList = Type.Object(
  { source: SOURCE, versions: Type.Array(Version) },
  { $id: 'VersionList' },
);

export const RolledBack = Type.Object(
  { ok: flag('true'), source: SOURCE, version: NUMBER, ...SIZE, message: text('What happened, for people') },
  { $id: 'RolledBack' },
);

export const RollbackRequest = Type.Object({ version: NUMBER }, { $id: 'RollbackRequest' });

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
export const SourceChangeList = Type.Object(
  { source: SOURCE, changes: Type.Array(SourceChange) },
  { $id: 'SourceChangeList' },
);
