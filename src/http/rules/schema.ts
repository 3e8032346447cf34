/** Answers of /v1/schema/{source}/rules. */
import { Type } from '@sinclair/typebox';
import {
  count,
  dateTime,
  flag,
  integer,
  largeCount,
  SOURCE,
  text,
  word,
} from '../../report-schema/values.ts';
import { MISSING_FIELD } from '../../report-schema/issues.ts';
import { MAX_INTEGER } from '../../options/options.ts';
import { RulesDocument } from '../../rules/declared/document.ts';
import { MAX_UNSUPPORTED } from '../../rules/interchange/draft.ts';
import { MAX_SUGGESTIONS } from '../../rules/suggest.ts';
import { CHANGE_REASONS, MAX_PATH, MAX_PATHS } from '../../sources/source-rules.ts';

const VERSION = integer('Number of the version of the rules', 1, MAX_INTEGER);
const UPDATED_AT = dateTime('When they were changed');

const UNKNOWN_FIELDS = Type.Optional(
  Type.Array(Type.Object(MISSING_FIELD), {
    description:
      'Fields that the rules name but no batch of the source had; their names may be misspelt. Absent if there are none, or if the source has no baseline',
  }),
);

export const SourceRules = Type.Object(
  { source: SOURCE, rules: RulesDocument, version: VERSION, updated_at: UPDATED_AT },
  { $id: 'SourceRules' },
);

export const ChangedRules = Type.Composite([SourceRules, Type.Object({ unknown_fields: UNKNOWN_FIELDS })], {
  $id: 'ChangedRules',
});

const paths = (what: string) =>
  Type.Array(Type.String(), {
    maxItems: MAX_PATHS,
    description: `Paths of rules that were ${what}, each cut at ${MAX_PATH} characters`,
  });

const RulesChange = Type.Object(
  {
    version: VERSION,
    at: UPDATED_AT,
    by: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Id of the API key that changed them; null: a person who was signed in',
    }),
    reason: word(CHANGE_REASONS, 'How they were changed'),
    count: count('Single rules after the change'),
    added: paths('added'),
    removed: paths('removed'),
    changed: paths('changed'),
  },
  { $id: 'RulesChange' },
);

export const ImportedRules = Type.Object(
  {
    source: SOURCE,
    rules: RulesDocument,
    unsupported: Type.Array(
      Type.Object({
        path: text('Its path in the document'),
        reason: text('Why there is no rule for it'),
      }),
      {
        description: `What has no counterpart in rules: at most ${MAX_UNSUPPORTED} entries, and one that counts the others`,
      },
    ),
    unknown_fields: UNKNOWN_FIELDS,
    version: Type.Optional(VERSION),
    updated_at: Type.Optional(UPDATED_AT),
  },
  { $id: 'ImportedRules' },
);

export const RULES = {
  description: 'Orders of the shop',
  fields: {
    order_id: { nullable: false, unique: true, pattern: '^ORD-[0-9]+$' },
    quantity: { type: 'integer', minimum: 1, maximum: 999, tolerance: 0.01 },
  },
  rows: { min: 1 },
};
export const STORED = { version: 2, updated_at: '2026-11-22T12:12:45.455Z' };
export const SuggestedRules = Type.Object(
  {
    source: SOURCE,
    rules: RulesDocument,
    evidence: Type.Array(
      Type.Object({
        rule: text('Path of the rule'),
        field: text('Name of its field'),
        constraint: text('Name of the constraint'),
        reason: text('What it rests on, for people'),
        batches: count('Batches that were looked at'),
        rows: largeCount('Their rows'),
      }),
      { maxItems: MAX_SUGGESTIONS, description: 'One for each rule' },
    ),
    left_out: Type.Optional(count('Suggestions that are left out; absent: none')),
  },
  { $id: 'SuggestedRules' },
);

export const RulesDeleted = Type.Object({ ok: flag('true'), source: SOURCE }, { $id: 'RulesDeleted' });

export const RulesChangeList = Type.Object(
  { source: SOURCE, changes: Type.Array(RulesChange) },
  { $id: 'RulesChangeList' },
);
