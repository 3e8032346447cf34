/** The API's answers, as the client has them from its document, by the names that the pages have for them. */
import type { Billing, DriftEvent, OutlierSummary, Settings as SourceSettings } from '../client/contract.ts';

export type {
  Advice,
  ApiKey,
  Baseline,
  BaselineSize as BaselineEntry,
  Billing,
  CompleteJob,
  DriftEvent,
  FieldProfile,
  Histogram,
  HistoryEntry as Batch,
  Issues,
  Job,
  NewKey,
  Numbers,
  Profile,
  Report,
  Settings as SourceSettings,
  SettingsRequest as Settings,
  SourceStatistics,
  Statistics,
  Taught,
  Version,
} from '../client/contract.ts';

export type { Verdict } from '../client/verdict.ts';
export type IssueSeverity = OutlierSummary['severity'];
export type DriftSeverity = DriftEvent['severity'];
export type Plan = Billing['plan'];
export type Mode = SourceSettings['effective']['mode'];
/** Maps by name are JSON's: see `entriesOf`. */
export type ByName<Value> = Record<string, Value>;

/** What an answer's map holds, in its order: own entries only, so that `__proto__` and `constructor` are names like any other. */
export const entriesOf = <Value>(map: ByName<Value> | undefined): [name: string, value: Value][] =>
  Object.entries(map ?? {});

/** A map whose keys are names from the payload, to look them up in. */
export const lookup = <Value>(map: ByName<Value> | undefined): ReadonlyMap<string, Value> =>
  new Map(entriesOf(map));
