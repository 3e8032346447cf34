/** Figures as people read them. */

/** With a comma behind each thousand. */
export const grouped = (value: number): string => value.toLocaleString('en-US');

/** A share, by as many digits as tell it from 0 and from 100. */
export const percent = (rate: number): string => `${Number((rate * 100).toPrecision(3))}%`;
