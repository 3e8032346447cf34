/** Settings of a source: defaults for options that a request omits. */
import {
  ALL_SIGNS,
  type AskedMode,
  askedMode,
  completed,
  givenThresholds,
  type ScreenOptions,
  type SignsGiven,
  signsOf,
} from './options.ts';
import type { JsonObject } from '../documents/json-object.ts';
import {
  FALSE_ALARM_RATE,
  MAX_SETTLE_AFTER,
  MIN_SETTLE_AFTER,
  SETTLE_AFTER,
  THRESHOLDS,
  type Thresholds,
} from '../terms/policy.ts';

/** Spelled as in `options`; what is absent is left to the server. */
export interface Settings {
  mode?: AskedMode;
  thresholds?: Partial<Thresholds>;
  false_alarm_rate?: number;
  settle_after?: SettleAfter;
  signs?: SignsGiven;
  window?: WindowSettings;
  /** Who answers for the source: a person or a team. */
  owner?: string;
  tags?: string[];
  /** When the settings were changed last, RFC 3339, and the id of the API key that did; null: a person who was signed in. */
  updated_at?: string;
  updated_by?: string | null;
  /** Grows by one with each change. A source never gets the same number twice: it stays when all settings are removed. */
  version?: number;
}

/** Of a source that gets many small posts: together they are a batch, which ends with so many rows, or so long after its first post. */
export interface WindowSettings {
  rows: number;
  ms: number;
}

export const MAX_OWNER_CHARACTERS = 200;
export const MAX_TAGS = 20;
export const MAX_TAG_CHARACTERS = 50;

/** After how many batches that agree a new normal holds. */
export type SettleAfter = number | 'never';
const NEVER = 'never';

/** Settings as a request gives them; null is the same as absent, and unknown members are ignored. */
export interface GivenSettings {
  mode?: AskedMode | null;
  thresholds?: Readonly<Record<string, number | null | undefined>> | null;
  false_alarm_rate?: number | null;
  settle_after?: SettleAfter | null;
  signs?: SignsGiven | null;
  window?: WindowSettings | null;
  owner?: string | null;
  tags?: string[] | null;
}

/** The settings that are given. Throws `Rejection` INVALID_OPTIONS for unknown thresholds and signs, and thresholds that contradict each other. */
export function parseSettings({
  mode,
  thresholds,
  false_alarm_rate,
  settle_after,
  signs,
  window,
  owner,
  tags,
}: GivenSettings): Settings {
  const given = givenThresholds(withoutNulls({ ...thresholds }), 'thresholds');
  completed(THRESHOLDS, given, 'thresholds');
  signsOf(signs ?? undefined, 'signs');
  return withoutNulls({
    mode,
    thresholds: Object.keys(given).length > 0 ? given : undefined,
    false_alarm_rate,
    settle_after,
    signs: Array.isArray(signs) ? [...new Set(signs)] : signs,
    window: window ? { rows: window.rows, ms: window.ms } : undefined,
    owner,
    tags: tags && tags.length > 0 ? [...new Set(tags)] : undefined,
  });
}

/**
 * The settings after a change: all of `value`, but window, owner and tags stay where it does not name them. So who only sets thresholds, as advice
 * does, loses none of them. Throws `Rejection` INVALID_OPTIONS.
 */
export function changedSettings({ window, owner, tags }: Settings, value: GivenSettings): Settings {
  const kept = {
    ...(!('window' in value) && { window }),
    ...(!('owner' in value) && { owner }),
    ...(!('tags' in value) && { tags }),
  };
  return withoutNulls({ ...kept, ...parseSettings(value) });
}

export const isSettleAfter = (value: unknown): boolean =>
  value === null ||
  value === NEVER ||
  (Number.isInteger(value) && (value as number) >= MIN_SETTLE_AFTER && (value as number) <= MAX_SETTLE_AFTER);

/** Settings as a source's notes keep them; null: there never were any. Those of older releases have no version. */
export const settingsIn = (kept: string | null): Settings & { version: number } =>
  kept === null ? { version: 0 } : { version: 1, ...(JSON.parse(kept) as Settings) };

/** The window of a source; null without one. Asked for each post: most settings are not parsed for it. */
export const windowIn = (kept: string | null): WindowSettings | null =>
  kept?.includes('"window"') ? (settingsIn(kept).window ?? null) : null;

const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null));

/**
 * The options that a batch is judged by: those of the request, else the source's settings, else the server's; thresholds one
 * by one. A request for `auto` leaves the mode to the source's settings, if they have one. A requested threshold moves its partner of the settings, so stored settings never cause a rejection.
 */
export function withSettings(
  options: ScreenOptions,
  { mode, thresholds: set = {}, false_alarm_rate, settle_after, signs }: Settings,
  defaultMode: AskedMode,
): ScreenOptions {
  // What is set and overridden moves nothing.
  const left = Object.fromEntries(Object.entries(set).filter(([name]) => !(name in options.given)));
  const thresholds = completed(
    completed(THRESHOLDS, left, 'thresholds'),
    options.given,
    'options.thresholds',
  );
  const { mode: said } = options.said;
  const names = Object.keys({ ...set, ...options.given }) as (keyof Thresholds)[];
  return {
    ...options,
    thresholds,
    given: Object.fromEntries(names.map(name => [name, thresholds[name]])),
    ...askedMode(said === 'auto' ? (mode ?? said) : (said ?? mode ?? defaultMode)),
    falseAlarmRate: options.said.falseAlarmRate ?? false_alarm_rate ?? FALSE_ALARM_RATE,
    signs: options.said.signs ?? keptSigns(signs) ?? ALL_SIGNS,
    settleAfter: settle_after === NEVER ? Number.POSITIVE_INFINITY : (settle_after ?? SETTLE_AFTER),
  };
}

/** Signs of a newer release may be among them. */
const keptSigns = (signs: SignsGiven | undefined): ReturnType<typeof signsOf> =>
  signsOf(Array.isArray(signs) ? signs.filter(name => ALL_SIGNS.has(name)) : signs, 'signs');

/** The options of a batch that says none. */
export const settledOptions = (settings: Settings, defaultMode: AskedMode): ScreenOptions =>
  withSettings(NO_OPTIONS, settings, defaultMode);

const NO_OPTIONS: ScreenOptions = {
  fullScan: false,
  rowVerdicts: false,
  thresholds: THRESHOLDS,
  chunk: false,
  dryRun: false,
  mode: 'contract',
  isAuto: false,
  given: {},
  falseAlarmRate: FALSE_ALARM_RATE,
  settleAfter: SETTLE_AFTER,
  signs: ALL_SIGNS,
  said: {},
};
