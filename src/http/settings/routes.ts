/** /v1/schema/{source}/settings and /pin: settings for all batches of a source. */
import { boundsOf, type StorageLimits } from '../../account/storage.ts';
import { quoted, Rejection } from '../../terms/errors.ts';
import type { WindowEnds } from '../../batches/window-end.ts';
import { type AskedMode, askedOf } from '../../options/options.ts';
import { changedSettings, type Settings, settingsIn, settledOptions } from '../../options/settings.ts';
import type { Baselines } from '../../sources/baselines.ts';
import type { BaselineEditor } from '../../sources/editor.ts';
import type { ChangeStore } from '../../stores/ports.ts';
import { dateTime } from '../date-time.ts';
import { answer } from '../documents/operation.ts';
import { ifVersion } from '../parameters.ts';
import { route } from '../route.ts';
import { EXAMPLE, Pinned, PinRequest, SettingsRequest, SourceSettings } from './schema.ts';

interface Dependencies extends StorageLimits {
  editor: BaselineEditor;
  baselines: Pick<Baselines, 'notes'>;
  changes: Pick<ChangeStore, 'add'>;
  windowEnds: Pick<WindowEnds, 'endOf'>;
  defaultMode: AskedMode;
  now(): number;
}

const SETTING_NAMES = [
  'mode',
  'thresholds',
  'false_alarm_rate',
  'settle_after',
  'signs',
  'window',
  'owner',
  'tags',
] as const;

const get = route('GET /v1/schema/:source/settings', {
  operationId: 'getSettings',
  tag: 'Baselines',
  summary: 'Get the settings of a source',
  description: 'Works for a source that was never screened too.',
  answers: { 200: answer('The settings', SourceSettings, { adaptive: EXAMPLE }) },
  async handle({ caller, source }, deps: Dependencies) {
    const { settings } = await deps.baselines.notes(caller.account.id, source);
    return responseOf(source, settingsIn(settings), deps);
  },
});

const put = route('PUT /v1/schema/:source/settings', {
  operationId: 'putSettings',
  tag: 'Baselines',
  summary: 'Replace the settings of a source',
  description:
    'Replaces all settings but window, owner and tags, which stay unless they are given. The options of a batch take precedence over them, and they over the defaults of the server; this holds for each threshold. ' +
    'They apply to all later batches and survive a reset of the baseline.',
  query: { if_version: ifVersion('settings') },
  body: {
    schema: SettingsRequest,
    code: 'INVALID_OPTIONS',
    examples: {
      adaptive: {
        mode: 'adaptive',
        thresholds: { null_rate_warn: 0.8 },
        owner: 'team-checkout',
        tags: ['billing'],
      },
      nothing: { mode: null },
    },
  },
  answers: { 200: answer('The settings are stored', SourceSettings, { adaptive: EXAMPLE }) },
  refusals: ['INVALID_OPTIONS', 'VERSION_CONFLICT', 'PLAN_LIMIT_EXCEEDED'],
  messages: {
    INVALID_OPTIONS: "mode must be one of contract, adaptive, auto, not 'strict'",
    VERSION_CONFLICT: "The settings of 'orders' have version 3, not 2: read them again and repeat the change",
  },
  async handle({ caller: { account, key, who }, source, query, body }, deps: Dependencies) {
    const at = deps.now();
    let settings = settingsIn(null);
    let changed: string[] = [];
    const change = (before: string | null) => {
      settings = settingsIn(before);
      const given = changedSettings(settings, body);
      changed = differing(settings, given);
      if (changed.length === 0) return null;
      if (query.if_version !== undefined && query.if_version !== settings.version)
        throw conflict(source, settings, query.if_version);
      const note = Object.keys(given).length > 0 && { updated_at: dateTime(at), updated_by: key };
      settings = { ...given, ...note, version: settings.version + 1 };
      return JSON.stringify(settings);
    };
    await deps.editor.setSettings(account.id, source, change, boundsOf(account, deps));
    const detail = changed.join(', ');
    if (detail !== '')
      await deps.changes.add(account.id, { source, action: 'settings', at, by: who, key, detail });
    if (changed.includes('window')) await deps.windowEnds.endOf(account.id, source);
    return responseOf(source, settings, deps);
  },
});

const pin = route('POST /v1/schema/:source/pin', {
  operationId: 'pinBaseline',
  tag: 'Baselines',
  summary: 'Pin or unpin a baseline',
  description:
    'A pinned baseline does not learn. Batches are still judged. `accept`, `feedback` and `rollback` still change the baseline; a reset ends the pin.',
  body: { schema: PinRequest, examples: { pin: { pinned: true }, unpin: { pinned: false } } },
  answers: {
    200: answer('The pin is set or removed', Pinned, {
      pinned: {
        ok: true,
        source: 'orders',
        pinned: true,
        message: "The baseline of 'orders' does not change until it is unpinned or reset",
      },
    }),
  },
  refusals: ['NOT_FOUND'],
  messages: { NOT_FOUND: "The source 'orders' has no baseline" },
  async handle({ caller: { account, key, who }, source, body: { pinned } }, deps: Dependencies) {
    if (!(await deps.editor.setPinned(account.id, source, pinned)))
      throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no baseline`);
    const action = pinned ? 'pinned' : 'unpinned';
    await deps.changes.add(account.id, { source, action, at: deps.now(), by: who, key });
    const message = pinned
      ? `The baseline of ${quoted(source)} does not change until it is unpinned or reset`
      : `The baseline of ${quoted(source)} learns again from the next batch on`;
    return { ok: true, source, pinned, message };
  },
});

const conflict = (source: string, { version }: { version: number }, asked: number): Rejection =>
  new Rejection(
    'VERSION_CONFLICT',
    `The settings of ${quoted(source)} have version ${version}, not ${asked}: read them again and repeat the change`,
  );

/** Names of the settings that differ. */
const differing = (before: Settings, after: Settings): string[] =>
  SETTING_NAMES.filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]));

function responseOf(
  source: string,
  settings: ReturnType<typeof settingsIn>,
  { defaultMode }: Pick<Dependencies, 'defaultMode'>,
) {
  const { mode = null, thresholds = null, false_alarm_rate = null, settle_after = null } = settings;
  const { signs = null, window = null } = settings;
  const { owner = null, tags = null, version, updated_at, updated_by = null } = settings;
  return {
    source,
    ...{ mode, thresholds, false_alarm_rate, settle_after, signs, window, owner, tags, version },
    ...(updated_at && { updated_at, updated_by }),
    effective: effective(settings, defaultMode),
  };
}

/** The settings of a batch without options of its own. */
export function effective(settings: Settings, defaultMode: AskedMode) {
  const options = settledOptions(settings, defaultMode);
  const { thresholds, falseAlarmRate, settleAfter, signs } = options;
  const settle_after = Number.isFinite(settleAfter) ? settleAfter : 'never';
  return {
    ...{ mode: askedOf(options), thresholds, false_alarm_rate: falseAlarmRate, settle_after },
    signs: [...signs],
  };
}

export const settingsRoutes = [get, put, pin];
