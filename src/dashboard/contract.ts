/** The types of the API that the pages use, all from the client, and access to maps by field name. */
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
export type ByName<Value> = Record<string, Value>;

/** The entries of a map, in its order. Own entries only: a field may have the name `__proto__` or `constructor`. */
export const entriesOf = <Value>(map: ByName<Value> | undefined): [name: string, value: Value][] =>
  Object.entries(map ?? {});

/** A map to look names of the payload up in. */
export const lookup = <Value>(map: ByName<Value> | undefined): ReadonlyMap<string, Value> =>
  new Map(entriesOf(map));
