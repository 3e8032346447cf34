/**
 * Types of the service's requests and answers. Generated from its OpenAPI document by `npm run contract`; do not edit.
 *
 * A field may have the name `constructor` or `__proto__`: look names up with `Object.hasOwn`.
 */

/** For programs; the message is for people */
export type ErrorCode =
  | 'AUTH_INVALID'
  | 'BATCH_FINISHED'
  | 'BATCH_LIMIT'
  | 'BATCH_OF_WINDOW'
  | 'BILLING_NOT_CONFIGURED'
  | 'CHANNEL_LIMIT'
  | 'CLAIM_CONFLICT'
  | 'IDEMPOTENCY_CONFLICT'
  | 'INTERNAL'
  | 'INVALID_ENCODING'
  | 'INVALID_JSON'
  | 'INVALID_OPTIONS'
  | 'INVALID_PARAMETER'
  | 'INVALID_ROWS'
  | 'INVALID_RULES'
  | 'KEY_IN_USE'
  | 'KEY_LIMIT'
  | 'MISSING_SOURCE'
  | 'NOT_FOUND'
  | 'PARTS_MISSING'
  | 'PART_CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'PLAN_LIMIT_EXCEEDED'
  | 'RATE_LIMITED'
  | 'REQUEST_TIMEOUT'
  | 'SERVICE_UNAVAILABLE'
  | 'SUBSCRIPTION_EXISTS'
  | 'TOO_LATE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VERSION_CONFLICT';

export interface Health {
  /** `ok` */
  status: string;
  /** Version of the API */
  version: string;
}

export interface Ready {
  /** `ready` */
  status: string;
  /** The stores that were checked */
  dependencies: string[];
}

/** Any names, any values */
export type Row = object;

/** If a value contradicts the default of its partner, the partner takes this value */
export interface Thresholds {
  /** A field with a greater share of rows without a value is a WARN. Absent: the setting of the source, else 0.3 */
  null_rate_warn?: number;
  /** The same for BLOCK. Absent: the setting of the source, else 0.7 */
  null_rate_block?: number;
  /** A field with a greater share of values of another type is a WARN. Absent: the setting of the source, else 0.05 */
  type_mismatch_warn?: number;
  /** The same for BLOCK. Absent: the setting of the source, else 0.2 */
  type_mismatch_block?: number;
  /** Health below which the verdict is WARN. Absent: the setting of the source, else 0.8 */
  health_warn?: number;
  /** Health below which the verdict is BLOCK. Absent: the setting of the source, else 0.5 */
  health_block?: number;
}

/** What must be true of a field */
export interface FieldRules {
  /** The field is in at least one row */
  required?: boolean | {
    /** The field is in at least one row */
    value: boolean;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** The type of its values, or a list of types */
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | Array<'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array'> | {
    /** The type of its values, or a list of types */
    value: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | Array<'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array'>;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** false: no row is without a value */
  nullable?: boolean | {
    /** false: no row is without a value */
    value: boolean;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** Share of the rows that may be without a value */
  max_null_rate?: number | {
    /** Share of the rows that may be without a value */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** No two rows have the same value */
  unique?: boolean | {
    /** No two rows have the same value */
    value: boolean;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** The smallest number allowed */
  minimum?: number | {
    /** The smallest number allowed */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** The largest number allowed */
  maximum?: number | {
    /** The largest number allowed */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** Numbers are above it */
  exclusive_minimum?: number | {
    /** Numbers are above it */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** Numbers are below it */
  exclusive_maximum?: number | {
    /** Numbers are below it */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** Numbers are multiples of it */
  multiple_of?: number | {
    /** Numbers are multiples of it */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** The values that are allowed */
  enum?: Array<string | number | boolean> | {
    /** The values that are allowed */
    value: Array<string | number | boolean>;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** Texts contain a match of this pattern, in the syntax of RE2 */
  pattern?: string | {
    /** Texts contain a match of this pattern, in the syntax of RE2 */
    value: string;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** Characters (Unicode code points) that a text has at least */
  min_length?: number | {
    /** Characters (Unicode code points) that a text has at least */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** Characters (Unicode code points) that a text has at most */
  max_length?: number | {
    /** Characters (Unicode code points) that a text has at most */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** What texts are */
  format?: 'date' | 'time' | 'date-time' | 'email' | 'uri' | 'uuid' | 'ipv4' | 'ipv6' | 'country' | 'currency' | {
    /** What texts are */
    value: 'date' | 'time' | 'date-time' | 'email' | 'uri' | 'uuid' | 'ipv4' | 'ipv6' | 'country' | 'currency';
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** How old the newest date may be: an ISO 8601 duration such as `PT24H` */
  max_age?: string | {
    /** How old the newest date may be: an ISO 8601 duration such as `PT24H` */
    value: string;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** No value is below, or above, that of the row before */
  monotonic?: 'increasing' | 'decreasing' | {
    /** No value is below, or above, that of the row before */
    value: 'increasing' | 'decreasing';
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** What a violation makes of the batch: `block` (default) or `warn` */
  severity?: 'warn' | 'block';
  /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
  tolerance?: number;
  /** The answer quotes it where the rule is violated */
  description?: string;
}

/** What must be true of the rows as a whole */
export interface RowRules {
  /** Rows that a batch has at least */
  min?: number | {
    /** Rows that a batch has at least */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** Rows that a batch has at most */
  max?: number | {
    /** Rows that a batch has at most */
    value: number;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** true: there are no other fields than those in `fields` */
  closed?: boolean | {
    /** true: there are no other fields than those in `fields` */
    value: boolean;
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** The answer quotes it where the rule is violated */
    description?: string;
  };
  /** No two rows have the same values in all fields of a list */
  unique?: Array<string[] | {
    /** Names of fields */
    value: string[];
    /** What a violation makes of the batch: `block` (default) or `warn` */
    severity?: 'warn' | 'block';
    /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
    tolerance?: number;
    /** The answer quotes it where the rule is violated */
    description?: string;
  }>;
  /** What a violation makes of the batch: `block` (default) or `warn` */
  severity?: 'warn' | 'block';
  /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
  tolerance?: number;
  /** The answer quotes it where the rule is violated */
  description?: string;
}

/** Two fields of a row, or a field and a constant */
export interface CompareRule {
  /** Name of a field */
  left: string;
  /** How both compare */
  op: '==' | '!=' | '<' | '<=' | '>' | '>=';
  /** The other field, or give `value` */
  right?: string;
  /** A constant: a number, a date or another text */
  value?: string | number | boolean;
  /** What a violation makes of the batch: `block` (default) or `warn` */
  severity?: 'warn' | 'block';
  /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
  tolerance?: number;
  /** The answer quotes it where the rule is violated */
  description?: string;
}

/** Rules that hold for some rows only */
export interface WhenRule {
  /** Which rows: one of `equals`, `in` and `null` */
  if: {
    /** Name of a field */
    field: string;
    /** It has this value */
    equals?: string | number | boolean;
    /** It has one of these values */
    in?: Array<string | number | boolean>;
    /** true: it has no value; false: it has one */
    null?: boolean;
  };
  then: {
    /** By name of the field */
    fields?: Record<string, FieldRules>;
    compare?: CompareRule[];
  };
  /** What a violation makes of the batch: `block` (default) or `warn` */
  severity?: 'warn' | 'block';
  /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
  tolerance?: number;
  /** The answer quotes it where the rule is violated */
  description?: string;
}

/** Bounds on a statistic of a field */
export interface StatisticRule {
  /** Name of a field */
  field: string;
  /** A statistic of the field, over all rows */
  statistic: 'null_rate' | 'number_share' | 'boolean_share' | 'object_share' | 'array_share' | 'string_share' | 'empty_rate' | 'true_share' | 'padded_share' | 'distinct_share' | 'top_value_share' | 'median' | 'mean' | 'quantile_1_16' | 'quartile_1' | 'quartile_3' | 'quantile_15_16' | 'interquartile_range' | 'standard_deviation' | 'max_distance' | 'min_distance' | 'outlier_share' | 'integer_share' | 'zero_share' | 'negative_share' | 'multiple_of_10_share' | 'one_decimal_share' | 'two_decimal_share' | 'sequence_completeness' | 'mean_length' | 'length_standard_deviation' | 'top_format_share' | 'distinct_format_share' | 'with_digit_share' | 'with_upper_share' | 'capitals_share' | 'missing_text_share' | 'with_space_share' | 'non_ascii_share' | 'email_share' | 'digit_share' | 'upper_share' | 'space_share' | 'date_share' | 'date_age' | 'date_range' | 'adjacent_equal_share' | 'adjacent_rising_share' | 'sum' | 'min' | 'max' | 'distinct_count';
  /** Its lower bound */
  minimum?: number;
  /** Its upper bound */
  maximum?: number;
  /** What a violation makes of the batch: `block` (default) or `warn` */
  severity?: 'warn' | 'block';
  /** The answer quotes it where the rule is violated */
  description?: string;
}

/** What must be true of a source */
export interface RulesDocument {
  /** By name of the field */
  fields?: Record<string, FieldRules>;
  rows?: RowRules;
  compare?: CompareRule[];
  when?: WhenRule[];
  statistics?: StatisticRule[];
  /** What a violation makes of the batch: `block` (default) or `warn` */
  severity?: 'warn' | 'block';
  /** Rows that may fail: a share below 1, a whole number from 1 on; default 0 */
  tolerance?: number;
  /** What the rules are for */
  description?: string;
}

/** Options for this batch */
export interface Options {
  /** Measure the values of all rows instead of a sample. Absent: false */
  full_scan?: boolean;
  /** Return every row to hold back in `quarantine`; implies a full scan. Absent: false */
  row_verdicts?: boolean;
  thresholds?: Thresholds;
  rules?: RulesDocument;
  /** Signs of damaged values and names that are looked for: all of them (`true`), none (`false`), or those that are named. Absent: all */
  signs?: boolean | Array<'odd_name' | 'similar_names' | 'replacement_character' | 'mojibake' | 'invisible_character' | 'spreadsheet_error' | 'impossible_date' | 'missing_offset' | 'two_day_orders' | 'rounded_ids' | 'cut_texts' | 'two_decimal_signs' | 'spreadsheet_null' | 'sentinel_date' | 'sentinel_number' | 'whole_decimals' | 'mixed_offset' | 'test_data'>;
  /** Only judge: learn, store and count nothing. Absent: false */
  dry_run?: boolean;
  /** Judge by past batches of the source alone (`adaptive`), or also by the documented thresholds (`contract`). `auto`: the setting of the source; if it has none, `contract` for rates of at least 20 cells until three batches were seen, then `adaptive`. Absent: the setting of the source, else of the server */
  mode?: 'contract' | 'adaptive' | 'auto';
  /** Share of clean batches that may be WARN because of their past, in both modes. Absent: the setting of the source, else 0.01 */
  false_alarm_rate?: number;
  /** Index of this chunk in a larger batch, from 0 or 1 */
  batch_index?: number;
  /** Number of chunks of the larger batch; if above 1, the row count is not judged */
  total_batches?: number;
}

/** Members may be in any order */
export interface ScreenRequest {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  rows: Row[];
  options?: Options;
}

export interface SchemaField {
  /** Dominant type; `null` without any value, `mixed` without a majority */
  type: 'number' | 'boolean' | 'object' | 'array' | 'string' | 'null' | 'mixed';
  /** Share of the non-null values that have the dominant type (of `mixed`, the most frequent) */
  confidence: number;
}

/** Of a batch of more than 10,000 rows: the stretch to which the finding is confined, numbered as `rows` are; absent where it is spread over the batch */
export interface RowSpan {
  first_row: number;
  last_row: number;
}

export interface TypeMismatchDetail {
  /** The baseline's type, or the most frequent one */
  expected: 'number' | 'boolean' | 'object' | 'array' | 'string';
  /** Other types that were found */
  found: Array<'number' | 'boolean' | 'object' | 'array' | 'string'>;
  /** One value of another type. Absent from a kept job where no values are kept (`STORE_VALUES=false`) */
  sample_value?: unknown;
  /** Share of the non-null values */
  rate: number;
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats) */
  rows?: number[];
  span?: RowSpan;
  /** `warning` above the warn threshold, `critical` above the block threshold */
  severity: 'warning' | 'critical';
}

export interface SlightTypeMismatch {
  /** The baseline's type, or the most frequent one */
  expected: 'number' | 'boolean' | 'object' | 'array' | 'string';
  /** Other types that were found */
  found: Array<'number' | 'boolean' | 'object' | 'array' | 'string'>;
  /** One value of another type. Absent from a kept job where no values are kept (`STORE_VALUES=false`) */
  sample_value?: unknown;
  /** Share of the non-null values */
  rate: number;
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats) */
  rows?: number[];
  span?: RowSpan;
}

export interface NullRateDetail {
  /** Share of the rows without a value */
  actual: number;
  /** The threshold that was crossed */
  threshold: number;
  /** `warning` above the warn threshold, `critical` above the block threshold */
  severity: 'warning' | 'critical';
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats). Only where the field normally has a value */
  rows?: number[];
  span?: RowSpan;
}

export interface OutlierSummary {
  /** Values outside the outer Tukey fences */
  count: number;
  /** The smallest of them. Absent from a kept job where no values are kept */
  min?: number;
  /** The largest of them. Absent from a kept job where no values are kept */
  max?: number;
  /** How grave it is */
  severity: 'info' | 'warning' | 'critical';
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats) */
  rows?: number[];
  span?: RowSpan;
}

export interface RaggedRows {
  /** CSV records whose cell count is not that of the header */
  count: number;
  /** Share of the rows */
  rate: number;
  /** Line of the first one, from 1; 0 in a batch of several files */
  first_line: number;
  cells?: {
    /** Cells of the first one */
    first: number;
    /** Names of the header */
    header: number;
  };
  /** The last row has too few cells and no end of line: the upload may have been cut */
  ends_early?: boolean;
  /** How grave it is */
  severity: 'info' | 'warning' | 'critical';
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats) */
  rows?: number[];
  span?: RowSpan;
}

export interface LayoutIssue {
  /** What was seen; docs/layout.md explains each */
  sign: 'no_header' | 'two_headers' | 'units_row' | 'blank_header' | 'blank_names' | 'one_column' | 'comment_lines' | 'header_repeated' | 'quote_spans_lines' | 'mark_inside' | 'space_before_quote' | 'backslash_escapes' | 'total_row' | 'trailing_notes' | 'blank_rows' | 'wrapped_rows' | 'error_message';
  /** Records that show it; 1 of a header */
  count: number;
  /** CSV: the first lines that show it, from 1 */
  lines?: number[];
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats). Only where they are no rows of the table */
  rows?: number[];
  /** One sentence: what it is, and what to do */
  detail: string;
  /** `warning` above the warn threshold, `critical` above the block threshold */
  severity: 'warning' | 'critical';
}

export interface SignIssue {
  /** What was seen; docs/signs.md explains each */
  sign: 'odd_name' | 'similar_names' | 'replacement_character' | 'mojibake' | 'invisible_character' | 'spreadsheet_error' | 'impossible_date' | 'missing_offset' | 'two_day_orders' | 'rounded_ids' | 'cut_texts' | 'two_decimal_signs' | 'spreadsheet_null' | 'sentinel_date' | 'sentinel_number' | 'whole_decimals' | 'mixed_offset' | 'test_data';
  /** Name of the field */
  field: string;
  /** Values that show it; 1 of a name */
  count: number;
  /** Share of the values that are not null; of `spreadsheet_null` of the rows */
  rate?: number;
  /** The first of them, each cut at 64 characters. Absent from a kept job where no values are kept */
  sample_values?: string[];
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats) */
  rows?: number[];
  /** One sentence: what it is, and what to do */
  detail: string;
  /** `info` where such values are often right */
  severity: 'info' | 'warn';
}

export interface RuleViolation {
  /** Path of the rule in the document of rules, such as `fields.quantity.minimum` */
  rule: string;
  /** Name of the field; `*` for the batch as a whole */
  field: string;
  /** What the rule is about, such as `minimum` */
  kind: string;
  /** What is demanded; at most 20 values of an enumeration, which are absent from a kept job where no values are kept */
  expected?: unknown;
  /** Rows that fail; 1 where the batch fails as a whole */
  count: number;
  /** Share of the rows that the rule is about; 1 where the batch fails as a whole */
  rate: number;
  /** The value of the first row that fails (of several fields an object), or what was measured. Absent from a kept job where no values are kept */
  sample_value?: unknown;
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats) */
  rows?: number[];
  span?: RowSpan;
  /** As the rule says */
  severity: 'warn' | 'block';
  /** As the rule says */
  description?: string;
}

export interface UncheckedRules {
  /** Name of the field */
  field: string;
  /** Paths of rules that name it: the first five, each cut at 200 characters */
  rules: string[];
  /** Rules that name it */
  count: number;
  /** An existing field with a similar name */
  meant?: string;
  /** `info` where earlier batches usually lacked the field */
  severity: 'info' | 'warn';
}

/** Present members have something to report */
export interface Issues {
  /** Fields with values of unexpected type */
  type_mismatches?: Record<string, TypeMismatchDetail>;
  /** Fields with values of unexpected type, in a share below the warn threshold: they lower health in proportion */
  slight_type_mismatches?: Record<string, SlightTypeMismatch>;
  /** Fields with a high null rate */
  null_rates?: Record<string, NullRateDetail>;
  /** Number fields with outliers */
  outliers?: Record<string, OutlierSummary>;
  /** The names in `outliers` */
  outlier_fields?: string[];
  /** Names that are repeated, or differ only in case, spaces, `_` or `-` */
  duplicate_fields?: string[];
  /** Whether the row count is anomalous; absent when it is not */
  row_count_anomaly?: boolean;
  /** New values of fields that had few, at most 20 a field, cut at 64 characters */
  new_enum_values?: Record<string, string[]>;
  /** Rows with new values, by field */
  new_enum_value_rows?: Record<string, number[]>;
  ragged_rows?: RaggedRows;
  /** Signs that what was read is not the table that was sent, such as a title that was taken for the header */
  layout?: LayoutIssue[];
  /** Signs that values or names were damaged before they came, such as dates that do not exist */
  signs?: SignIssue[];
  /** Declared rules that do not hold, the gravest first */
  rule_violations?: RuleViolation[];
  /** Declared rules that check nothing, by the field that they name and no row has */
  unchecked_rules?: UncheckedRules[];
}

export interface DriftEvent {
  /** Name of the field; `*` for the batch as a whole */
  field: string;
  /** What has changed */
  kind: 'field_added' | 'field_removed' | 'type_changed' | 'null_spike' | 'cardinality_change' | 'new_enum_value' | 'row_count_anomaly' | 'empty_string_spike';
  /** How grave it is */
  severity: 'info' | 'warn' | 'block';
  /** For people */
  detail: string;
  /** What it was in the baseline */
  previous?: string;
  /** What it is now */
  current?: string;
}

export interface Anomaly {
  /** Name of the field; `*` for the batch as a whole */
  field: string;
  /** What is unusual: a kind of finding, such as `repeated_batch`, or a statistic: `null_rate` (share of nulls), `number_share` (share of numbers), `boolean_share` (share of booleans), `object_share` (share of objects), `array_share` (share of arrays), `string_share` (share of texts), `empty_rate` (share of empty texts), `true_share` (share of true), `padded_share` (share of texts with spaces at their ends), `new_value_share` (share of values that were never seen), `distinct_share` (share of distinct values), `top_value_share` (share of the most frequent value), `value_distribution` (mix of values), `median` (median), `mean` (mean), `quantile_1_16` (lowest sixteenth), `quartile_1` (lower quartile), `quartile_3` (upper quartile), `quantile_15_16` (highest sixteenth), `interquartile_range` (interquartile range), `standard_deviation` (standard deviation), `max_distance` (distance of the largest number from the median in interquartile ranges), `min_distance` (distance of the smallest number from the median in interquartile ranges), `outlier_share` (share of outliers), `far_number_share` (share of numbers far outside the earlier range), `integer_share` (share of whole numbers), `zero_share` (share of zeros), `negative_share` (share of negative numbers), `multiple_of_10_share` (share of multiples of 10), `one_decimal_share` (share of numbers with at most one decimal), `two_decimal_share` (share of numbers with at most two decimals), `sequence_completeness` (completeness of the sequence), `mean_length` (mean length in characters), `length_standard_deviation` (standard deviation of lengths in characters), `top_format_share` (share of the most frequent format), `distinct_format_share` (share of distinct formats), `format_distribution` (mix of formats), `character_distribution` (mix of kinds of characters), `with_digit_share` (share of texts with a digit), `with_upper_share` (share of texts with an upper-case letter), `capitals_share` (share of texts in capital letters), `missing_text_share` (share of texts that stand for a missing value), `with_space_share` (share of texts with a space), `non_ascii_share` (share of texts with a character beyond ASCII), `email_share` (share of e-mail addresses), `digit_share` (share of digits among the characters), `upper_share` (share of upper-case letters among the characters), `space_share` (share of spaces among the characters), `date_share` (share of dates), `date_age` (age of the newest dates in hours), `date_range` (time from the oldest dates to the newest in hours), `hour_distribution` (mix of hours of the day), `adjacent_equal_share` (share of rows with the value of the row before), `adjacent_rising_share` (share of rows with a higher value than the row before), `distinct_pair_share` (share of distinct pairs with a column beside it), `agreement_share` (share of rows that rise and fall with a column beside it), `row_count` (row count), `duplicate_row_share` (share of rows that repeat an earlier row) */
  statistic: string;
  /** Its value. Of numbers absent from a kept job where no values are kept */
  observed?: number;
  /** Between these it would not have been reported. Absent as `observed` is */
  expected?: number[];
  /** −log10 of the chance of anything as unusual in a clean batch: 2 is one batch in a hundred */
  unusual: number;
  /** How grave it is; `info` changes no verdict */
  severity: 'info' | 'warn' | 'block';
  /** For people */
  detail: string;
  /** The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats). Only where single rows stand out */
  rows?: number[];
  span?: RowSpan;
}

/** What the verdict rests on */
export interface Gate {
  /** The mode that judged */
  mode: 'contract' | 'adaptive';
  /** Batches of history, at most 32 */
  history: number;
  /** Whether there are fewer than 3 of them: then batches may differ by what is assumed of any source */
  learning: boolean;
  /** Share of clean batches that may be WARN because of their past. For BLOCK, the probability must be below about the square of this share, and the change large */
  false_alarm_rate: number;
  /** Share of clean batches that will be WARN, estimated from the history; absent without one */
  expected_false_alarm_rate?: number;
}

/** The rows to hold back, so that the others may pass */
export interface Quarantine {
  /** Rows in it */
  count: number;
  /** The gravest first */
  reasons: Array<{
    /** What is wrong with these rows */
    code: 'type_mismatch' | 'ragged' | 'layout' | 'damaged_value' | 'null' | 'empty' | 'new_value' | 'outlier' | 'repeated_value' | 'duplicate_row' | 'unusual_number' | 'unusual_text' | 'rule_violation';
    /** Name of the field; `*` of ragged and of repeated rows, and of rules about several fields */
    field: string;
    /** Of `rule_violation`: the path of the rule */
    rule?: string;
    /** How grave it is */
    severity: 'info' | 'warning' | 'critical';
    /** Rows that have it */
    count: number;
  }>;
  /** Each row with its first 8 reasons, ascending; without reasons where these were left out */
  rows: Array<unknown[]>;
  /** Findings that stay whichever rows you hold back */
  whole_batch: Array<{
    /** A kind of drift, `null_rates`, an anomaly's statistic, `repeated_batch`, or `anomalies` where there are more than the report lists; of a batch in parts also a code of `reasons`: not all of its rows are named */
    code: string;
    /** Name of the field; `*` where it concerns none */
    field: string;
    /** Of `rule_violation`: the path of the rule */
    rule?: string;
    /** How grave it is */
    severity: 'warning' | 'critical';
  }>;
}

/** Batches before this one were BLOCKed for the same field, or proposed the same new normal: `job_id` is the first */
export interface BlockedSince {
  /** Id of the job and of its request; ids sort by time */
  job_id: string;
  /** When the first batch came */
  timestamp: string;
  /** How many there are with this one */
  batches: number;
  /** What to do if this is the new normal, or if declared rules block it; for people */
  accept: string;
  /** WARN: number of batches after which they are the new normal */
  settles_after?: number;
}

/** What to set where usual batches cross a threshold of contract mode */
export interface Advice {
  /** Fields that the advice is about, at most 20 */
  fields: string[];
  /** Add these to the settings of the source */
  set: {
    /** As in the settings of a source */
    mode?: 'adaptive';
    /** By its name */
    thresholds?: Record<string, number>;
  };
  /** For people */
  detail: string;
}

/** What the report leaves out, so that it has at most 1,536 KiB: the mildest entries of its longest lists, and anomalies beyond the first 50. The verdict, health and reason rest on all of them. Absent where nothing is left out */
export interface LeftOut {
  /** Entries missing in `schema` */
  schema?: number;
  /** Entries missing in `issues` */
  issues?: number;
  /** Entries missing in `drift` */
  drift?: number;
  /** Entries missing in `anomalies` */
  anomalies?: number;
  /** Entries missing in `quarantine.reasons` and `quarantine.whole_batch` */
  quarantine?: number;
  /** Entries missing in `stats.untracked_fields` */
  untracked_fields?: number;
}

export interface Stats {
  /** Rows in the request */
  rows_received: number;
  /** Rows whose values were measured */
  rows_sampled: number;
  /** Their share of the rows */
  sample_ratio: number;
  /** Name and version of the sampling method */
  sample_version?: string;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Fields for which the source's baseline has no room: they are not compared */
  untracked_fields?: string[];
  left_out?: LeftOut;
  /** What numbers of rows mean; absent where no row is named */
  row_numbers?: 'index' | 'line';
  /** The request stored, learned and counted nothing; absent otherwise */
  dry_run?: boolean;
  /** The baseline is pinned and learns nothing; absent otherwise */
  pinned?: boolean;
  /** The baseline did not learn the batch: the account keeps all bytes that it may; absent otherwise */
  storage_full?: boolean;
}

/** Of a source with a window: the batch that the rows of this request are part of. It is judged by the past when the window ends */
export interface WindowSoFar {
  /** Id of its batch */
  batch_id: string;
  /** Rows that it has so far, with those of this request */
  rows: number;
  /** What its requests have so far, the gravest first, at most 50; absent without any */
  findings?: Array<{
    /** Its kind */
    kind: string;
    /** The field; absent: of the request as a whole */
    field?: string;
    /** Of `rule_violation`: the path of the rule */
    rule?: string;
    /** What it makes the verdict of a request */
    severity: 'warn' | 'block';
    /** Requests that have it */
    posts: number;
  }>;
}

export interface Report {
  /** Id of the job and of its request; ids sort by time */
  request_id: string;
  /** The same as `request_id` */
  batch_id: string;
  /** The verdict */
  status: 'PASS' | 'WARN' | 'BLOCK';
  /** Health of the data; 1 is perfect */
  health_score: number;
  decision: {
    /** The same as `status` */
    action: 'PASS' | 'WARN' | 'BLOCK';
    /** The causes, worst first, for people */
    reason: string;
  };
  /** By name of the field */
  schema: Record<string, SchemaField>;
  /** SHA-256 of the names and types, whatever their order */
  schema_fingerprint: string;
  issues?: Issues;
  /** What differs from the baseline; absent when nothing does */
  drift?: DriftEvent[];
  /** Statistics that differ from the source's history, and other unusual things such as a repeated batch; the most unusual first. Absent without any */
  anomalies?: Anomaly[];
  gate?: Gate;
  quarantine?: Quarantine;
  blocked_since?: BlockedSince;
  /** Contract mode: absent where there is nothing to say */
  advice?: Advice[];
  stats: Stats;
  window?: WindowSoFar;
  /** Processing time in milliseconds, without the time that the body took to arrive */
  latency_ms: number;
  /** When it was answered */
  timestamp: string;
}

export interface BatchRequest {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  options?: Options;
}

export interface OpenedBatch {
  /** Id of the batch */
  batch_id: string;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Until then it can be finished */
  expires_at: string;
}

export interface SentPart {
  /** Number of the part, from 0 */
  part: number;
  /** Rows of the part */
  rows: number;
  /** SHA-256 of the body's bytes as they were sent, in hex */
  sha256: string;
  quarantine?: Quarantine;
}

export interface BatchInParts {
  /** Id of the batch */
  batch_id: string;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Whether it takes parts; while it is being finished it is open */
  status: 'open' | 'finished' | 'aborted' | 'expired';
  /** Rows so far; absent in a list, but of a window */
  rows?: number;
  /** Absent in a list, and of a window */
  parts?: SentPart[];
  /** Of a batch that posts to a source with a window become; absent for others */
  window?: {
    /** With so many rows it ends */
    rows: number;
    /** When it ends with fewer; null: it has been judged */
    ends_at: string | null;
  };
  /** When it was opened */
  created_at: string;
  /** Until then it can be finished */
  expires_at: string;
  /** Id of its answer, and of its job; null before that */
  request_id: string | null;
}

export interface BatchList {
  batches: BatchInParts[];
}

export interface FinishRequest {
  /** How many parts the batch has */
  parts: number;
}

export interface ApiKey {
  /** Identifier of the key */
  id: string;
  /** Label given at creation */
  name: string;
  /** First characters of the key, for display */
  key_prefix: string;
  /** When it was created */
  created_at: string;
  /** When it was last used; null if never */
  last_used: string | null;
}

export interface KeyList {
  keys: ApiKey[];
}

export interface KeyRequest {
  /** Name of the key, without control characters, line ends, characters that change the direction of text, or lone surrogates. Null or absent: API key */
  name?: string | null;
}

export interface NewKey {
  /** The key, shown only in this response */
  key: string;
  /** Identifier of the key */
  id: string;
  /** Label given at creation */
  name: string;
}

export interface DeletedKey {
  /** true */
  ok: boolean;
  /** Identifier of the key */
  id: string;
  /** What happened, for people */
  message: string;
}

export interface CodeRequest {
  /** Address to send the code to */
  email: string;
}

export interface CodeSent {
  /** true */
  ok: boolean;
  /** What happens next, for people */
  message: string;
}

export interface SessionRequest {
  /** Address to send the code to */
  email: string;
  /** The six digits from the mail */
  code: string;
}

export interface Session {
  /** Send it as `Authorization: Bearer` instead of a key */
  token: string;
  /** When the session expires */
  expires_at: string;
}

export interface EndedSession {
  /** true */
  ok: boolean;
}

export interface ListedSession {
  /** Identifies the session; it grants no access */
  id: string;
  /** When the user signed in */
  created_at: string;
  /** When it ends */
  expires_at: string;
  /** Whether the request itself has this session */
  current: boolean;
}

export interface SessionList {
  sessions: ListedSession[];
}

export interface EndedOtherSessions {
  /** true */
  ok: boolean;
  /** Sessions that have ended */
  ended: number;
}

export interface EndedOneSession {
  /** true */
  ok: boolean;
  /** The session that has ended */
  id: string;
}

export interface ClaimRequest {
  /** An API key of the account to sign in to */
  key: string;
}

export interface ClaimedAccount {
  /** true */
  ok: boolean;
  /** What happened, for people */
  message: string;
}

export interface Billing {
  /** Plan of the account */
  plan: 'developer' | 'starter' | 'growth' | 'scale';
  /** Rows of requests that were answered with 200 in this period */
  rowsProcessed: number;
  /** Number of these requests */
  requestCount: number;
  /** Start of the period: that of the subscription, or the calendar month */
  periodStart: string;
  /** Start of the next period */
  periodEnd: string;
  /** Whether the operator has set up payments */
  plansForSale: boolean;
}

export interface CheckoutRequest {
  /** The plan to subscribe to */
  tier: 'starter' | 'growth' | 'scale';
}

export interface PageAddress {
  /** Page of the payment provider to send the user to */
  url: string;
}

export interface BaselineSize {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Number of batches learned */
  batches: number;
  /** Number of rows learned */
  rows: number;
  /** Time of its newest job; null if no job is stored */
  last_seen: string | null;
  /** Who answers for the source; absent if the settings do not say */
  owner?: string;
  /** Absent without tags */
  tags?: string[];
}

export interface BaselineList {
  sources: BaselineSize[];
  /** Pass it as `after` to get the next page; absent on the last page */
  next?: string;
}

export interface Reset {
  /** true */
  ok: boolean;
  /** The source, or `all` */
  reset: string;
  /** What happened, for people */
  message: string;
}

/** Present if the newest batches were BLOCKed for the same field */
export interface BlockedRun {
  /** Id of the job and of its request; ids sort by time */
  job_id: string;
  /** Time of the first one */
  timestamp: string;
  /** Number of batches */
  batches: number;
  /** Id of the job and of its request; ids sort by time */
  last_job_id: string;
}

/** Averages. The weight of a batch halves every 10 batches. null: not known */
export interface BaselineField {
  /** Dominant type; `null` without any value, `mixed` without a majority */
  type: 'number' | 'boolean' | 'object' | 'array' | 'string' | 'null' | 'mixed';
  /** Share of rows that have the field, including nulls */
  presence: number | null;
  /** Share of rows without a value */
  null_rate: number | null;
  /** Share of empty strings among strings */
  empty_rate: number | null;
  /** Distinct values divided by values, in a batch */
  distinct_ratio: number | null;
  /** Estimated number of distinct values ever seen; standard error 4.6%. Null where no values are kept */
  approx_distinct: number | null;
  /** Number of known values, if an unknown value would be drift */
  low_cardinality: number | null;
  /** Quantiles of the numbers, by probability */
  quantiles?: Record<string, number>;
}

export interface Baseline {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Number of batches learned */
  batches: number;
  /** Number of rows learned */
  rows: number;
  /** Learned from a BLOCKed batch; the next batch that is not BLOCKed replaces it */
  provisional: boolean;
  /** Time of its newest job; null if no job is stored */
  last_seen: string | null;
  /** Mode of the source, unless a request sets another */
  mode: 'contract' | 'adaptive' | 'auto';
  /** Whether the baseline stopped learning */
  pinned: boolean;
  blocked_since?: BlockedRun;
  advice?: Advice[];
  /** Fields by name */
  fields: Record<string, BaselineField>;
}

export interface Job {
  /** Id of the job and of its request; ids sort by time */
  id: string;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** The verdict */
  status: 'PASS' | 'WARN' | 'BLOCK';
  /** Health of the data; 1 is perfect */
  health_score: number;
  /** Rows in the request */
  rows_received: number;
  /** Drift events */
  drift_count: number;
  /** Processing time in milliseconds */
  latency_ms: number;
  /** Time of the response */
  created_at: string;
}

export interface JobList {
  jobs: Job[];
}

export interface JobFeedback {
  /** What was said of the batch */
  said: 'accepted' | 'expected' | 'bad';
  /** Id of the API key; null: a person who was signed in */
  by: string | null;
  /** The last time that it was said */
  at: string;
  /** Who said it, as it was then: the address of a person, or name and first letters of an API key; absent where that is no longer known */
  who?: string;
  /** When the baseline was reset or went back to a version; absent: not since it was said */
  undone_at?: string;
}

export interface Histogram {
  /** The smallest number */
  low: number;
  /** The largest number */
  high: number;
  /** Of equal intervals, each with its lower bound, the last one with its upper too */
  counts: number[];
}

/** Where no values are kept (`STORE_VALUES=false`), only the count */
export interface Numbers {
  /** Finite numbers that were measured */
  count: number;
  /** The smallest */
  min?: number;
  /** The largest */
  max?: number;
  /** Their mean */
  mean?: number;
  /** Divided by the count; null beyond a double */
  standard_deviation?: number | null;
  /** By probability (type 7) */
  quantiles?: Record<string, number>;
  histogram?: Histogram;
}

/** Where no values are kept (`STORE_VALUES=false`), or the order of day and month is not known, without `earliest` and `latest` */
export interface Dates {
  /** How most of them are written, such as `YYYY-MM-DD` or `epoch seconds` */
  format: string;
  /** How many notations there are; above 1 the field mixes them */
  formats: number;
  /** Share of the inspected texts, or of the numbers, that are dates: at least 0.5 */
  share: number;
  /** The earliest, in UTC where no zone is written */
  earliest?: string;
  /** The latest, in UTC where no zone is written */
  latest?: string;
  /** The longest unit that all are multiples of */
  resolution?: 'day' | 'hour' | 'minute' | 'second' | 'millisecond';
}

/** Of fields that are likely to be personal data, told by pattern and check digits */
export interface SemanticType {
  /** What the values are */
  type: 'email' | 'card_number' | 'iban' | 'phone' | 'ip_address';
  /** About their share of the values that are not empty, by some of them: at least 0.8 */
  share: number;
}

export interface TopValue {
  /** Cut at 64 characters */
  value: string;
  /** How often it occurs */
  count: number;
}

export interface FieldProfile {
  /** The type that an Arrow or Parquet body declares, as pyarrow writes it: `int64`, `timestamp[us, tz=UTC]` */
  physical_type?: string;
  /** Rows that have the field, nulls included */
  present: number;
  /** Rows without a value */
  nulls: number;
  /** Their share of the rows */
  null_rate: number;
  /** Empty strings */
  empties: number;
  types: {
    /** Values of type number */
    number: number;
    /** Values of type boolean */
    boolean: number;
    /** Values of type object */
    object: number;
    /** Values of type array */
    array: number;
    /** Values of type string */
    string: number;
  };
  /** By value, `true` and `false`, where there are any */
  booleans?: Record<string, number>;
  /** Non-null values that were measured */
  values: number;
  /** How many of them differ */
  distinct: number;
  numbers?: Numbers;
  dates?: Dates;
  semantic_type?: SemanticType;
  /** Those that the field has */
  statistics?: {
    /** Share of the numbers that are whole */
    integer_share?: number;
    /** Share of the texts with a character beyond ASCII */
    non_ascii_share?: number;
    /** Share of the texts that look like e-mail addresses */
    email_share?: number;
  };
  /** The most frequent strings, where few differ and some repeat */
  top_values?: TopValue[];
}

export interface Profile {
  /** By name of the field */
  fields: Record<string, FieldProfile>;
  /** Fields that are missing, so that the job has at most 2,048 KiB; fields with findings stay first. Absent where none is missing */
  left_out?: number;
}

export interface CompleteJob {
  /** Id of the job and of its request; ids sort by time */
  id: string;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** The verdict */
  status: 'PASS' | 'WARN' | 'BLOCK';
  /** Health of the data; 1 is perfect */
  health_score: number;
  /** Rows in the request */
  rows_received: number;
  /** Drift events */
  drift_count: number;
  /** Processing time in milliseconds */
  latency_ms: number;
  /** Time of the response */
  created_at: string;
  /** Feedback that changed the baseline, in the order of time; absent without any */
  feedback?: JobFeedback[];
  report: Report;
  profile: Profile;
}

export interface HistoryEntry {
  /** Id of the job and of its request; ids sort by time */
  job_id: string;
  /** Time of the response */
  created_at: string;
  /** The verdict */
  status: 'PASS' | 'WARN' | 'BLOCK';
  /** Health of the data; 1 is perfect */
  health_score: number;
  /** Rows in the request */
  rows_received: number;
  /** Drift events */
  drift_count: number;
  drift: DriftEvent[];
  /** Null rates by field */
  null_rates: Record<string, number>;
  /** Fields that `null_rates` lacks, where it would exceed 128 KiB; absent elsewhere */
  null_rates_left_out?: number;
  /** Version 1.0 stored more than 1 MiB here: `drift` and `null_rates` are empty; absent elsewhere */
  too_large?: boolean;
}

export interface History {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  batches: HistoryEntry[];
  /** Where the page ends because it has 2 MiB: `before` of the next page */
  next?: string;
}

export interface TrendBatch {
  /** Id of the job and of its request; ids sort by time */
  job_id: string;
  /** When it was screened */
  created_at: string;
  /** The verdict */
  status: 'PASS' | 'WARN' | 'BLOCK';
  /** Whether the baseline learned it */
  learned: boolean;
}

/** Each list has one entry a batch, in the order of `batches` */
export interface Trend {
  /** Name of the statistic, as in `anomalies` */
  statistic: string;
  /** Its name for people */
  label: string;
  /** share (0 to 1), value (of the field itself), widths, characters, hours or rows */
  unit: string;
  /** Value of each batch; null where the batch lacks the statistic */
  values: Array<number | null>;
  /** Expected value, from the batches before it; null for the first batches */
  usual: Array<number | null>;
  /** Lower bound: a value from `low` to `high` raises no alarm; null: no bound */
  low: Array<number | null>;
  /** Upper bound; null: no bound */
  high: Array<number | null>;
  alarms: Array<string | null>;
}

export interface Trends {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** The field; null: the batch as a whole */
  field: string | null;
  /** Oldest first */
  batches: TrendBatch[];
  statistics: Trend[];
}

export interface Settings {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Mode of the source; null or absent: the default of the server */
  mode: 'contract' | 'adaptive' | 'auto' | null;
  /** Thresholds that are set, by name; null or absent: the default of the server */
  thresholds: {
    /** Like the option of a batch */
    null_rate_warn?: number | null;
    /** Like the option of a batch */
    null_rate_block?: number | null;
    /** Like the option of a batch */
    type_mismatch_warn?: number | null;
    /** Like the option of a batch */
    type_mismatch_block?: number | null;
    /** Like the option of a batch */
    health_warn?: number | null;
    /** Like the option of a batch */
    health_block?: number | null;
  } | null;
  /** Share of clean batches that may be WARN */
  false_alarm_rate: number | null;
  /** Number of batches that differ in the same way after which they are the new normal; half as many if none was BLOCK */
  settle_after: number | 'never' | null;
  /** Signs of damaged values and names that are looked for, as `options.signs` of a batch; null or absent: all */
  signs: boolean | Array<'odd_name' | 'similar_names' | 'replacement_character' | 'mojibake' | 'invisible_character' | 'spreadsheet_error' | 'impossible_date' | 'missing_offset' | 'two_day_orders' | 'rounded_ids' | 'cut_texts' | 'two_decimal_signs' | 'spreadsheet_null' | 'sentinel_date' | 'sentinel_number' | 'whole_decimals' | 'mixed_offset' | 'test_data'> | null;
  /** For a source that gets many small posts: each is judged alone, and together they are one batch, which is judged by the past when the window ends. A change ends the open window */
  window: {
    /** It ends with so many rows */
    rows: number;
    /** It ends so long after its first post */
    ms: number;
  } | null;
  /** Who answers for the source: a person or a team */
  owner: string | null;
  /** Words to find the source by */
  tags: string[] | null;
  /** Grows with each change, and when all settings are removed; 0: the source never had any */
  version: number;
  /** When they were changed last; absent without settings, and for those of older releases */
  updated_at?: string;
  /** Id of the API key that changed them; null: a person who was signed in */
  updated_by?: string | null;
  /** Settings of a batch without options */
  effective: {
    /** The mode */
    mode: 'contract' | 'adaptive' | 'auto';
    thresholds: {
      /** The threshold */
      null_rate_warn: number;
      /** The threshold */
      null_rate_block: number;
      /** The threshold */
      type_mismatch_warn: number;
      /** The threshold */
      type_mismatch_block: number;
      /** The threshold */
      health_warn: number;
      /** The threshold */
      health_block: number;
    };
    /** Share of clean batches that may be WARN */
    false_alarm_rate: number;
    /** Number of batches that differ in the same way after which they are the new normal; half as many if none was BLOCK */
    settle_after: number | 'never';
    signs: Array<'odd_name' | 'similar_names' | 'replacement_character' | 'mojibake' | 'invisible_character' | 'spreadsheet_error' | 'impossible_date' | 'missing_offset' | 'two_day_orders' | 'rounded_ids' | 'cut_texts' | 'two_decimal_signs' | 'spreadsheet_null' | 'sentinel_date' | 'sentinel_number' | 'whole_decimals' | 'mixed_offset' | 'test_data'>;
  };
}

/** All settings: null or absent ones are removed, but for window, owner and tags */
export interface SettingsRequest {
  /** Mode of the source; null or absent: the default of the server */
  mode?: 'contract' | 'adaptive' | 'auto' | null;
  /** Thresholds that are set, by name; null or absent: the default of the server */
  thresholds?: {
    /** Like the option of a batch */
    null_rate_warn?: number | null;
    /** Like the option of a batch */
    null_rate_block?: number | null;
    /** Like the option of a batch */
    type_mismatch_warn?: number | null;
    /** Like the option of a batch */
    type_mismatch_block?: number | null;
    /** Like the option of a batch */
    health_warn?: number | null;
    /** Like the option of a batch */
    health_block?: number | null;
  } | null;
  /** Share of clean batches that may be WARN */
  false_alarm_rate?: number | null;
  /** Number of batches that differ in the same way after which they are the new normal; half as many if none was BLOCK */
  settle_after?: number | 'never' | null;
  /** Signs of damaged values and names that are looked for, as `options.signs` of a batch; null or absent: all */
  signs?: boolean | Array<'odd_name' | 'similar_names' | 'replacement_character' | 'mojibake' | 'invisible_character' | 'spreadsheet_error' | 'impossible_date' | 'missing_offset' | 'two_day_orders' | 'rounded_ids' | 'cut_texts' | 'two_decimal_signs' | 'spreadsheet_null' | 'sentinel_date' | 'sentinel_number' | 'whole_decimals' | 'mixed_offset' | 'test_data'> | null;
  /** For a source that gets many small posts: each is judged alone, and together they are one batch, which is judged by the past when the window ends. A change ends the open window; absent: it stays; null: it is removed */
  window?: {
    /** It ends with so many rows */
    rows: number;
    /** It ends so long after its first post */
    ms: number;
  } | null;
  /** Who answers for the source: a person or a team; absent: it stays; null: it is removed */
  owner?: string | null;
  /** Words to find the source by; absent: it stays; null: it is removed */
  tags?: string[] | null;
}

export interface PinRequest {
  /** Whether to stop learning */
  pinned: boolean;
}

export interface Pinned {
  /** true */
  ok: boolean;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Whether the baseline stopped learning */
  pinned: boolean;
  /** What happened, for people */
  message: string;
}

export interface SourceRules {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  rules: RulesDocument;
  /** Number of the version of the rules */
  version: number;
  /** When they were changed */
  updated_at: string;
}

export interface ChangedRules {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  rules: RulesDocument;
  /** Number of the version of the rules */
  version: number;
  /** When they were changed */
  updated_at: string;
  /** Fields that the rules name but no batch of the source had; their names may be misspelt. Absent if there are none, or if the source has no baseline */
  unknown_fields?: Array<{
    /** Name of the field */
    field: string;
    /** Paths of rules that name it: the first five, each cut at 200 characters */
    rules: string[];
    /** Rules that name it */
    count: number;
    /** An existing field with a similar name */
    meant?: string;
  }>;
}

export interface RulesDeleted {
  /** true */
  ok: boolean;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
}

export interface RulesChange {
  /** Number of the version of the rules */
  version: number;
  /** When they were changed */
  at: string;
  /** Id of the API key that changed them; null: a person who was signed in */
  by: string | null;
  /** How they were changed */
  reason: 'put' | 'deleted' | 'imported' | 'rolled_back';
  /** Single rules after the change */
  count: number;
  /** Paths of rules that were added, each cut at 200 characters */
  added: string[];
  /** Paths of rules that were removed, each cut at 200 characters */
  removed: string[];
  /** Paths of rules that were changed, each cut at 200 characters */
  changed: string[];
}

export interface RulesChangeList {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  changes: RulesChange[];
}

export interface SuggestedRules {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  rules: RulesDocument;
  /** One for each rule */
  evidence: Array<{
    /** Path of the rule */
    rule: string;
    /** Name of its field */
    field: string;
    /** Name of the constraint */
    constraint: string;
    /** What it rests on, for people */
    reason: string;
    /** Batches that were looked at */
    batches: number;
    /** Their rows */
    rows: number;
  }>;
  /** Suggestions that are left out; absent: none */
  left_out?: number;
}

export interface ImportedRules {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  rules: RulesDocument;
  /** What has no counterpart in rules: at most 500 entries, and one that counts the others */
  unsupported: Array<{
    /** Its path in the document */
    path: string;
    /** Why there is no rule for it */
    reason: string;
  }>;
  /** Fields that the rules name but no batch of the source had; their names may be misspelt. Absent if there are none, or if the source has no baseline */
  unknown_fields?: Array<{
    /** Name of the field */
    field: string;
    /** Paths of rules that name it: the first five, each cut at 200 characters */
    rules: string[];
    /** Rules that name it */
    count: number;
    /** An existing field with a similar name */
    meant?: string;
  }>;
  /** Number of the version of the rules */
  version?: number;
  /** When they were changed */
  updated_at?: string;
}

export interface AcceptRequest {
  /** Id of the job and of its request; ids sort by time */
  job_id: string;
}

export interface Taught {
  /** true */
  ok: boolean;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Id of the job and of its request; ids sort by time */
  job_id: string;
  /** Whether the baseline has changed; false if the same feedback was given before */
  changed: boolean;
  /** What happened, for people */
  message: string;
  /** Thresholds that must be set too: in contract mode they apply whatever is normal */
  advice?: Advice[];
}

export interface FeedbackRequest {
  /** Id of the job and of its request; ids sort by time */
  job_id: string;
  /** The feedback */
  verdict: 'expected' | 'bad';
}

export interface Version {
  /** Number of the version */
  version: number;
  /** When it was stored */
  made_at: string;
  /** `learned`: stored from time to time while the baseline learns; others: stored just before that change */
  reason: 'learned' | 'before_accept' | 'before_feedback' | 'before_reset' | 'before_rollback' | 'before_rules';
  /** Id of the job and of its request; ids sort by time */
  job_id?: string;
  /** Number of batches learned */
  batches: number;
  /** Number of rows learned */
  rows: number;
  /** Version of the rules that held, 0 for none; versions of older releases lack it */
  rules_version?: number;
}

export interface VersionList {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  versions: Version[];
}

export interface SourceChange {
  /** When */
  at: string;
  /** What was done */
  action: 'accepted' | 'expected' | 'bad' | 'settings' | 'rules' | 'pinned' | 'unpinned' | 'rolled_back' | 'reset';
  /** Who did it, as it was then: the address of a person, or name and first letters of an API key */
  by: string;
  /** Id of the API key; null: a person who was signed in */
  key_id: string | null;
  /** Id of the job and of its request; ids sort by time */
  job_id?: string;
  /** Of `settings` the names of those that changed, of `rules` and `rolled_back` the version */
  detail?: string;
  /** The version that was stored just before: to roll back to it undoes this */
  version_before?: number;
}

export interface SourceChangeList {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  changes: SourceChange[];
}

export interface RollbackRequest {
  /** Number of the version */
  version: number;
}

export interface RolledBack {
  /** true */
  ok: boolean;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Number of the version */
  version: number;
  /** Number of batches learned */
  batches: number;
  /** Number of rows learned */
  rows: number;
  /** What happened, for people */
  message: string;
}

export interface SourceStatistics {
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Jobs */
  totalJobs: number;
  /** PASS */
  passCount: number;
  /** WARN */
  warnCount: number;
  /** BLOCK */
  blockCount: number;
  /** Rows received */
  totalRows: number;
  /** Mean health, in percent */
  avgHealthPct: number;
  /** Drift events */
  totalDrift: number;
  /** Time of the newest job */
  lastRun: string;
  /** Verdict of the newest job */
  lastStatus: 'PASS' | 'WARN' | 'BLOCK';
}

/** The sources beyond `limit` together; absent without any */
export interface OtherSources {
  /** Sources */
  sourceCount: number;
  /** Jobs */
  totalJobs: number;
  /** PASS */
  passCount: number;
  /** WARN */
  warnCount: number;
  /** BLOCK */
  blockCount: number;
  /** Rows received */
  totalRows: number;
  /** Mean health, in percent */
  avgHealthPct: number;
  /** Drift events */
  totalDrift: number;
  /** Time of the newest job */
  lastRun: string;
}

export interface Statistics {
  /** Jobs */
  totalJobs: number;
  /** PASS */
  passCount: number;
  /** WARN */
  warnCount: number;
  /** BLOCK */
  blockCount: number;
  /** Rows received */
  totalRows: number;
  /** Mean health of the jobs; 0 without jobs */
  avgHealth: number;
  /** Sources */
  sourceCount: number;
  /** Number of days of 24 hours */
  periodDays: number;
  /** Latest run first, at most `limit` */
  sources: SourceStatistics[];
  others?: OtherSources;
}

export interface VerdictSpan {
  /** When it begins */
  start: string;
  /** PASS */
  passCount: number;
  /** WARN */
  warnCount: number;
  /** BLOCK */
  blockCount: number;
}

export interface VerdictsOverTime {
  /** Length of a span */
  seconds: number;
  /** Oldest first, also those without jobs */
  spans: VerdictSpan[];
}

export interface AlertChannel {
  /** Id of the channel; ids sort by time */
  id: string;
  /** What it takes */
  type: 'webhook' | 'slack' | 'email';
  /** For people, without control characters, line ends, characters that change the direction of text, or lone surrogates */
  name: string;
  /** Of a webhook or of Slack: where messages are posted to */
  url?: string;
  /** Of type email: the address */
  to?: string;
  /** Names of sources; `*` stands for any characters. Default: all */
  sources: string[];
  /** How grave a verdict must be. Default: warn */
  on: 'warn' | 'block';
  /** When it was created */
  created_at: string;
  /** Since when no message could be delivered; null while it works */
  failing_since: string | null;
}

export interface AlertChannelList {
  channels: AlertChannel[];
}

export interface AlertChannelRequest {
  /** What it takes */
  type: 'webhook' | 'slack' | 'email';
  /** For people, without control characters, line ends, characters that change the direction of text, or lone surrogates */
  name?: string;
  /** Of a webhook or of Slack: where messages are posted to */
  url?: string;
  /** Of type email: the address */
  to?: string;
  /** Names of sources; `*` stands for any characters. Default: all */
  sources?: string[];
  /** How grave a verdict must be. Default: warn */
  on?: 'warn' | 'block';
}

export interface CreatedAlertChannel {
  /** Id of the channel; ids sort by time */
  id: string;
  /** What it takes */
  type: 'webhook' | 'slack' | 'email';
  /** For people, without control characters, line ends, characters that change the direction of text, or lone surrogates */
  name: string;
  /** Of a webhook or of Slack: where messages are posted to */
  url?: string;
  /** Of type email: the address */
  to?: string;
  /** Names of sources; `*` stands for any characters. Default: all */
  sources: string[];
  /** How grave a verdict must be. Default: warn */
  on: 'warn' | 'block';
  /** When it was created */
  created_at: string;
  /** Since when no message could be delivered; null while it works */
  failing_since: string | null;
  /** Signs what is posted, by Standard Webhooks; shown only in this response */
  secret?: string;
}

export interface AlertChannelChange {
  /** For people, without control characters, line ends, characters that change the direction of text, or lone surrogates */
  name?: string;
  /** Of a webhook or of Slack: where messages are posted to */
  url?: string;
  /** Of type email: the address */
  to?: string;
  /** Names of sources; `*` stands for any characters. Default: all */
  sources?: string[];
  /** How grave a verdict must be. Default: warn */
  on?: 'warn' | 'block';
}

export interface DeletedAlertChannel {
  /** true */
  ok: boolean;
  /** Id of the channel; ids sort by time */
  id: string;
}

export interface AlertDelivery {
  /** Id of the delivery, the webhook-id of each of its attempts; ids sort by time */
  id: string;
  /** Id of the channel; ids sort by time */
  channel: string;
  /** Id of the incident; ids sort by time */
  incident: string | null;
  /** `incident.opened`, `incident.updated`, `incident.resolved` or `channel.test` */
  type: string;
  /** Failed: given up after a day, or refused by the receiver */
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts so far */
  attempts: number;
  /** When it was put into the outbox */
  created_at: string;
  /** When it is tried next; null if it is settled */
  next_attempt_at: string | null;
  /** When it was delivered or given up */
  settled_at: string | null;
  /** What was wrong with the last attempt; null: nothing */
  error: string | null;
}

export interface RotatedAlertChannel {
  /** Id of the channel; ids sort by time */
  id: string;
  /** What it takes */
  type: 'webhook' | 'slack' | 'email';
  /** For people, without control characters, line ends, characters that change the direction of text, or lone surrogates */
  name: string;
  /** Of a webhook or of Slack: where messages are posted to */
  url?: string;
  /** Names of sources; `*` stands for any characters. Default: all */
  sources: string[];
  /** How grave a verdict must be. Default: warn */
  on: 'warn' | 'block';
  /** When it was created */
  created_at: string;
  /** Since when no message could be delivered; null while it works */
  failing_since: string | null;
  /** Signs what is posted, by Standard Webhooks; shown only in this response */
  secret: string;
  /** Until when the secret before signs too */
  previous_until: string;
}

export interface AlertDeliveryList {
  deliveries: AlertDelivery[];
}

export interface Incident {
  /** Id of the incident; ids sort by time */
  id: string;
  /** Name of the pipeline or table; each source has its own baseline */
  source: string;
  /** Resolved: the newest batch of the source passed */
  status: 'open' | 'resolved';
  /** The gravest of its batches */
  verdict: 'WARN' | 'BLOCK';
  /** When the first of its batches was screened */
  opened_at: string;
  /** When it was resolved; null while it is open */
  resolved_at: string | null;
  /** Batches that did not pass */
  batches: number;
  /** Id of the job and of its request; ids sort by time */
  first_job: string;
  /** Id of the job and of its request; ids sort by time */
  last_job: string;
  /** When the newest batch that did not pass was screened */
  last_at: string;
  /** Of that batch */
  health_score: number;
  /** Of that batch */
  reason: string;
  /** When somebody acknowledged it; null: nobody has */
  acknowledged_at: string | null;
  /** Nothing is sent before; null: it is not snoozed */
  snoozed_until: string | null;
  /** When somebody accepted a batch of the source as the new normal; null: nobody has since its newest batch, or it was undone */
  accepted_at: string | null;
  /** Who that was: the address of a person, or name and first letters of an API key */
  accepted_by: string | null;
}

export interface IncidentList {
  incidents: Incident[];
}

export interface SnoozeRequest {
  /** Within the next 365 days; null ends the snooze */
  until: string | null;
}

/** Request and answer of each operation, by `operationId`. */
export interface Operations {
  health: { answer: Health };
  ready: { answer: Ready };
  screen: { body: ScreenRequest; answer: Report };
  screenWhole: { body: unknown; answer: Report };
  openBatch: { body: BatchRequest; answer: OpenedBatch };
  listBatches: { answer: BatchList };
  findBatch: { path: { id: string }; answer: BatchInParts };
  abortBatch: { path: { id: string }; answer: BatchInParts };
  sendPart: { path: { id: string; part: number }; body: unknown; answer: SentPart };
  finishBatch: { path: { id: string }; body: FinishRequest; answer: Report };
  listKeys: { answer: KeyList };
  createKey: { body: KeyRequest; answer: NewKey };
  findKey: { path: { id: string }; answer: ApiKey };
  deleteKey: { path: { id: string }; answer: DeletedKey };
  sendCode: { body: CodeRequest; answer: CodeSent };
  openSession: { body: SessionRequest; answer: Session };
  endSession: { answer: EndedSession };
  listSessions: { answer: SessionList };
  endOtherSessions: { answer: EndedOtherSessions };
  findSession: { path: { id: string }; answer: ListedSession };
  endOneSession: { path: { id: string }; answer: EndedOneSession };
  claimAccount: { body: ClaimRequest; answer: ClaimedAccount };
  showBilling: { answer: Billing };
  startCheckout: { body: CheckoutRequest; answer: PageAddress };
  openPortal: { answer: PageAddress };
  listBaselines: { query: { limit?: number | undefined; after?: string | undefined }; answer: BaselineList };
  resetAllBaselines: { answer: Reset };
  describeBaseline: { path: { source: string }; answer: Baseline };
  resetBaseline: { path: { source: string }; answer: Reset };
  listJobs: { query: { limit?: number | undefined; source?: string | undefined; status?: string | undefined; from?: string | undefined; to?: string | undefined; before?: string | undefined }; answer: JobList };
  findJob: { path: { id: string }; answer: CompleteJob };
  sourceHistory: { path: { source: string }; query: { limit?: number | undefined; before?: string | undefined }; answer: History };
  sourceTrends: { path: { source: string }; query: { field?: string | undefined }; answer: Trends };
  getSettings: { path: { source: string }; answer: Settings };
  putSettings: { path: { source: string }; query: { if_version?: number | undefined }; body: SettingsRequest; answer: Settings };
  pinBaseline: { path: { source: string }; body: PinRequest; answer: Pinned };
  getRules: { path: { source: string }; answer: SourceRules };
  putRules: { path: { source: string }; query: { if_version?: number | undefined }; body: RulesDocument; answer: ChangedRules };
  deleteRules: { path: { source: string }; query: { if_version?: number | undefined }; answer: RulesDeleted };
  listRuleChanges: { path: { source: string }; answer: RulesChangeList };
  suggestRules: { path: { source: string }; answer: SuggestedRules };
  importRules: { path: { source: string }; query: { format: string; table?: string | undefined; apply?: boolean | undefined; if_version?: number | undefined }; body: object; answer: ImportedRules };
  acceptBatch: { path: { source: string }; body: AcceptRequest; answer: Taught };
  giveFeedback: { path: { source: string }; body: FeedbackRequest; answer: Taught };
  listVersions: { path: { source: string }; answer: VersionList };
  listSourceChanges: { path: { source: string }; query: { limit?: number | undefined }; answer: SourceChangeList };
  rollBack: { path: { source: string }; body: RollbackRequest; answer: RolledBack };
  statistics: { query: { days?: number | undefined; limit?: number | undefined }; answer: Statistics };
  verdictsOverTime: { query: { from?: string | undefined; spans?: number | undefined; seconds?: number | undefined }; answer: VerdictsOverTime };
  listAlertChannels: { answer: AlertChannelList };
  createAlertChannel: { body: AlertChannelRequest; answer: CreatedAlertChannel };
  findAlertChannel: { path: { id: string }; answer: AlertChannel };
  changeAlertChannel: { path: { id: string }; body: AlertChannelChange; answer: AlertChannel };
  deleteAlertChannel: { path: { id: string }; answer: DeletedAlertChannel };
  testAlertChannel: { path: { id: string }; answer: AlertDelivery };
  rotateAlertSecret: { path: { id: string }; answer: RotatedAlertChannel };
  listAlertDeliveries: { query: { channel?: string | undefined; limit?: number | undefined; before?: string | undefined }; answer: AlertDeliveryList };
  findAlertDelivery: { path: { id: string }; answer: AlertDelivery };
  resendAlertDelivery: { path: { id: string }; answer: AlertDelivery };
  listIncidents: { query: { status?: string | undefined; source?: string | undefined; limit?: number | undefined; before?: string | undefined }; answer: IncidentList };
  findIncident: { path: { id: string }; answer: Incident };
  acknowledgeIncident: { path: { id: string }; answer: Incident };
  snoozeIncident: { path: { id: string }; body: SnoozeRequest; answer: Incident };
}

/** Method and path. */
export const ADDRESSES = {
  health: ['GET', '/v1/health'],
  ready: ['GET', '/v1/ready'],
  screen: ['POST', '/v1/screen'],
  screenWhole: ['POST', '/v1/batches/whole'],
  openBatch: ['POST', '/v1/batches'],
  listBatches: ['GET', '/v1/batches'],
  findBatch: ['GET', '/v1/batches/{id}'],
  abortBatch: ['DELETE', '/v1/batches/{id}'],
  sendPart: ['PUT', '/v1/batches/{id}/parts/{part}'],
  finishBatch: ['POST', '/v1/batches/{id}/finish'],
  listKeys: ['GET', '/v1/keys'],
  createKey: ['POST', '/v1/keys'],
  findKey: ['GET', '/v1/keys/{id}'],
  deleteKey: ['DELETE', '/v1/keys/{id}'],
  sendCode: ['POST', '/v1/auth/otp'],
  openSession: ['POST', '/v1/auth/session'],
  endSession: ['DELETE', '/v1/auth/session'],
  listSessions: ['GET', '/v1/auth/sessions'],
  endOtherSessions: ['DELETE', '/v1/auth/sessions'],
  findSession: ['GET', '/v1/auth/sessions/{id}'],
  endOneSession: ['DELETE', '/v1/auth/sessions/{id}'],
  claimAccount: ['POST', '/v1/account/claim'],
  showBilling: ['GET', '/v1/billing'],
  startCheckout: ['POST', '/v1/billing/checkout'],
  openPortal: ['POST', '/v1/billing/portal'],
  listBaselines: ['GET', '/v1/schema'],
  resetAllBaselines: ['DELETE', '/v1/schema'],
  describeBaseline: ['GET', '/v1/schema/{source}'],
  resetBaseline: ['DELETE', '/v1/schema/{source}'],
  listJobs: ['GET', '/v1/jobs'],
  findJob: ['GET', '/v1/jobs/{id}'],
  sourceHistory: ['GET', '/v1/schema/{source}/history'],
  sourceTrends: ['GET', '/v1/schema/{source}/trends'],
  getSettings: ['GET', '/v1/schema/{source}/settings'],
  putSettings: ['PUT', '/v1/schema/{source}/settings'],
  pinBaseline: ['POST', '/v1/schema/{source}/pin'],
  getRules: ['GET', '/v1/schema/{source}/rules'],
  putRules: ['PUT', '/v1/schema/{source}/rules'],
  deleteRules: ['DELETE', '/v1/schema/{source}/rules'],
  listRuleChanges: ['GET', '/v1/schema/{source}/rules/history'],
  suggestRules: ['GET', '/v1/schema/{source}/rules/suggested'],
  importRules: ['POST', '/v1/schema/{source}/rules/import'],
  acceptBatch: ['POST', '/v1/schema/{source}/accept'],
  giveFeedback: ['POST', '/v1/schema/{source}/feedback'],
  listVersions: ['GET', '/v1/schema/{source}/versions'],
  listSourceChanges: ['GET', '/v1/schema/{source}/changes'],
  rollBack: ['POST', '/v1/schema/{source}/rollback'],
  statistics: ['GET', '/v1/stats'],
  verdictsOverTime: ['GET', '/v1/stats/verdicts'],
  listAlertChannels: ['GET', '/v1/alerts/channels'],
  createAlertChannel: ['POST', '/v1/alerts/channels'],
  findAlertChannel: ['GET', '/v1/alerts/channels/{id}'],
  changeAlertChannel: ['PATCH', '/v1/alerts/channels/{id}'],
  deleteAlertChannel: ['DELETE', '/v1/alerts/channels/{id}'],
  testAlertChannel: ['POST', '/v1/alerts/channels/{id}/test'],
  rotateAlertSecret: ['POST', '/v1/alerts/channels/{id}/rotate'],
  listAlertDeliveries: ['GET', '/v1/alerts/deliveries'],
  findAlertDelivery: ['GET', '/v1/alerts/deliveries/{id}'],
  resendAlertDelivery: ['POST', '/v1/alerts/deliveries/{id}/resend'],
  listIncidents: ['GET', '/v1/incidents'],
  findIncident: ['GET', '/v1/incidents/{id}'],
  acknowledgeIncident: ['POST', '/v1/incidents/{id}/acknowledge'],
  snoozeIncident: ['POST', '/v1/incidents/{id}/snooze'],
} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>;
