import { quoted, Rejection } from '../terms/errors.ts';
import { isJsonObject, type JsonObject } from '../documents/json-object.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import { FIELD_SIGN_NAMES, type FieldSign } from '../signs/sign.ts';
import { parseRules, unchecked } from '../rules/declared/parse.ts';
import { refuseRepeated } from '../rules/declared/reader.ts';
import {
  FALSE_ALARM_RATE,
  MIN_FALSE_ALARM_RATE,
  MAX_FALSE_ALARM_RATE,
  SETTLE_AFTER,
  THRESHOLDS,
  type Thresholds,
} from '../terms/policy.ts';

export interface ScreenOptions {
  fullScan: boolean;
  /** Every row with its reasons; takes a full scan. */
  rowVerdicts: boolean;
  thresholds: Thresholds;
  /** One chunk of a larger batch (`total_batches` above 1): its row count says nothing. */
  chunk: boolean;
  /** Judged and nothing else: not learned, not kept, not counted. */
  dryRun: boolean;
  /** Whether the contract's thresholds of nulls and types hold, or only those that are given. */
  mode: Mode;
  /** Contract mode holds only while little is known of the source, and for rates of enough cells. */
  isAuto: boolean;
  /** Those thresholds that the request gave; in adaptive mode they count on top. */
  given: Partial<Thresholds>;
  /** Share of clean batches that may be WARN, above 0. */
  falseAlarmRate: number;
  /** Number of agreeing batches after which a new normal holds; infinite: never. Only settings of the source can set it. */
  settleAfter: number;
  /** Signs of damaged values that are looked for. */
  signs: ReadonlySet<FieldSign>;
  /** Declared rules that hold for this request in place of the source's. */
  rules?: DeclaredRules;
  /** What of it the request itself said: the source's settings fill in the rest. */
  said: { mode?: AskedMode; falseAlarmRate?: number; signs?: ReadonlySet<FieldSign> };
}

/** How a batch is judged. */
export const MODES = ['contract', 'adaptive'] as const;
export type Mode = (typeof MODES)[number];
/** What may be asked for: `auto` is one of them, by what is known of the source. */
export const ASKED_MODES = [...MODES, 'auto'] as const;
export type AskedMode = (typeof ASKED_MODES)[number];

/** A mode that is asked for, until it is known what is known of the source. */
export const askedMode = (asked: AskedMode): Pick<ScreenOptions, 'mode' | 'isAuto'> => ({
  mode: asked === 'auto' ? 'contract' : asked,
  isAuto: asked === 'auto',
});

/** The mode that was asked for. */
export const askedOf = ({ mode, isAuto }: Pick<ScreenOptions, 'mode' | 'isAuto'>): AskedMode =>
  isAuto ? 'auto' : mode;

type ThresholdName = keyof Thresholds;

/** The first of each pair must not be above the second. A low null rate is good, a low health is bad. */
const PAIRS: readonly (readonly [ThresholdName, ThresholdName])[] = [
  ['null_rate_warn', 'null_rate_block'],
  ['type_mismatch_warn', 'type_mismatch_block'],
  ['health_block', 'health_warn'],
];

/**
 * The `options` of a request, checked and completed with the defaults; `undefined` means none were given.
 * Throws `Rejection` INVALID_OPTIONS, or INVALID_RULES for `options.rules`, whose patterns are compiled later. Unknown members are ignored, unknown thresholds are not: a misspelt
 * one would silently leave the default in force. `json`: the text that they were read from, if it is at hand.
 */
export function parseOptions(value: unknown, json?: string): ScreenOptions {
  const options = asObject(value, 'options');
  const given = givenThresholds(options.thresholds, 'options.thresholds');
  const mode = modeOf(options.mode, 'options.mode');
  const signs = signsOf(options.signs, 'options.signs');
  const falseAlarmRate = falseAlarmRateOf(options.false_alarm_rate, 'options.false_alarm_rate');
  const fullScan = flag(options.full_scan, 'options.full_scan');
  const rowVerdicts = flag(options.row_verdicts, 'options.row_verdicts');
  return {
    fullScan: fullScan || rowVerdicts,
    rowVerdicts,
    thresholds: completed(THRESHOLDS, given, 'options.thresholds'),
    chunk: isChunk(options.batch_index, options.total_batches),
    dryRun: flag(options.dry_run, 'options.dry_run'),
    ...askedMode(mode ?? 'contract'),
    given,
    falseAlarmRate: falseAlarmRate ?? FALSE_ALARM_RATE,
    settleAfter: SETTLE_AFTER,
    signs: signs ?? ALL_SIGNS,
    ...(options.rules !== undefined && { rules: rulesIn(options.rules, json) }),
    said: {
      ...(mode && { mode }),
      ...(falseAlarmRate !== undefined && { falseAlarmRate }),
      ...(signs && { signs }),
    },
  };
}

function rulesIn(value: unknown, json?: string): DeclaredRules {
  if (json !== undefined) refuseRepeated(json, 'rules');
  return parseRules(value, unchecked);
}

/** Those that `value` gives; `name` is what messages call it. Throws `Rejection` INVALID_OPTIONS. */
export function givenThresholds(value: unknown, name: string): Partial<Thresholds> {
  const given: Partial<Thresholds> = {};
  for (const [each, fractionGiven] of Object.entries(asObject(value, name))) {
    if (!isThresholdName(each)) throw invalid(`${name} has no ${quoted(each)}; ${knownNames}`);
    given[each] = fraction(fractionGiven, `${name}.${each}`);
  }
  return given;
}

/** The defaults with what was given. Throws `Rejection` INVALID_OPTIONS where two that are given contradict each other. */
export function completed(
  defaults: Readonly<Thresholds>,
  given: Partial<Thresholds>,
  name: string,
): Thresholds {
  const thresholds = { ...defaults, ...given };
  for (const [low, high] of PAIRS) completePair(thresholds, given, low, high, name);
  return thresholds;
}

/** A lone value moves its partner's default to it where they would contradict each other. */
function completePair(
  completed: Thresholds,
  given: Partial<Thresholds>,
  low: ThresholdName,
  high: ThresholdName,
  name: string,
): void {
  if (completed[low] <= completed[high]) return;
  if (given[low] === undefined) completed[low] = completed[high];
  else if (given[high] === undefined) completed[high] = completed[low];
  else throw invalid(`${name}.${low} (${given[low]}) is above ${high} (${given[high]})`);
}

const isThresholdName = (name: string): name is ThresholdName => Object.hasOwn(THRESHOLDS, name);

const knownNames = `the known thresholds are ${Object.keys(THRESHOLDS).join(', ')}`;

function isChunk(index: unknown, total: unknown): boolean {
  const batches = total === undefined ? 1 : integer(total, 1, 'options.total_batches');
  const position = index === undefined ? 0 : integer(index, 0, 'options.batch_index');
  // Clients count from 0 or from 1, and the interface does not say which.
  if (total !== undefined && position > batches) {
    throw invalid(`options.batch_index (${position}) is above total_batches (${batches})`);
  }
  return batches > 1;
}

function asObject(value: unknown, name: string): JsonObject {
  if (value === undefined) return {};
  if (isJsonObject(value)) return value;
  throw invalid(`${name} must be an object, not ${nameOf(value)}`);
}

export const ALL_SIGNS: ReadonlySet<FieldSign> = new Set(FIELD_SIGN_NAMES);

/** As people give them. */
export type SignsGiven = boolean | FieldSign[];

/** `true`: all; `false`: none; or the names of some. Throws `Rejection` INVALID_OPTIONS. */
export function signsOf(value: unknown, name: string): ReadonlySet<FieldSign> | undefined {
  if (value === undefined || value === true) return value && ALL_SIGNS;
  if (value === false) return new Set();
  if (!Array.isArray(value))
    throw invalid(`${name} must be true, false or a list of signs, not ${nameOf(value)}`);
  return new Set(value.map(each => signOf(each, name)));
}

function signOf(value: unknown, name: string): FieldSign {
  const sign = FIELD_SIGN_NAMES.find(each => each === value);
  if (sign) return sign;
  throw invalid(`${name} has no ${nameOf(value)}; the known signs are ${FIELD_SIGN_NAMES.join(', ')}`);
}

function modeOf(value: unknown, name: string): AskedMode | undefined {
  if (value === undefined) return undefined;
  const mode = ASKED_MODES.find(each => each === value);
  if (mode) return mode;
  throw invalid(`${name} must be one of ${ASKED_MODES.join(', ')}, not ${nameOf(value)}`);
}

/** A false-alarm rate. */
function falseAlarmRateOf(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= MIN_FALSE_ALARM_RATE && value <= MAX_FALSE_ALARM_RATE)
    return value;
  const range = `a number from ${MIN_FALSE_ALARM_RATE} to ${MAX_FALSE_ALARM_RATE}`;
  throw invalid(`${name} must be ${range}, not ${nameOf(value)}`);
}

function flag(value: unknown, name: string): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw invalid(`${name} must be true or false, not ${nameOf(value)}`);
}

function fraction(value: unknown, name: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw invalid(`${name} must be a number from 0 to 1, not ${nameOf(value)}`);
}

/** The largest integer in a request: one of 32 bits, as generated clients have. */
export const MAX_INTEGER = 2 ** 31 - 1;

export const isIntegerFrom = (least: number, value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= MAX_INTEGER;

function integer(value: unknown, least: number, name: string): number {
  if (isIntegerFrom(least, value)) return value;
  throw invalid(`${name} must be an integer from ${least} to ${MAX_INTEGER}, not ${nameOf(value)}`);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? quoted(value) : String(value);
}

const invalid = (message: string) => new Rejection('INVALID_OPTIONS', message);
