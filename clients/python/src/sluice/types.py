"""Types of the service's requests and answers, as `json.loads` gives them. Generated from its OpenAPI document by `npm run contract`; do not edit."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired


#: For programs; the message is for people
ErrorCode = Literal["AUTH_INVALID", "BATCH_FINISHED", "BATCH_LIMIT", "BATCH_OF_WINDOW", "BILLING_NOT_CONFIGURED", "CHANNEL_LIMIT", "CLAIM_CONFLICT", "IDEMPOTENCY_CONFLICT", "INTERNAL", "INVALID_ENCODING", "INVALID_JSON", "INVALID_OPTIONS", "INVALID_PARAMETER", "INVALID_ROWS", "INVALID_RULES", "KEY_IN_USE", "KEY_LIMIT", "MISSING_SOURCE", "NOT_FOUND", "PARTS_MISSING", "PART_CONFLICT", "PAYLOAD_TOO_LARGE", "PLAN_LIMIT_EXCEEDED", "RATE_LIMITED", "REQUEST_TIMEOUT", "SERVICE_UNAVAILABLE", "SUBSCRIPTION_EXISTS", "TOO_LATE", "UNSUPPORTED_MEDIA_TYPE", "VERSION_CONFLICT"]


class Health(TypedDict):
    #: `ok`
    status: str
    #: Version of the API
    version: str


class Ready(TypedDict):
    #: `ready`
    status: str
    #: The stores that were checked
    dependencies: List[str]


class Thresholds(TypedDict):
    """If a value contradicts the default of its partner, the partner takes this value"""

    #: A field with a greater share of rows without a value is a WARN. Absent: the setting of the source, else 0.3
    null_rate_warn: NotRequired[float]
    #: The same for BLOCK. Absent: the setting of the source, else 0.7
    null_rate_block: NotRequired[float]
    #: A field with a greater share of values of another type is a WARN. Absent: the setting of the source, else 0.05
    type_mismatch_warn: NotRequired[float]
    #: The same for BLOCK. Absent: the setting of the source, else 0.2
    type_mismatch_block: NotRequired[float]
    #: Health below which the verdict is WARN. Absent: the setting of the source, else 0.8
    health_warn: NotRequired[float]
    #: Health below which the verdict is BLOCK. Absent: the setting of the source, else 0.5
    health_block: NotRequired[float]


class FieldRules(TypedDict):
    """What must be true of a field"""

    #: The field is in at least one row
    required: NotRequired[Any]
    #: The type of its values, or a list of types
    type: NotRequired[Any]
    #: false: no row is without a value
    nullable: NotRequired[Any]
    #: Share of the rows that may be without a value
    max_null_rate: NotRequired[Any]
    #: No two rows have the same value
    unique: NotRequired[Any]
    #: The smallest number allowed
    minimum: NotRequired[Any]
    #: The largest number allowed
    maximum: NotRequired[Any]
    #: Numbers are above it
    exclusive_minimum: NotRequired[Any]
    #: Numbers are below it
    exclusive_maximum: NotRequired[Any]
    #: Numbers are multiples of it
    multiple_of: NotRequired[Any]
    #: The values that are allowed
    enum: NotRequired[Any]
    #: Texts contain a match of this pattern, in the syntax of RE2
    pattern: NotRequired[Any]
    #: Characters (Unicode code points) that a text has at least
    min_length: NotRequired[Any]
    #: Characters (Unicode code points) that a text has at most
    max_length: NotRequired[Any]
    #: What texts are
    format: NotRequired[Any]
    #: How old the newest date may be: an ISO 8601 duration such as `PT24H`
    max_age: NotRequired[Any]
    #: No value is below, or above, that of the row before
    monotonic: NotRequired[Any]
    #: What a violation makes of the batch: `block` (default) or `warn`
    severity: NotRequired[Literal["warn", "block"]]
    #: Rows that may fail: a share below 1, a whole number from 1 on; default 0
    tolerance: NotRequired[float]
    #: The answer quotes it where the rule is violated
    description: NotRequired[str]


class RowRules(TypedDict):
    """What must be true of the rows as a whole"""

    #: Rows that a batch has at least
    min: NotRequired[Any]
    #: Rows that a batch has at most
    max: NotRequired[Any]
    #: true: there are no other fields than those in `fields`
    closed: NotRequired[Any]
    #: No two rows have the same values in all fields of a list
    unique: NotRequired[List[Any]]
    #: What a violation makes of the batch: `block` (default) or `warn`
    severity: NotRequired[Literal["warn", "block"]]
    #: Rows that may fail: a share below 1, a whole number from 1 on; default 0
    tolerance: NotRequired[float]
    #: The answer quotes it where the rule is violated
    description: NotRequired[str]


class CompareRule(TypedDict):
    """Two fields of a row, or a field and a constant"""

    #: Name of a field
    left: str
    #: How both compare
    op: Literal["==", "!=", "<", "<=", ">", ">="]
    #: The other field, or give `value`
    right: NotRequired[str]
    #: A constant: a number, a date or another text
    value: NotRequired[Any]
    #: What a violation makes of the batch: `block` (default) or `warn`
    severity: NotRequired[Literal["warn", "block"]]
    #: Rows that may fail: a share below 1, a whole number from 1 on; default 0
    tolerance: NotRequired[float]
    #: The answer quotes it where the rule is violated
    description: NotRequired[str]


#: Which rows: one of `equals`, `in` and `null`
WhenRuleIf = TypedDict(
    "WhenRuleIf",
    {
        #: Name of a field
        "field": "str",
        #: It has this value
        "equals": "NotRequired[Any]",
        #: It has one of these values
        "in": "NotRequired[List[Any]]",
        #: true: it has no value; false: it has one
        "null": "NotRequired[bool]",
    },
)


class WhenRuleThen(TypedDict):
    #: By name of the field
    fields: NotRequired[Dict[str, FieldRules]]
    compare: NotRequired[List[CompareRule]]


#: Rules that hold for some rows only
WhenRule = TypedDict(
    "WhenRule",
    {
        #: Which rows: one of `equals`, `in` and `null`
        "if": "WhenRuleIf",
        "then": "WhenRuleThen",
        #: What a violation makes of the batch: `block` (default) or `warn`
        "severity": "NotRequired[Literal[\"warn\", \"block\"]]",
        #: Rows that may fail: a share below 1, a whole number from 1 on; default 0
        "tolerance": "NotRequired[float]",
        #: The answer quotes it where the rule is violated
        "description": "NotRequired[str]",
    },
)


class StatisticRule(TypedDict):
    """Bounds on a statistic of a field"""

    #: Name of a field
    field: str
    #: A statistic of the field, over all rows
    statistic: Literal["null_rate", "number_share", "boolean_share", "object_share", "array_share", "string_share", "empty_rate", "true_share", "padded_share", "distinct_share", "top_value_share", "median", "mean", "quantile_1_16", "quartile_1", "quartile_3", "quantile_15_16", "interquartile_range", "standard_deviation", "max_distance", "min_distance", "outlier_share", "integer_share", "zero_share", "negative_share", "multiple_of_10_share", "one_decimal_share", "two_decimal_share", "sequence_completeness", "mean_length", "length_standard_deviation", "top_format_share", "distinct_format_share", "with_digit_share", "with_upper_share", "capitals_share", "missing_text_share", "with_space_share", "non_ascii_share", "email_share", "digit_share", "upper_share", "space_share", "date_share", "date_age", "date_range", "adjacent_equal_share", "adjacent_rising_share", "sum", "min", "max", "distinct_count"]
    #: Its lower bound
    minimum: NotRequired[float]
    #: Its upper bound
    maximum: NotRequired[float]
    #: What a violation makes of the batch: `block` (default) or `warn`
    severity: NotRequired[Literal["warn", "block"]]
    #: The answer quotes it where the rule is violated
    description: NotRequired[str]


class RulesDocument(TypedDict):
    """What must be true of a source"""

    #: By name of the field
    fields: NotRequired[Dict[str, FieldRules]]
    rows: NotRequired[RowRules]
    compare: NotRequired[List[CompareRule]]
    when: NotRequired[List[WhenRule]]
    statistics: NotRequired[List[StatisticRule]]
    #: What a violation makes of the batch: `block` (default) or `warn`
    severity: NotRequired[Literal["warn", "block"]]
    #: Rows that may fail: a share below 1, a whole number from 1 on; default 0
    tolerance: NotRequired[float]
    #: What the rules are for
    description: NotRequired[str]


class Options(TypedDict):
    """Options for this batch"""

    #: Measure the values of all rows instead of a sample. Absent: false
    full_scan: NotRequired[bool]
    #: Return every row to hold back in `quarantine`; implies a full scan. Absent: false
    row_verdicts: NotRequired[bool]
    thresholds: NotRequired[Thresholds]
    rules: NotRequired[RulesDocument]
    #: Signs of damaged values and names that are looked for: all of them (`true`), none (`false`), or those that are named. Absent: all
    signs: NotRequired[Any]
    #: Only judge: learn, store and count nothing. Absent: false
    dry_run: NotRequired[bool]
    #: Judge by past batches of the source alone (`adaptive`), or also by the documented thresholds (`contract`). `auto`: the setting of the source; if it has none, `contract` for rates of at least 20 cells until three batches were seen, then `adaptive`. Absent: the setting of the source, else of the server
    mode: NotRequired[Literal["contract", "adaptive", "auto"]]
    #: Share of clean batches that may be WARN because of their past, in both modes. Absent: the setting of the source, else 0.01
    false_alarm_rate: NotRequired[float]
    #: Index of this chunk in a larger batch, from 0 or 1
    batch_index: NotRequired[int]
    #: Number of chunks of the larger batch; if above 1, the row count is not judged
    total_batches: NotRequired[int]


class ScreenRequest(TypedDict):
    """Members may be in any order"""

    #: Name of the pipeline or table; each source has its own baseline
    source: str
    rows: List[Row]
    options: NotRequired[Options]


class SchemaField(TypedDict):
    #: Dominant type; `null` without any value, `mixed` without a majority
    type: Literal["number", "boolean", "object", "array", "string", "null", "mixed"]
    #: Share of the non-null values that have the dominant type (of `mixed`, the most frequent)
    confidence: float


class RowSpan(TypedDict):
    """Of a batch of more than 10,000 rows: the stretch to which the finding is confined, numbered as `rows` are; absent where it is spread over the batch"""

    first_row: int
    last_row: int


class TypeMismatchDetail(TypedDict):
    #: The baseline's type, or the most frequent one
    expected: Literal["number", "boolean", "object", "array", "string"]
    #: Other types that were found
    found: List[Literal["number", "boolean", "object", "array", "string"]]
    #: One value of another type. Absent from a kept job where no values are kept (`STORE_VALUES=false`)
    sample_value: NotRequired[Any]
    #: Share of the non-null values
    rate: float
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats)
    rows: NotRequired[List[int]]
    span: NotRequired[RowSpan]
    #: `warning` above the warn threshold, `critical` above the block threshold
    severity: Literal["warning", "critical"]


class SlightTypeMismatch(TypedDict):
    #: The baseline's type, or the most frequent one
    expected: Literal["number", "boolean", "object", "array", "string"]
    #: Other types that were found
    found: List[Literal["number", "boolean", "object", "array", "string"]]
    #: One value of another type. Absent from a kept job where no values are kept (`STORE_VALUES=false`)
    sample_value: NotRequired[Any]
    #: Share of the non-null values
    rate: float
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats)
    rows: NotRequired[List[int]]
    span: NotRequired[RowSpan]


class NullRateDetail(TypedDict):
    #: Share of the rows without a value
    actual: float
    #: The threshold that was crossed
    threshold: float
    #: `warning` above the warn threshold, `critical` above the block threshold
    severity: Literal["warning", "critical"]
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats). Only where the field normally has a value
    rows: NotRequired[List[int]]
    span: NotRequired[RowSpan]


class OutlierSummary(TypedDict):
    #: Values outside the outer Tukey fences
    count: int
    #: The smallest of them. Absent from a kept job where no values are kept
    min: NotRequired[float]
    #: The largest of them. Absent from a kept job where no values are kept
    max: NotRequired[float]
    #: How grave it is
    severity: Literal["info", "warning", "critical"]
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats)
    rows: NotRequired[List[int]]
    span: NotRequired[RowSpan]


class RaggedRowsCells(TypedDict):
    #: Cells of the first one
    first: int
    #: Names of the header
    header: int


class RaggedRows(TypedDict):
    #: CSV records whose cell count is not that of the header
    count: int
    #: Share of the rows
    rate: float
    #: Line of the first one, from 1; 0 in a batch of several files
    first_line: int
    cells: NotRequired[RaggedRowsCells]
    #: The last row has too few cells and no end of line: the upload may have been cut
    ends_early: NotRequired[bool]
    #: How grave it is
    severity: Literal["info", "warning", "critical"]
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats)
    rows: NotRequired[List[int]]
    span: NotRequired[RowSpan]


class LayoutIssue(TypedDict):
    #: What was seen; docs/layout.md explains each
    sign: Literal["no_header", "two_headers", "units_row", "blank_header", "blank_names", "one_column", "comment_lines", "header_repeated", "quote_spans_lines", "mark_inside", "space_before_quote", "backslash_escapes", "total_row", "trailing_notes", "blank_rows", "wrapped_rows", "error_message"]
    #: Records that show it; 1 of a header
    count: int
    #: CSV: the first lines that show it, from 1
    lines: NotRequired[List[int]]
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats). Only where they are no rows of the table
    rows: NotRequired[List[int]]
    #: One sentence: what it is, and what to do
    detail: str
    #: `warning` above the warn threshold, `critical` above the block threshold
    severity: Literal["warning", "critical"]


class SignIssue(TypedDict):
    #: What was seen; docs/signs.md explains each
    sign: Literal["odd_name", "similar_names", "replacement_character", "mojibake", "invisible_character", "spreadsheet_error", "impossible_date", "missing_offset", "two_day_orders", "rounded_ids", "cut_texts", "two_decimal_signs", "spreadsheet_null", "sentinel_date", "sentinel_number", "whole_decimals", "mixed_offset", "test_data"]
    #: Name of the field
    field: str
    #: Values that show it; 1 of a name
    count: int
    #: Share of the values that are not null; of `spreadsheet_null` of the rows
    rate: NotRequired[float]
    #: The first of them, each cut at 64 characters. Absent from a kept job where no values are kept
    sample_values: NotRequired[List[str]]
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats)
    rows: NotRequired[List[int]]
    #: One sentence: what it is, and what to do
    detail: str
    #: `info` where such values are often right
    severity: Literal["info", "warn"]


class RuleViolation(TypedDict):
    #: Path of the rule in the document of rules, such as `fields.quantity.minimum`
    rule: str
    #: Name of the field; `*` for the batch as a whole
    field: str
    #: What the rule is about, such as `minimum`
    kind: str
    #: What is demanded; at most 20 values of an enumeration, which are absent from a kept job where no values are kept
    expected: NotRequired[Any]
    #: Rows that fail; 1 where the batch fails as a whole
    count: int
    #: Share of the rows that the rule is about; 1 where the batch fails as a whole
    rate: float
    #: The value of the first row that fails (of several fields an object), or what was measured. Absent from a kept job where no values are kept
    sample_value: NotRequired[Any]
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats)
    rows: NotRequired[List[int]]
    span: NotRequired[RowSpan]
    #: As the rule says
    severity: Literal["warn", "block"]
    #: As the rule says
    description: NotRequired[str]


class UncheckedRules(TypedDict):
    #: Name of the field
    field: str
    #: Paths of rules that name it: the first five, each cut at 200 characters
    rules: List[str]
    #: Rules that name it
    count: int
    #: An existing field with a similar name
    meant: NotRequired[str]
    #: `info` where earlier batches usually lacked the field
    severity: Literal["info", "warn"]


class Issues(TypedDict):
    """Present members have something to report"""

    #: Fields with values of unexpected type
    type_mismatches: NotRequired[Dict[str, TypeMismatchDetail]]
    #: Fields with values of unexpected type, in a share below the warn threshold: they lower health in proportion
    slight_type_mismatches: NotRequired[Dict[str, SlightTypeMismatch]]
    #: Fields with a high null rate
    null_rates: NotRequired[Dict[str, NullRateDetail]]
    #: Number fields with outliers
    outliers: NotRequired[Dict[str, OutlierSummary]]
    #: The names in `outliers`
    outlier_fields: NotRequired[List[str]]
    #: Names that are repeated, or differ only in case, spaces, `_` or `-`
    duplicate_fields: NotRequired[List[str]]
    #: Whether the row count is anomalous; absent when it is not
    row_count_anomaly: NotRequired[bool]
    #: New values of fields that had few, at most 20 a field, cut at 64 characters
    new_enum_values: NotRequired[Dict[str, List[str]]]
    #: Rows with new values, by field
    new_enum_value_rows: NotRequired[Dict[str, List[int]]]
    ragged_rows: NotRequired[RaggedRows]
    #: Signs that what was read is not the table that was sent, such as a title that was taken for the header
    layout: NotRequired[List[LayoutIssue]]
    #: Signs that values or names were damaged before they came, such as dates that do not exist
    signs: NotRequired[List[SignIssue]]
    #: Declared rules that do not hold, the gravest first
    rule_violations: NotRequired[List[RuleViolation]]
    #: Declared rules that check nothing, by the field that they name and no row has
    unchecked_rules: NotRequired[List[UncheckedRules]]


class DriftEvent(TypedDict):
    #: Name of the field; `*` for the batch as a whole
    field: str
    #: What has changed
    kind: Literal["field_added", "field_removed", "type_changed", "null_spike", "cardinality_change", "new_enum_value", "row_count_anomaly", "empty_string_spike"]
    #: How grave it is
    severity: Literal["info", "warn", "block"]
    #: For people
    detail: str
    #: What it was in the baseline
    previous: NotRequired[str]
    #: What it is now
    current: NotRequired[str]


class Anomaly(TypedDict):
    #: Name of the field; `*` for the batch as a whole
    field: str
    #: What is unusual: a kind of finding, such as `repeated_batch`, or a statistic: `null_rate` (share of nulls), `number_share` (share of numbers), `boolean_share` (share of booleans), `object_share` (share of objects), `array_share` (share of arrays), `string_share` (share of texts), `empty_rate` (share of empty texts), `true_share` (share of true), `padded_share` (share of texts with spaces at their ends), `new_value_share` (share of values that were never seen), `distinct_share` (share of distinct values), `top_value_share` (share of the most frequent value), `value_distribution` (mix of values), `median` (median), `mean` (mean), `quantile_1_16` (lowest sixteenth), `quartile_1` (lower quartile), `quartile_3` (upper quartile), `quantile_15_16` (highest sixteenth), `interquartile_range` (interquartile range), `standard_deviation` (standard deviation), `max_distance` (distance of the largest number from the median in interquartile ranges), `min_distance` (distance of the smallest number from the median in interquartile ranges), `outlier_share` (share of outliers), `far_number_share` (share of numbers far outside the earlier range), `integer_share` (share of whole numbers), `zero_share` (share of zeros), `negative_share` (share of negative numbers), `multiple_of_10_share` (share of multiples of 10), `one_decimal_share` (share of numbers with at most one decimal), `two_decimal_share` (share of numbers with at most two decimals), `sequence_completeness` (completeness of the sequence), `mean_length` (mean length in characters), `length_standard_deviation` (standard deviation of lengths in characters), `top_format_share` (share of the most frequent format), `distinct_format_share` (share of distinct formats), `format_distribution` (mix of formats), `character_distribution` (mix of kinds of characters), `with_digit_share` (share of texts with a digit), `with_upper_share` (share of texts with an upper-case letter), `capitals_share` (share of texts in capital letters), `missing_text_share` (share of texts that stand for a missing value), `with_space_share` (share of texts with a space), `non_ascii_share` (share of texts with a character beyond ASCII), `email_share` (share of e-mail addresses), `digit_share` (share of digits among the characters), `upper_share` (share of upper-case letters among the characters), `space_share` (share of spaces among the characters), `date_share` (share of dates), `date_age` (age of the newest dates in hours), `date_range` (time from the oldest dates to the newest in hours), `hour_distribution` (mix of hours of the day), `adjacent_equal_share` (share of rows with the value of the row before), `adjacent_rising_share` (share of rows with a higher value than the row before), `distinct_pair_share` (share of distinct pairs with a column beside it), `agreement_share` (share of rows that rise and fall with a column beside it), `row_count` (row count), `duplicate_row_share` (share of rows that repeat an earlier row)
    statistic: str
    #: Its value. Of numbers absent from a kept job where no values are kept
    observed: NotRequired[float]
    #: Between these it would not have been reported. Absent as `observed` is
    expected: NotRequired[List[float]]
    #: −log10 of the chance of anything as unusual in a clean batch: 2 is one batch in a hundred
    unusual: float
    #: How grave it is; `info` changes no verdict
    severity: Literal["info", "warn", "block"]
    #: For people
    detail: str
    #: The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats). Only where single rows stand out
    rows: NotRequired[List[int]]
    span: NotRequired[RowSpan]


class Gate(TypedDict):
    """What the verdict rests on"""

    #: The mode that judged
    mode: Literal["contract", "adaptive"]
    #: Batches of history, at most 32
    history: int
    #: Whether there are fewer than 3 of them: then batches may differ by what is assumed of any source
    learning: bool
    #: Share of clean batches that may be WARN because of their past. For BLOCK, the probability must be below about the square of this share, and the change large
    false_alarm_rate: float
    #: Share of clean batches that will be WARN, estimated from the history; absent without one
    expected_false_alarm_rate: NotRequired[float]


class QuarantineReasonsItem(TypedDict):
    #: What is wrong with these rows
    code: Literal["type_mismatch", "ragged", "layout", "damaged_value", "null", "empty", "new_value", "outlier", "repeated_value", "duplicate_row", "unusual_number", "unusual_text", "rule_violation"]
    #: Name of the field; `*` of ragged and of repeated rows, and of rules about several fields
    field: str
    #: Of `rule_violation`: the path of the rule
    rule: NotRequired[str]
    #: How grave it is
    severity: Literal["info", "warning", "critical"]
    #: Rows that have it
    count: int


class QuarantineWholeBatchItem(TypedDict):
    #: A kind of drift, `null_rates`, an anomaly's statistic, `repeated_batch`, or `anomalies` where there are more than the report lists; of a batch in parts also a code of `reasons`: not all of its rows are named
    code: str
    #: Name of the field; `*` where it concerns none
    field: str
    #: Of `rule_violation`: the path of the rule
    rule: NotRequired[str]
    #: How grave it is
    severity: Literal["warning", "critical"]


class Quarantine(TypedDict):
    """The rows to hold back, so that the others may pass"""

    #: Rows in it
    count: int
    #: The gravest first
    reasons: List[QuarantineReasonsItem]
    #: Each row with its first 8 reasons, ascending; without reasons where these were left out
    rows: List[List[Any]]
    #: Findings that stay whichever rows you hold back
    whole_batch: List[QuarantineWholeBatchItem]


class BlockedSince(TypedDict):
    """Batches before this one were BLOCKed for the same field, or proposed the same new normal: `job_id` is the first"""

    #: Id of the job and of its request; ids sort by time
    job_id: str
    #: When the first batch came
    timestamp: str
    #: How many there are with this one
    batches: int
    #: What to do if this is the new normal, or if declared rules block it; for people
    accept: str
    #: WARN: number of batches after which they are the new normal
    settles_after: NotRequired[int]


class AdviceSet(TypedDict):
    """Add these to the settings of the source"""

    #: As in the settings of a source
    mode: NotRequired[Literal["adaptive"]]
    #: By its name
    thresholds: NotRequired[Dict[str, float]]


class Advice(TypedDict):
    """What to set where usual batches cross a threshold of contract mode"""

    #: Fields that the advice is about, at most 20
    fields: List[str]
    #: Add these to the settings of the source
    set: AdviceSet
    #: For people
    detail: str


class LeftOut(TypedDict):
    """What the report leaves out, so that it has at most 1,536 KiB: the mildest entries of its longest lists, and anomalies beyond the first 50. The verdict, health and reason rest on all of them. Absent where nothing is left out"""

    #: Entries missing in `schema`
    schema: NotRequired[int]
    #: Entries missing in `issues`
    issues: NotRequired[int]
    #: Entries missing in `drift`
    drift: NotRequired[int]
    #: Entries missing in `anomalies`
    anomalies: NotRequired[int]
    #: Entries missing in `quarantine.reasons` and `quarantine.whole_batch`
    quarantine: NotRequired[int]
    #: Entries missing in `stats.untracked_fields`
    untracked_fields: NotRequired[int]


class Stats(TypedDict):
    #: Rows in the request
    rows_received: int
    #: Rows whose values were measured
    rows_sampled: int
    #: Their share of the rows
    sample_ratio: float
    #: Name and version of the sampling method
    sample_version: NotRequired[str]
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Fields for which the source's baseline has no room: they are not compared
    untracked_fields: NotRequired[List[str]]
    left_out: NotRequired[LeftOut]
    #: What numbers of rows mean; absent where no row is named
    row_numbers: NotRequired[Literal["index", "line"]]
    #: The request stored, learned and counted nothing; absent otherwise
    dry_run: NotRequired[bool]
    #: The baseline is pinned and learns nothing; absent otherwise
    pinned: NotRequired[bool]
    #: The baseline did not learn the batch: the account keeps all bytes that it may; absent otherwise
    storage_full: NotRequired[bool]


class WindowSoFarFindingsItem(TypedDict):
    #: Its kind
    kind: str
    #: The field; absent: of the request as a whole
    field: NotRequired[str]
    #: Of `rule_violation`: the path of the rule
    rule: NotRequired[str]
    #: What it makes the verdict of a request
    severity: Literal["warn", "block"]
    #: Requests that have it
    posts: int


class WindowSoFar(TypedDict):
    """Of a source with a window: the batch that the rows of this request are part of. It is judged by the past when the window ends"""

    #: Id of its batch
    batch_id: str
    #: Rows that it has so far, with those of this request
    rows: int
    #: What its requests have so far, the gravest first, at most 50; absent without any
    findings: NotRequired[List[WindowSoFarFindingsItem]]


class ReportDecision(TypedDict):
    #: The same as `status`
    action: Literal["PASS", "WARN", "BLOCK"]
    #: The causes, worst first, for people
    reason: str


class Report(TypedDict):
    #: Id of the job and of its request; ids sort by time
    request_id: str
    #: The same as `request_id`
    batch_id: str
    #: The verdict
    status: Literal["PASS", "WARN", "BLOCK"]
    #: Health of the data; 1 is perfect
    health_score: float
    decision: ReportDecision
    #: By name of the field
    schema: Dict[str, SchemaField]
    #: SHA-256 of the names and types, whatever their order
    schema_fingerprint: str
    issues: NotRequired[Issues]
    #: What differs from the baseline; absent when nothing does
    drift: NotRequired[List[DriftEvent]]
    #: Statistics that differ from the source's history, and other unusual things such as a repeated batch; the most unusual first. Absent without any
    anomalies: NotRequired[List[Anomaly]]
    gate: NotRequired[Gate]
    quarantine: NotRequired[Quarantine]
    blocked_since: NotRequired[BlockedSince]
    #: Contract mode: absent where there is nothing to say
    advice: NotRequired[List[Advice]]
    stats: Stats
    window: NotRequired[WindowSoFar]
    #: Processing time in milliseconds, without the time that the body took to arrive
    latency_ms: int
    #: When it was answered
    timestamp: str


class BatchRequest(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    options: NotRequired[Options]


class OpenedBatch(TypedDict):
    #: Id of the batch
    batch_id: str
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Until then it can be finished
    expires_at: str


class SentPart(TypedDict):
    #: Number of the part, from 0
    part: int
    #: Rows of the part
    rows: int
    #: SHA-256 of the body's bytes as they were sent, in hex
    sha256: str
    quarantine: NotRequired[Quarantine]


class BatchInPartsWindow(TypedDict):
    """Of a batch that posts to a source with a window become; absent for others"""

    #: With so many rows it ends
    rows: int
    #: When it ends with fewer; null: it has been judged
    ends_at: Union[str, None]


class BatchInParts(TypedDict):
    #: Id of the batch
    batch_id: str
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Whether it takes parts; while it is being finished it is open
    status: Literal["open", "finished", "aborted", "expired"]
    #: Rows so far; absent in a list, but of a window
    rows: NotRequired[int]
    #: Absent in a list, and of a window
    parts: NotRequired[List[SentPart]]
    #: Of a batch that posts to a source with a window become; absent for others
    window: NotRequired[BatchInPartsWindow]
    #: When it was opened
    created_at: str
    #: Until then it can be finished
    expires_at: str
    #: Id of its answer, and of its job; null before that
    request_id: Union[str, None]


class BatchList(TypedDict):
    batches: List[BatchInParts]


class FinishRequest(TypedDict):
    #: How many parts the batch has
    parts: int


class ApiKey(TypedDict):
    #: Identifier of the key
    id: str
    #: Label given at creation
    name: str
    #: First characters of the key, for display
    key_prefix: str
    #: When it was created
    created_at: str
    #: When it was last used; null if never
    last_used: Union[str, None]


class KeyList(TypedDict):
    keys: List[ApiKey]


class KeyRequest(TypedDict):
    #: Name of the key, without control characters, line ends, characters that change the direction of text, or lone surrogates. Null or absent: API key
    name: NotRequired[Union[str, None]]


class NewKey(TypedDict):
    #: The key, shown only in this response
    key: str
    #: Identifier of the key
    id: str
    #: Label given at creation
    name: str


class DeletedKey(TypedDict):
    #: true
    ok: bool
    #: Identifier of the key
    id: str
    #: What happened, for people
    message: str


class CodeRequest(TypedDict):
    #: Address to send the code to
    email: str


class CodeSent(TypedDict):
    #: true
    ok: bool
    #: What happens next, for people
    message: str


class SessionRequest(TypedDict):
    #: Address to send the code to
    email: str
    #: The six digits from the mail
    code: str


class Session(TypedDict):
    #: Send it as `Authorization: Bearer` instead of a key
    token: str
    #: When the session expires
    expires_at: str


class EndedSession(TypedDict):
    #: true
    ok: bool


class ListedSession(TypedDict):
    #: Identifies the session; it grants no access
    id: str
    #: When the user signed in
    created_at: str
    #: When it ends
    expires_at: str
    #: Whether the request itself has this session
    current: bool


class SessionList(TypedDict):
    sessions: List[ListedSession]


class EndedOtherSessions(TypedDict):
    #: true
    ok: bool
    #: Sessions that have ended
    ended: int


class EndedOneSession(TypedDict):
    #: true
    ok: bool
    #: The session that has ended
    id: str


class ClaimRequest(TypedDict):
    #: An API key of the account to sign in to
    key: str


class ClaimedAccount(TypedDict):
    #: true
    ok: bool
    #: What happened, for people
    message: str


class Billing(TypedDict):
    #: Plan of the account
    plan: Literal["developer", "starter", "growth", "scale"]
    #: Rows of requests that were answered with 200 in this period
    rowsProcessed: int
    #: Number of these requests
    requestCount: int
    #: Start of the period: that of the subscription, or the calendar month
    periodStart: str
    #: Start of the next period
    periodEnd: str
    #: Whether the operator has set up payments
    plansForSale: bool


class CheckoutRequest(TypedDict):
    #: The plan to subscribe to
    tier: Literal["starter", "growth", "scale"]


class PageAddress(TypedDict):
    #: Page of the payment provider to send the user to
    url: str


class BaselineSize(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Number of batches learned
    batches: int
    #: Number of rows learned
    rows: int
    #: Time of its newest job; null if no job is stored
    last_seen: Union[str, None]
    #: Who answers for the source; absent if the settings do not say
    owner: NotRequired[str]
    #: Absent without tags
    tags: NotRequired[List[str]]


class BaselineList(TypedDict):
    sources: List[BaselineSize]
    #: Pass it as `after` to get the next page; absent on the last page
    next: NotRequired[str]


class Reset(TypedDict):
    #: true
    ok: bool
    #: The source, or `all`
    reset: str
    #: What happened, for people
    message: str


class BlockedRun(TypedDict):
    """Present if the newest batches were BLOCKed for the same field"""

    #: Id of the job and of its request; ids sort by time
    job_id: str
    #: Time of the first one
    timestamp: str
    #: Number of batches
    batches: int
    #: Id of the job and of its request; ids sort by time
    last_job_id: str


class BaselineField(TypedDict):
    """Averages. The weight of a batch halves every 10 batches. null: not known"""

    #: Dominant type; `null` without any value, `mixed` without a majority
    type: Literal["number", "boolean", "object", "array", "string", "null", "mixed"]
    #: Share of rows that have the field, including nulls
    presence: Union[float, None]
    #: Share of rows without a value
    null_rate: Union[float, None]
    #: Share of empty strings among strings
    empty_rate: Union[float, None]
    #: Distinct values divided by values, in a batch
    distinct_ratio: Union[float, None]
    #: Estimated number of distinct values ever seen; standard error 4.6%. Null where no values are kept
    approx_distinct: Union[int, None]
    #: Number of known values, if an unknown value would be drift
    low_cardinality: Union[int, None]
    #: Quantiles of the numbers, by probability
    quantiles: NotRequired[Dict[str, float]]


class Baseline(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Number of batches learned
    batches: int
    #: Number of rows learned
    rows: int
    #: Learned from a BLOCKed batch; the next batch that is not BLOCKed replaces it
    provisional: bool
    #: Time of its newest job; null if no job is stored
    last_seen: Union[str, None]
    #: Mode of the source, unless a request sets another
    mode: Literal["contract", "adaptive", "auto"]
    #: Whether the baseline stopped learning
    pinned: bool
    blocked_since: NotRequired[BlockedRun]
    advice: NotRequired[List[Advice]]
    #: Fields by name
    fields: Dict[str, BaselineField]


class Job(TypedDict):
    #: Id of the job and of its request; ids sort by time
    id: str
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: The verdict
    status: Literal["PASS", "WARN", "BLOCK"]
    #: Health of the data; 1 is perfect
    health_score: float
    #: Rows in the request
    rows_received: int
    #: Drift events
    drift_count: int
    #: Processing time in milliseconds
    latency_ms: int
    #: Time of the response
    created_at: str


class JobList(TypedDict):
    jobs: List[Job]


class JobFeedback(TypedDict):
    #: What was said of the batch
    said: Literal["accepted", "expected", "bad"]
    #: Id of the API key; null: a person who was signed in
    by: Union[str, None]
    #: The last time that it was said
    at: str
    #: Who said it, as it was then: the address of a person, or name and first letters of an API key; absent where that is no longer known
    who: NotRequired[str]
    #: When the baseline was reset or went back to a version; absent: not since it was said
    undone_at: NotRequired[str]


class Histogram(TypedDict):
    #: The smallest number
    low: float
    #: The largest number
    high: float
    #: Of equal intervals, each with its lower bound, the last one with its upper too
    counts: List[int]


class Numbers(TypedDict):
    """Where no values are kept (`STORE_VALUES=false`), only the count"""

    #: Finite numbers that were measured
    count: int
    #: The smallest
    min: NotRequired[float]
    #: The largest
    max: NotRequired[float]
    #: Their mean
    mean: NotRequired[float]
    #: Divided by the count; null beyond a double
    standard_deviation: NotRequired[Union[float, None]]
    #: By probability (type 7)
    quantiles: NotRequired[Dict[str, float]]
    histogram: NotRequired[Histogram]


class Dates(TypedDict):
    """Where no values are kept (`STORE_VALUES=false`), or the order of day and month is not known, without `earliest` and `latest`"""

    #: How most of them are written, such as `YYYY-MM-DD` or `epoch seconds`
    format: str
    #: How many notations there are; above 1 the field mixes them
    formats: int
    #: Share of the inspected texts, or of the numbers, that are dates: at least 0.5
    share: float
    #: The earliest, in UTC where no zone is written
    earliest: NotRequired[str]
    #: The latest, in UTC where no zone is written
    latest: NotRequired[str]
    #: The longest unit that all are multiples of
    resolution: NotRequired[Literal["day", "hour", "minute", "second", "millisecond"]]


class SemanticType(TypedDict):
    """Of fields that are likely to be personal data, told by pattern and check digits"""

    #: What the values are
    type: Literal["email", "card_number", "iban", "phone", "ip_address"]
    #: About their share of the values that are not empty, by some of them: at least 0.8
    share: float


class TopValue(TypedDict):
    #: Cut at 64 characters
    value: str
    #: How often it occurs
    count: int


class FieldProfileTypes(TypedDict):
    #: Values of type number
    number: int
    #: Values of type boolean
    boolean: int
    #: Values of type object
    object: int
    #: Values of type array
    array: int
    #: Values of type string
    string: int


class FieldProfileStatistics(TypedDict):
    """Those that the field has"""

    #: Share of the numbers that are whole
    integer_share: NotRequired[float]
    #: Share of the texts with a character beyond ASCII
    non_ascii_share: NotRequired[float]
    #: Share of the texts that look like e-mail addresses
    email_share: NotRequired[float]


class FieldProfile(TypedDict):
    #: The type that an Arrow or Parquet body declares, as pyarrow writes it: `int64`, `timestamp[us, tz=UTC]`
    physical_type: NotRequired[str]
    #: Rows that have the field, nulls included
    present: int
    #: Rows without a value
    nulls: int
    #: Their share of the rows
    null_rate: float
    #: Empty strings
    empties: int
    types: FieldProfileTypes
    #: By value, `true` and `false`, where there are any
    booleans: NotRequired[Dict[str, int]]
    #: Non-null values that were measured
    values: int
    #: How many of them differ
    distinct: int
    numbers: NotRequired[Numbers]
    dates: NotRequired[Dates]
    semantic_type: NotRequired[SemanticType]
    #: Those that the field has
    statistics: NotRequired[FieldProfileStatistics]
    #: The most frequent strings, where few differ and some repeat
    top_values: NotRequired[List[TopValue]]


class Profile(TypedDict):
    #: By name of the field
    fields: Dict[str, FieldProfile]
    #: Fields that are missing, so that the job has at most 2,048 KiB; fields with findings stay first. Absent where none is missing
    left_out: NotRequired[int]


class CompleteJob(TypedDict):
    #: Id of the job and of its request; ids sort by time
    id: str
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: The verdict
    status: Literal["PASS", "WARN", "BLOCK"]
    #: Health of the data; 1 is perfect
    health_score: float
    #: Rows in the request
    rows_received: int
    #: Drift events
    drift_count: int
    #: Processing time in milliseconds
    latency_ms: int
    #: Time of the response
    created_at: str
    #: Feedback that changed the baseline, in the order of time; absent without any
    feedback: NotRequired[List[JobFeedback]]
    report: Report
    profile: Profile


class HistoryEntry(TypedDict):
    #: Id of the job and of its request; ids sort by time
    job_id: str
    #: Time of the response
    created_at: str
    #: The verdict
    status: Literal["PASS", "WARN", "BLOCK"]
    #: Health of the data; 1 is perfect
    health_score: float
    #: Rows in the request
    rows_received: int
    #: Drift events
    drift_count: int
    drift: List[DriftEvent]
    #: Null rates by field
    null_rates: Dict[str, float]
    #: Fields that `null_rates` lacks, where it would exceed 128 KiB; absent elsewhere
    null_rates_left_out: NotRequired[int]
    #: Version 1.0 stored more than 1 MiB here: `drift` and `null_rates` are empty; absent elsewhere
    too_large: NotRequired[bool]


class History(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    batches: List[HistoryEntry]
    #: Where the page ends because it has 2 MiB: `before` of the next page
    next: NotRequired[str]


class TrendBatch(TypedDict):
    #: Id of the job and of its request; ids sort by time
    job_id: str
    #: When it was screened
    created_at: str
    #: The verdict
    status: Literal["PASS", "WARN", "BLOCK"]
    #: Whether the baseline learned it
    learned: bool


class Trend(TypedDict):
    """Each list has one entry a batch, in the order of `batches`"""

    #: Name of the statistic, as in `anomalies`
    statistic: str
    #: Its name for people
    label: str
    #: share (0 to 1), value (of the field itself), widths, characters, hours or rows
    unit: str
    #: Value of each batch; null where the batch lacks the statistic
    values: List[Union[float, None]]
    #: Expected value, from the batches before it; null for the first batches
    usual: List[Union[float, None]]
    #: Lower bound: a value from `low` to `high` raises no alarm; null: no bound
    low: List[Union[float, None]]
    #: Upper bound; null: no bound
    high: List[Union[float, None]]
    alarms: List[Union[str, None]]


class Trends(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: The field; null: the batch as a whole
    field: Union[str, None]
    #: Oldest first
    batches: List[TrendBatch]
    statistics: List[Trend]


class SettingsThresholds(TypedDict):
    """Thresholds that are set, by name; null or absent: the default of the server"""

    #: Like the option of a batch
    null_rate_warn: NotRequired[Union[float, None]]
    #: Like the option of a batch
    null_rate_block: NotRequired[Union[float, None]]
    #: Like the option of a batch
    type_mismatch_warn: NotRequired[Union[float, None]]
    #: Like the option of a batch
    type_mismatch_block: NotRequired[Union[float, None]]
    #: Like the option of a batch
    health_warn: NotRequired[Union[float, None]]
    #: Like the option of a batch
    health_block: NotRequired[Union[float, None]]


class SettingsWindow(TypedDict):
    """For a source that gets many small posts: each is judged alone, and together they are one batch, which is judged by the past when the window ends. A change ends the open window"""

    #: It ends with so many rows
    rows: int
    #: It ends so long after its first post
    ms: int


class SettingsEffectiveThresholds(TypedDict):
    #: The threshold
    null_rate_warn: float
    #: The threshold
    null_rate_block: float
    #: The threshold
    type_mismatch_warn: float
    #: The threshold
    type_mismatch_block: float
    #: The threshold
    health_warn: float
    #: The threshold
    health_block: float


class SettingsEffective(TypedDict):
    """Settings of a batch without options"""

    #: The mode
    mode: Literal["contract", "adaptive", "auto"]
    thresholds: SettingsEffectiveThresholds
    #: Share of clean batches that may be WARN
    false_alarm_rate: float
    #: Number of batches that differ in the same way after which they are the new normal; half as many if none was BLOCK
    settle_after: Any
    signs: List[Literal["odd_name", "similar_names", "replacement_character", "mojibake", "invisible_character", "spreadsheet_error", "impossible_date", "missing_offset", "two_day_orders", "rounded_ids", "cut_texts", "two_decimal_signs", "spreadsheet_null", "sentinel_date", "sentinel_number", "whole_decimals", "mixed_offset", "test_data"]]


class Settings(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Mode of the source; null or absent: the default of the server
    mode: Literal["contract", "adaptive", "auto", None]
    #: Thresholds that are set, by name; null or absent: the default of the server
    thresholds: Union[SettingsThresholds, None]
    #: Share of clean batches that may be WARN
    false_alarm_rate: Union[float, None]
    #: Number of batches that differ in the same way after which they are the new normal; half as many if none was BLOCK
    settle_after: Any
    #: Signs of damaged values and names that are looked for, as `options.signs` of a batch; null or absent: all
    signs: Any
    #: For a source that gets many small posts: each is judged alone, and together they are one batch, which is judged by the past when the window ends. A change ends the open window
    window: Union[SettingsWindow, None]
    #: Who answers for the source: a person or a team
    owner: Union[str, None]
    #: Words to find the source by
    tags: Union[List[str], None]
    #: Grows with each change, and when all settings are removed; 0: the source never had any
    version: int
    #: When they were changed last; absent without settings, and for those of older releases
    updated_at: NotRequired[str]
    #: Id of the API key that changed them; null: a person who was signed in
    updated_by: NotRequired[Union[str, None]]
    #: Settings of a batch without options
    effective: SettingsEffective


class SettingsRequestThresholds(TypedDict):
    """Thresholds that are set, by name; null or absent: the default of the server"""

    #: Like the option of a batch
    null_rate_warn: NotRequired[Union[float, None]]
    #: Like the option of a batch
    null_rate_block: NotRequired[Union[float, None]]
    #: Like the option of a batch
    type_mismatch_warn: NotRequired[Union[float, None]]
    #: Like the option of a batch
    type_mismatch_block: NotRequired[Union[float, None]]
    #: Like the option of a batch
    health_warn: NotRequired[Union[float, None]]
    #: Like the option of a batch
    health_block: NotRequired[Union[float, None]]


class SettingsRequestWindow(TypedDict):
    """For a source that gets many small posts: each is judged alone, and together they are one batch, which is judged by the past when the window ends. A change ends the open window; absent: it stays; null: it is removed"""

    #: It ends with so many rows
    rows: int
    #: It ends so long after its first post
    ms: int


class SettingsRequest(TypedDict):
    """All settings: null or absent ones are removed, but for window, owner and tags"""

    #: Mode of the source; null or absent: the default of the server
    mode: NotRequired[Literal["contract", "adaptive", "auto", None]]
    #: Thresholds that are set, by name; null or absent: the default of the server
    thresholds: NotRequired[Union[SettingsRequestThresholds, None]]
    #: Share of clean batches that may be WARN
    false_alarm_rate: NotRequired[Union[float, None]]
    #: Number of batches that differ in the same way after which they are the new normal; half as many if none was BLOCK
    settle_after: NotRequired[Any]
    #: Signs of damaged values and names that are looked for, as `options.signs` of a batch; null or absent: all
    signs: NotRequired[Any]
    #: For a source that gets many small posts: each is judged alone, and together they are one batch, which is judged by the past when the window ends. A change ends the open window; absent: it stays; null: it is removed
    window: NotRequired[Union[SettingsRequestWindow, None]]
    #: Who answers for the source: a person or a team; absent: it stays; null: it is removed
    owner: NotRequired[Union[str, None]]
    #: Words to find the source by; absent: it stays; null: it is removed
    tags: NotRequired[Union[List[str], None]]


class PinRequest(TypedDict):
    #: Whether to stop learning
    pinned: bool


class Pinned(TypedDict):
    #: true
    ok: bool
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Whether the baseline stopped learning
    pinned: bool
    #: What happened, for people
    message: str


class SourceRules(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    rules: RulesDocument
    #: Number of the version of the rules
    version: int
    #: When they were changed
    updated_at: str


class ChangedRulesUnknownFieldsItem(TypedDict):
    #: Name of the field
    field: str
    #: Paths of rules that name it: the first five, each cut at 200 characters
    rules: List[str]
    #: Rules that name it
    count: int
    #: An existing field with a similar name
    meant: NotRequired[str]


class ChangedRules(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    rules: RulesDocument
    #: Number of the version of the rules
    version: int
    #: When they were changed
    updated_at: str
    #: Fields that the rules name but no batch of the source had; their names may be misspelt. Absent if there are none, or if the source has no baseline
    unknown_fields: NotRequired[List[ChangedRulesUnknownFieldsItem]]


class RulesDeleted(TypedDict):
    #: true
    ok: bool
    #: Name of the pipeline or table; each source has its own baseline
    source: str


class RulesChange(TypedDict):
    #: Number of the version of the rules
    version: int
    #: When they were changed
    at: str
    #: Id of the API key that changed them; null: a person who was signed in
    by: Union[str, None]
    #: How they were changed
    reason: Literal["put", "deleted", "imported", "rolled_back"]
    #: Single rules after the change
    count: int
    #: Paths of rules that were added, each cut at 200 characters
    added: List[str]
    #: Paths of rules that were removed, each cut at 200 characters
    removed: List[str]
    #: Paths of rules that were changed, each cut at 200 characters
    changed: List[str]


class RulesChangeList(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    changes: List[RulesChange]


class SuggestedRulesEvidenceItem(TypedDict):
    #: Path of the rule
    rule: str
    #: Name of its field
    field: str
    #: Name of the constraint
    constraint: str
    #: What it rests on, for people
    reason: str
    #: Batches that were looked at
    batches: int
    #: Their rows
    rows: int


class SuggestedRules(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    rules: RulesDocument
    #: One for each rule
    evidence: List[SuggestedRulesEvidenceItem]
    #: Suggestions that are left out; absent: none
    left_out: NotRequired[int]


class ImportedRulesUnsupportedItem(TypedDict):
    #: Its path in the document
    path: str
    #: Why there is no rule for it
    reason: str


class ImportedRulesUnknownFieldsItem(TypedDict):
    #: Name of the field
    field: str
    #: Paths of rules that name it: the first five, each cut at 200 characters
    rules: List[str]
    #: Rules that name it
    count: int
    #: An existing field with a similar name
    meant: NotRequired[str]


class ImportedRules(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    rules: RulesDocument
    #: What has no counterpart in rules: at most 500 entries, and one that counts the others
    unsupported: List[ImportedRulesUnsupportedItem]
    #: Fields that the rules name but no batch of the source had; their names may be misspelt. Absent if there are none, or if the source has no baseline
    unknown_fields: NotRequired[List[ImportedRulesUnknownFieldsItem]]
    #: Number of the version of the rules
    version: NotRequired[int]
    #: When they were changed
    updated_at: NotRequired[str]


class AcceptRequest(TypedDict):
    #: Id of the job and of its request; ids sort by time
    job_id: str


class Taught(TypedDict):
    #: true
    ok: bool
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Id of the job and of its request; ids sort by time
    job_id: str
    #: Whether the baseline has changed; false if the same feedback was given before
    changed: bool
    #: What happened, for people
    message: str
    #: Thresholds that must be set too: in contract mode they apply whatever is normal
    advice: NotRequired[List[Advice]]


class FeedbackRequest(TypedDict):
    #: Id of the job and of its request; ids sort by time
    job_id: str
    #: The feedback
    verdict: Literal["expected", "bad"]


class Version(TypedDict):
    #: Number of the version
    version: int
    #: When it was stored
    made_at: str
    #: `learned`: stored from time to time while the baseline learns; others: stored just before that change
    reason: Literal["learned", "before_accept", "before_feedback", "before_reset", "before_rollback", "before_rules"]
    #: Id of the job and of its request; ids sort by time
    job_id: NotRequired[str]
    #: Number of batches learned
    batches: int
    #: Number of rows learned
    rows: int
    #: Version of the rules that held, 0 for none; versions of older releases lack it
    rules_version: NotRequired[int]


class VersionList(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    versions: List[Version]


class SourceChange(TypedDict):
    #: When
    at: str
    #: What was done
    action: Literal["accepted", "expected", "bad", "settings", "rules", "pinned", "unpinned", "rolled_back", "reset"]
    #: Who did it, as it was then: the address of a person, or name and first letters of an API key
    by: str
    #: Id of the API key; null: a person who was signed in
    key_id: Union[str, None]
    #: Id of the job and of its request; ids sort by time
    job_id: NotRequired[str]
    #: Of `settings` the names of those that changed, of `rules` and `rolled_back` the version
    detail: NotRequired[str]
    #: The version that was stored just before: to roll back to it undoes this
    version_before: NotRequired[int]


class SourceChangeList(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    changes: List[SourceChange]


class RollbackRequest(TypedDict):
    #: Number of the version
    version: int


class RolledBack(TypedDict):
    #: true
    ok: bool
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Number of the version
    version: int
    #: Number of batches learned
    batches: int
    #: Number of rows learned
    rows: int
    #: What happened, for people
    message: str


class SourceStatistics(TypedDict):
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Jobs
    totalJobs: int
    #: PASS
    passCount: int
    #: WARN
    warnCount: int
    #: BLOCK
    blockCount: int
    #: Rows received
    totalRows: int
    #: Mean health, in percent
    avgHealthPct: float
    #: Drift events
    totalDrift: int
    #: Time of the newest job
    lastRun: str
    #: Verdict of the newest job
    lastStatus: Literal["PASS", "WARN", "BLOCK"]


class OtherSources(TypedDict):
    """The sources beyond `limit` together; absent without any"""

    #: Sources
    sourceCount: int
    #: Jobs
    totalJobs: int
    #: PASS
    passCount: int
    #: WARN
    warnCount: int
    #: BLOCK
    blockCount: int
    #: Rows received
    totalRows: int
    #: Mean health, in percent
    avgHealthPct: float
    #: Drift events
    totalDrift: int
    #: Time of the newest job
    lastRun: str


class Statistics(TypedDict):
    #: Jobs
    totalJobs: int
    #: PASS
    passCount: int
    #: WARN
    warnCount: int
    #: BLOCK
    blockCount: int
    #: Rows received
    totalRows: int
    #: Mean health of the jobs; 0 without jobs
    avgHealth: float
    #: Sources
    sourceCount: int
    #: Number of days of 24 hours
    periodDays: int
    #: Latest run first, at most `limit`
    sources: List[SourceStatistics]
    others: NotRequired[OtherSources]


class VerdictSpan(TypedDict):
    #: When it begins
    start: str
    #: PASS
    passCount: int
    #: WARN
    warnCount: int
    #: BLOCK
    blockCount: int


class VerdictsOverTime(TypedDict):
    #: Length of a span
    seconds: int
    #: Oldest first, also those without jobs
    spans: List[VerdictSpan]


class AlertChannel(TypedDict):
    #: Id of the channel; ids sort by time
    id: str
    #: What it takes
    type: Literal["webhook", "slack", "email"]
    #: For people, without control characters, line ends, characters that change the direction of text, or lone surrogates
    name: str
    #: Of a webhook or of Slack: where messages are posted to
    url: NotRequired[str]
    #: Of type email: the address
    to: NotRequired[str]
    #: Names of sources; `*` stands for any characters. Default: all
    sources: List[str]
    #: How grave a verdict must be. Default: warn
    on: Literal["warn", "block"]
    #: When it was created
    created_at: str
    #: Since when no message could be delivered; null while it works
    failing_since: Union[str, None]


class AlertChannelList(TypedDict):
    channels: List[AlertChannel]


class AlertChannelRequest(TypedDict):
    #: What it takes
    type: Literal["webhook", "slack", "email"]
    #: For people, without control characters, line ends, characters that change the direction of text, or lone surrogates
    name: NotRequired[str]
    #: Of a webhook or of Slack: where messages are posted to
    url: NotRequired[str]
    #: Of type email: the address
    to: NotRequired[str]
    #: Names of sources; `*` stands for any characters. Default: all
    sources: NotRequired[List[str]]
    #: How grave a verdict must be. Default: warn
    on: NotRequired[Literal["warn", "block"]]


class CreatedAlertChannel(TypedDict):
    #: Id of the channel; ids sort by time
    id: str
    #: What it takes
    type: Literal["webhook", "slack", "email"]
    #: For people, without control characters, line ends, characters that change the direction of text, or lone surrogates
    name: str
    #: Of a webhook or of Slack: where messages are posted to
    url: NotRequired[str]
    #: Of type email: the address
    to: NotRequired[str]
    #: Names of sources; `*` stands for any characters. Default: all
    sources: List[str]
    #: How grave a verdict must be. Default: warn
    on: Literal["warn", "block"]
    #: When it was created
    created_at: str
    #: Since when no message could be delivered; null while it works
    failing_since: Union[str, None]
    #: Signs what is posted, by Standard Webhooks; shown only in this response
    secret: NotRequired[str]


class AlertChannelChange(TypedDict):
    #: For people, without control characters, line ends, characters that change the direction of text, or lone surrogates
    name: NotRequired[str]
    #: Of a webhook or of Slack: where messages are posted to
    url: NotRequired[str]
    #: Of type email: the address
    to: NotRequired[str]
    #: Names of sources; `*` stands for any characters. Default: all
    sources: NotRequired[List[str]]
    #: How grave a verdict must be. Default: warn
    on: NotRequired[Literal["warn", "block"]]


class DeletedAlertChannel(TypedDict):
    #: true
    ok: bool
    #: Id of the channel; ids sort by time
    id: str


class AlertDelivery(TypedDict):
    #: Id of the delivery, the webhook-id of each of its attempts; ids sort by time
    id: str
    #: Id of the channel; ids sort by time
    channel: str
    #: Id of the incident; ids sort by time
    incident: Union[str, None]
    #: `incident.opened`, `incident.updated`, `incident.resolved` or `channel.test`
    type: str
    #: Failed: given up after a day, or refused by the receiver
    status: Literal["pending", "delivered", "failed"]
    #: Attempts so far
    attempts: int
    #: When it was put into the outbox
    created_at: str
    #: When it is tried next; null if it is settled
    next_attempt_at: Union[str, None]
    #: When it was delivered or given up
    settled_at: Union[str, None]
    #: What was wrong with the last attempt; null: nothing
    error: Union[str, None]


class RotatedAlertChannel(TypedDict):
    #: Id of the channel; ids sort by time
    id: str
    #: What it takes
    type: Literal["webhook", "slack", "email"]
    #: For people, without control characters, line ends, characters that change the direction of text, or lone surrogates
    name: str
    #: Of a webhook or of Slack: where messages are posted to
    url: NotRequired[str]
    #: Names of sources; `*` stands for any characters. Default: all
    sources: List[str]
    #: How grave a verdict must be. Default: warn
    on: Literal["warn", "block"]
    #: When it was created
    created_at: str
    #: Since when no message could be delivered; null while it works
    failing_since: Union[str, None]
    #: Signs what is posted, by Standard Webhooks; shown only in this response
    secret: str
    #: Until when the secret before signs too
    previous_until: str


class AlertDeliveryList(TypedDict):
    deliveries: List[AlertDelivery]


class Incident(TypedDict):
    #: Id of the incident; ids sort by time
    id: str
    #: Name of the pipeline or table; each source has its own baseline
    source: str
    #: Resolved: the newest batch of the source passed
    status: Literal["open", "resolved"]
    #: The gravest of its batches
    verdict: Literal["WARN", "BLOCK"]
    #: When the first of its batches was screened
    opened_at: str
    #: When it was resolved; null while it is open
    resolved_at: Union[str, None]
    #: Batches that did not pass
    batches: int
    #: Id of the job and of its request; ids sort by time
    first_job: str
    #: Id of the job and of its request; ids sort by time
    last_job: str
    #: When the newest batch that did not pass was screened
    last_at: str
    #: Of that batch
    health_score: float
    #: Of that batch
    reason: str
    #: When somebody acknowledged it; null: nobody has
    acknowledged_at: Union[str, None]
    #: Nothing is sent before; null: it is not snoozed
    snoozed_until: Union[str, None]
    #: When somebody accepted a batch of the source as the new normal; null: nobody has since its newest batch, or it was undone
    accepted_at: Union[str, None]
    #: Who that was: the address of a person, or name and first letters of an API key
    accepted_by: Union[str, None]


class IncidentList(TypedDict):
    incidents: List[Incident]


class SnoozeRequest(TypedDict):
    #: Within the next 365 days; null ends the snooze
    until: Union[str, None]


#: Any names, any values
Row = Dict[str, Any]
