/** The form of a date, which the engine and its host share. Like `abi.ts`, valid AssemblyScript and valid TypeScript. */

/** How a day is written. The lowest four bits of the form of a date (see `date-time.ts`). */
export enum DateStyle {
  /** `2026-01-02` */
  ISO = 1,
  /** `2026-1-2` */
  YEAR_DASHED,
  /** `2026/01/02` */
  YEAR_SLASHED,
  /** `2026.01.02` */
  YEAR_DOTTED,
  /** `20260102` */
  COMPACT,
  /** `2026-01` */
  YEAR_MONTH,
  /** `31/01/2026` and `31-01-2026`: the first number can only be the day. */
  DAY_SLASHED,
  DAY_DASHED,
  /** `01/31/2026` and `01-31-2026` */
  MONTH_SLASHED,
  MONTH_DASHED,
  /** `01/02/2026` and `01-02-2026`: either may be the day. */
  EITHER_SLASHED,
  EITHER_DASHED,
  /** `02.01.2026`: the day is always first. */
  DOTTED,
  /** `2 Jan 2026`, `02-Jan-2026`, and `Fri, 2 Jan 2026` as in RFC 2822. */
  NAMED,
  /** `Jan 2, 2026` */
  NAMED_FIRST,
}

/** How exactly a time is written: a part of the form of a date. 0: there is no time. */
export enum DateClock {
  MINUTE = 16,
  SECOND = 32,
  FRACTION = 48,
}

/** How a zone is written: a part of the form of a date; 0 without a zone. */
export enum DateZone {
  Z = 64,
  /** `+01:00` */
  OFFSET = 128,
  /** `+0100` and `+01` */
  SHORT_OFFSET = 192,
  /** `GMT`, `EST` */
  NAMED = 256,
}

/** The parts of the form of a date: three masks, then four flags. */
export enum DateForm {
  STYLE = 15,
  CLOCK = 48,
  ZONE = 448,
  /** A space stands before the time, not a T. */
  SPACED = 512,
  /** AM or PM. */
  TWELVE_HOURS = 1024,
  /** A comma stands before the fraction. */
  COMMA = 2048,
  /** The year has two digits. */
  SHORT_YEAR = 4096,
}
/** Above each form of a date. */
export const DATE_FORMS = 8192;

/** Milliseconds of the last moment of a second that a double tells from the next second in every year. */
export const LAST_OF_SECOND = 999.96875;

/** Which number of `01/02/2026` is the day. While that is unknown, such a text is no date. */
export enum DateOrder {
  UNKNOWN,
  DAY_FIRST,
  MONTH_FIRST,
}
