/** /v1/schema/{source}/settings and /pin: settings for all batches of a source. */
import { Elysia } from 'elysia';
import { boundsOf, type StorageLimits } from '../account/storage.ts';
import type { Baselines } from '../sources/baselines.ts';
import type { BaselineEditor } from '../sources/editor.ts';
import { quoted, Rejection } from '../errors.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { Mode } from '../options/options.ts';
import { changedSettings, type Settings, settingsIn, settledOptions } from '../options/settings.ts';
import type { ChangeStore } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime } from './date-time.ts';
import { GET_SETTINGS, PIN, PUT_SETTINGS } from './documents/settings.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { ifVersionIn } from './parameters.ts';
import { sourceInPath } from './source-path.ts';

export interface SettingsRouteDependencies extends CallerDependencies, UploadLimits, StorageLimits {
  editor: BaselineEditor;
  baselines: Pick<Baselines, 'notes'>;
  changes: Pick<ChangeStore, 'add'>;
  defaultMode: Mode;
}

const SETTING_NAMES = ['mode', 'thresholds', 'false_alarm_rate', 'settle_after', 'owner', 'tags'] as const;

const SETTINGS_PATH = '/v1/schema/:source/settings';
const PIN_PATH = '/v1/schema/:source/pin';

export const settingsRoutes = (deps: SettingsRouteDependencies) =>
  new Elysia()
    .get(SETTINGS_PATH, ({ request }) => getSettings(request, deps), { detail: GET_SETTINGS })
    .put(SETTINGS_PATH, ({ request }) => putSettings(request, deps), { parse: 'none', detail: PUT_SETTINGS })
    .all(SETTINGS_PATH, otherMethods('GET, HEAD, PUT'))
    .post(PIN_PATH, ({ request }) => pinBaseline(request, deps), { parse: 'none', detail: PIN })
    .all(PIN_PATH, otherMethods('POST'));

async function getSettings(request: Request, deps: SettingsRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const { settings } = await deps.baselines.notes(account.id, source);
  return responseOf(source, settingsIn(settings), deps);
}

async function putSettings(request: Request, deps: SettingsRouteDependencies) {
  const { account, key, who } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const ifVersion = ifVersionIn(request);
  const body = await jsonBody(request, deps, 'INVALID_OPTIONS');
  const at = deps.now();
  let settings = settingsIn(null);
  let changed: string[] = [];
  const change = (before: string | null) => {
    settings = settingsIn(before);
    const given = changedSettings(settings, body);
    changed = differing(settings, given);
    if (changed.length === 0) return null;
    if (ifVersion !== undefined && ifVersion !== settings.version)
      throw conflict(source, settings, ifVersion);
    const note = Object.keys(given).length > 0 && { updated_at: dateTime(at), updated_by: key };
    settings = { ...given, ...note, version: settings.version + 1 };
    return JSON.stringify(settings);
  };
  await deps.editor.setSettings(account.id, source, change, boundsOf(account, deps));
  const detail = changed.join(', ');
  if (detail !== '')
    await deps.changes.add(account.id, { source, action: 'settings', at, by: who, key, detail });
  return responseOf(source, settings, deps);
}

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
  { defaultMode }: SettingsRouteDependencies,
) {
  const { mode = null, thresholds = null, false_alarm_rate = null, settle_after = null } = settings;
  const { owner = null, tags = null, version, updated_at, updated_by = null } = settings;
  return {
    source,
    ...{ mode, thresholds, false_alarm_rate, settle_after, owner, tags, version },
    ...(updated_at && { updated_at, updated_by }),
    effective: effective(settings, defaultMode),
  };
}

/** The settings of a batch without options of its own. */
export function effective(settings: Settings, defaultMode: Mode) {
  const { mode, thresholds, falseAlarmRate, settleAfter } = settledOptions(settings, defaultMode);
  const settle_after = Number.isFinite(settleAfter) ? settleAfter : 'never';
  return { mode, thresholds, false_alarm_rate: falseAlarmRate, settle_after };
}

async function pinBaseline(request: Request, deps: SettingsRouteDependencies) {
  const { account, key, who } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const { pinned: isPinned } = await jsonBody(request, deps);
  if (typeof isPinned !== 'boolean') throw new Rejection('INVALID_PARAMETER', 'pinned must be true or false');
  if (!(await deps.editor.setPinned(account.id, source, isPinned)))
    throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no baseline`);
  const action = isPinned ? 'pinned' : 'unpinned';
  await deps.changes.add(account.id, { source, action, at: deps.now(), by: who, key });
  const message = isPinned
    ? `The baseline of ${quoted(source)} does not change until it is unpinned or reset`
    : `The baseline of ${quoted(source)} learns again from the next batch on`;
  return { ok: true, source, pinned: isPinned, message };
}
