/** What a report lists in `issues`, as schemas. */
import { type Static, Type } from '@sinclair/typebox';
import { FIELD_SIGN_NAMES } from '../signs/sign.ts';
import { ROWS_LISTED, SIGN_SAMPLES } from '../terms/policy.ts';
import { VALUE_TYPES } from '../profile/profile.ts';
import { SIGNS } from '../table/sign.ts';
import { byName, count, flag, share, text, word } from './values.ts';

export const ISSUE_SEVERITIES = ['warning', 'critical'] as const;

const severity = word(
  ISSUE_SEVERITIES,
  '`warning` above the warn threshold, `critical` above the block threshold',
);
export const anySeverity = word(['info', ...ISSUE_SEVERITIES], 'How grave it is');

/** A flag that is absent where it is false. */
export const onlyTrue = (description: string) => Type.Unsafe<true>(flag(description));

export const rowNumber = Type.Integer({ minimum: 0 });
export const ROWS = Type.Array(rowNumber, {
  maxItems: ROWS_LISTED,
  description:
    'The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats)',
});

/** Beside `rows`. */
export const SPAN = Type.Object(
  { first_row: rowNumber, last_row: rowNumber },
  {
    $id: 'RowSpan',
    description:
      'Of a batch of more than 10,000 rows: the stretch to which the finding is confined, numbered as `rows` are; absent where it is spread over the batch',
  },
);

const MISMATCH = {
  expected: word(VALUE_TYPES, "The baseline's type, or the most frequent one"),
  found: Type.Array(word(VALUE_TYPES, 'A type'), { description: 'Other types that were found' }),
  sample_value: Type.Optional(
    Type.Unknown({
      description:
        'One value of another type. Absent from a kept job where no values are kept (`STORE_VALUES=false`)',
    }),
  ),
  rate: share('Share of the non-null values'),
  rows: Type.Optional(ROWS),
  span: Type.Optional(SPAN),
};

export const TypeMismatchDetail = Type.Object({ ...MISMATCH, severity }, { $id: 'TypeMismatchDetail' });
export const SlightTypeMismatch = Type.Object(MISMATCH, { $id: 'SlightTypeMismatch' });

export const NullRateDetail = Type.Object(
  {
    actual: share('Share of the rows without a value'),
    threshold: share('The threshold that was crossed'),
    severity,
    rows: Type.Optional({
      ...ROWS,
      description: `${ROWS.description}. Only where the field normally has a value`,
    }),
    span: Type.Optional(SPAN),
  },
  { $id: 'NullRateDetail' },
);

export const OutlierSummary = Type.Object(
  {
    count: count('Values outside the outer Tukey fences'),
    min: Type.Optional(
      Type.Number({ description: 'The smallest of them. Absent from a kept job where no values are kept' }),
    ),
    max: Type.Optional(
      Type.Number({ description: 'The largest of them. Absent from a kept job where no values are kept' }),
    ),
    severity: anySeverity,
    rows: Type.Optional(ROWS),
    span: Type.Optional(SPAN),
  },
  { $id: 'OutlierSummary' },
);

export const RaggedRows = Type.Object(
  {
    count: count('CSV records whose cell count is not that of the header'),
    rate: share('Share of the rows'),
    first_line: Type.Integer({
      minimum: 0,
      description: 'Line of the first one, from 1; 0 in a batch of several files',
    }),
    cells: Type.Optional(
      Type.Object({
        first: count('Cells of the first one'),
        header: count('Names of the header'),
      }),
    ),
    ends_early: Type.Optional(
      onlyTrue('The last row has too few cells and no end of line: the upload may have been cut'),
    ),
    severity: anySeverity,
    rows: Type.Optional(ROWS),
    span: Type.Optional(SPAN),
  },
  { $id: 'RaggedRows' },
);

export const LayoutIssue = Type.Object(
  {
    sign: word(SIGNS, 'What was seen; docs/layout.md explains each'),
    count: count('Records that show it; 1 of a header'),
    lines: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: ROWS_LISTED,
        description: 'CSV: the first lines that show it, from 1',
      }),
    ),
    rows: Type.Optional({
      ...ROWS,
      description: `${ROWS.description}. Only where they are no rows of the table`,
    }),
    detail: text('One sentence: what it is, and what to do'),
    severity,
  },
  { $id: 'LayoutIssue' },
);

export const SignIssue = Type.Object(
  {
    sign: word(FIELD_SIGN_NAMES, 'What was seen; docs/signs.md explains each'),
    field: text('Name of the field'),
    count: count('Values that show it; 1 of a name'),
    rate: Type.Optional(share('Share of the values that are not null; of `spreadsheet_null` of the rows')),
    sample_values: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: SIGN_SAMPLES,
        description:
          'The first of them, each cut at 64 characters. Absent from a kept job where no values are kept',
      }),
    ),
    rows: Type.Optional(ROWS),
    detail: text('One sentence: what it is, and what to do'),
    severity: word(['info', 'warn'], '`info` where such values are often right'),
  },
  { $id: 'SignIssue' },
);

export const RuleViolation = Type.Object(
  {
    rule: text('Path of the rule in the document of rules, such as `fields.quantity.minimum`'),
    field: text('Name of the field; `*` for the batch as a whole'),
    kind: text('What the rule is about, such as `minimum`'),
    expected: Type.Optional(
      Type.Unknown({
        description:
          'What is demanded; at most 20 values of an enumeration, which are absent from a kept job where no values are kept',
      }),
    ),
    count: count('Rows that fail; 1 where the batch fails as a whole'),
    rate: share('Share of the rows that the rule is about; 1 where the batch fails as a whole'),
    sample_value: Type.Optional(
      Type.Unknown({
        description:
          'The value of the first row that fails (of several fields an object), or what was measured. Absent from a kept job where no values are kept',
      }),
    ),
    rows: Type.Optional(ROWS),
    span: Type.Optional(SPAN),
    severity: word(['warn', 'block'], 'As the rule says'),
    description: Type.Optional(text('As the rule says')),
  },
  { $id: 'RuleViolation' },
);

/** A field that rules name and that does not exist. */
export const MISSING_FIELD = {
  field: text('Name of the field'),
  rules: Type.Array(Type.String(), {
    description: 'Paths of rules that name it: the first five, each cut at 200 characters',
  }),
  count: count('Rules that name it'),
  meant: Type.Optional(text('An existing field with a similar name')),
};

export const UncheckedRules = Type.Object(
  {
    ...MISSING_FIELD,
    severity: word(['info', 'warn'], '`info` where earlier batches usually lacked the field'),
  },
  { $id: 'UncheckedRules' },
);

export const Issues = Type.Object(
  {
    type_mismatches: Type.Optional(byName(TypeMismatchDetail, 'Fields with values of unexpected type')),
    slight_type_mismatches: Type.Optional(
      byName(
        SlightTypeMismatch,
        'Fields with values of unexpected type, in a share below the warn threshold: they lower health in proportion',
      ),
    ),
    null_rates: Type.Optional(byName(NullRateDetail, 'Fields with a high null rate')),
    outliers: Type.Optional(byName(OutlierSummary, 'Number fields with outliers')),
    outlier_fields: Type.Optional(Type.Array(Type.String(), { description: 'The names in `outliers`' })),
    duplicate_fields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names that are repeated, or differ only in case, spaces, `_` or `-`',
      }),
    ),
    row_count_anomaly: Type.Optional(onlyTrue('Whether the row count is anomalous; absent when it is not')),
    new_enum_values: Type.Optional(
      byName(
        Type.Array(Type.String()),
        'New values of fields that had few, at most 20 a field, cut at 64 characters',
      ),
    ),
    new_enum_value_rows: Type.Optional(byName(ROWS, 'Rows with new values, by field')),
    ragged_rows: Type.Optional(RaggedRows),
    layout: Type.Optional(
      Type.Array(LayoutIssue, {
        description:
          'Signs that what was read is not the table that was sent, such as a title that was taken for the header',
      }),
    ),
    signs: Type.Optional(
      Type.Array(SignIssue, {
        description:
          'Signs that values or names were damaged before they came, such as dates that do not exist',
      }),
    ),
    rule_violations: Type.Optional(
      Type.Array(RuleViolation, { description: 'Declared rules that do not hold, the gravest first' }),
    ),
    unchecked_rules: Type.Optional(
      Type.Array(UncheckedRules, {
        description: 'Declared rules that check nothing, by the field that they name and no row has',
      }),
    ),
  },
  { $id: 'Issues', description: 'Present members have something to report' },
);

export type TypeMismatchDetail = Static<typeof TypeMismatchDetail>;
export type NullRateDetail = Static<typeof NullRateDetail>;
export type OutlierSummary = Static<typeof OutlierSummary>;
export type RaggedRows = Static<typeof RaggedRows>;
export type LayoutIssue = Static<typeof LayoutIssue>;
export type SignIssue = Static<typeof SignIssue>;
export type RuleViolation = Static<typeof RuleViolation>;
export type Issues = Static<typeof Issues>;

/** The first rows of a finding, ascending, at most ROWS_LISTED. */
export type RowNumbers = number[];
/** From where to where it goes, both included. */
export type RowNumberSpan = Static<typeof SPAN>;
/** A severity as `issues` and `quarantine` spell it. */
export type RowSeverity = OutlierSummary['severity'];
export type IssueSeverity = Exclude<RowSeverity, 'info'>;
