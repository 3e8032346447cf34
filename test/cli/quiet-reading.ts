/** Options of reading a file, as a command without any of them has them. */
import type { Reading } from '../../src/cli/input/reading.ts';

export const READING: Reading = {
  format: undefined,
  delimiter: undefined,
  headerLine: undefined,
  escapedBy: undefined,
  charset: undefined,
  rows: undefined,
  columns: undefined,
  isQuiet: true,
};
