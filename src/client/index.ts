/** The typed client of Sluice, for Node 20, Bun and browsers. It needs only `fetch`. */
export type { Compression, Content, Piece } from './content.ts';
export type * from './contract.ts';
export { type Finding, type FindingKind, findingsIn, rowsText } from './findings.ts';
export { Blocked } from './gate.ts';
export { leftOutText } from './left-out.ts';
export type {
  ArrowInput,
  CsvInput,
  Delimiter,
  Dividable,
  Input,
  JsonInput,
  NdjsonInput,
  ParquetInput,
  PartInput,
  RowsInput,
  TsvInput,
} from './input.ts';
export type { Rows } from './rows.ts';
export type { BatchScreening, Screening } from './screening.ts';
export type {
  CallSettings,
  GateSettings,
  PartSettings,
  ScreenSettings,
  Settings,
  StreamSocket,
} from './settings.ts';
export { Sluice } from './sluice.ts';
export type { WindowSize, WindowVerdict } from './stream.ts';
export { type FieldStatistic, statisticsOf } from './statistics.ts';
export {
  AuthError,
  InvalidInput,
  type Place,
  PlanLimitExceeded,
  RateLimited,
  SluiceError,
  type SluiceErrorCode,
  Unavailable,
} from './sluice-error.ts';
