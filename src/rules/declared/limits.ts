/** How much one document of rules may hold. What is larger is refused: every batch of the source pays for its rules. */

/** Bytes of the document as JSON in UTF-8. */
export const MAX_RULES_BYTES = 256 * 1024;
/** Single constraints, those of `when` included. */
export const MAX_CONSTRAINTS = 1000;
/** Patterns among them: each is compiled. */
export const MAX_PATTERNS = 100;
/** Conditions of `when`. */
export const MAX_CONDITIONS = 100;
/** Values of one enumeration, or of one condition's `in`. */
export const MAX_ENUM_VALUES = 1000;
/** Characters of one such value, of a constant and of a description. */
export const MAX_TEXT = 1000;
/** Characters of a pattern, and instructions that it may compile to. */
export const MAX_PATTERN = 1000;
export const MAX_PATTERN_SIZE = 10_000;
/** Instructions of all patterns of a document. */
export const MAX_PATTERNS_SIZE = 20_000;
/** Fields of one `unique`. */
export const MAX_UNIQUE_FIELDS = 16;
/** Types that one field may have. */
export const MAX_TYPES = 6;
/** Milliseconds of `max_age`: a hundred years. */
export const MAX_AGE_MS = 100 * 366 * 86_400_000;
