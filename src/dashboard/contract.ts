/** The types of the API that the pages use, all from the client, and access to maps by field name. */
import type { Billing, Operations, Settings as SourceSettings } from '../client/contract.ts';

export type {
  Advice,
  AlertChannel,
  AlertChannelRequest,
  AlertDelivery,
  ApiKey,
  Baseline,
  BaselineSize as BaselineEntry,
  Billing,
  CompleteJob,
  FieldProfile,
  Histogram,
  HistoryEntry as Batch,
  Incident,
  Job,
  JobFeedback,
  CreatedAlertChannel,
  NewKey,
  OutlierSummary,
  Profile,
  Report,
  RotatedAlertChannel,
  RulesDocument,
  Session as SessionAnswer,
  Settings as SourceSettings,
  SettingsRequest as Settings,
  SourceChange,
  SourceStatistics,
  SourceRules,
  Statistics,
  SuggestedRules,
  Taught,
  Trends,
  VerdictSpan,
  Version,
} from '../client/contract.ts';

export type { Verdict } from '../terms/verdict.ts';
export type Plan = Billing['plan'];
export type Mode = SourceSettings['effective']['mode'];
export type Answer<Name extends keyof Operations> = Operations[Name]['answer'];

/** The entries of a map, in its order. Own entries only: a field may have the name `__proto__` or `constructor`. */
export const entriesOf = <Value>(map: Record<string, Value> | undefined): [name: string, value: Value][] =>
  Object.entries(map ?? {});

/** A map to look names of the payload up in. */
export const lookup = <Value>(map: Record<string, Value> | undefined): ReadonlyMap<string, Value> =>
  new Map(entriesOf(map));
