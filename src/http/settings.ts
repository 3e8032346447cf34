/** /v1/schema/{source}/settings and /pin: what holds for every batch of a source. */
import { Elysia } from 'elysia';
import type { BaselineKeeper } from '../baseline/keeper.ts';
import type { BaselineEditor } from '../baseline/editor.ts';
import { quoted, Rejection } from '../errors.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { Mode } from '../judge/options.ts';
import { parseSettings, type Settings, settingsIn, settledOptions } from '../judge/settings.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { GET_SETTINGS, PIN, PUT_SETTINGS } from './documents/settings.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { sourceInPath } from './source-path.ts';

export interface SettingsRouteDependencies extends CallerDependencies, UploadLimits {
  editor: BaselineEditor;
  baselines: Pick<BaselineKeeper, 'know'>;
  defaultMode: Mode;
}

const SETTINGS = '/v1/schema/:source/settings';
const PINNED = '/v1/schema/:source/pin';

export const settingsRoutes = (deps: SettingsRouteDependencies) =>
  new Elysia()
    .get(SETTINGS, ({ request }) => shown(request, deps), { detail: GET_SETTINGS })
    .put(SETTINGS, ({ request }) => changed(request, deps), { parse: 'none', detail: PUT_SETTINGS })
    .all(SETTINGS, otherMethods('GET, HEAD, PUT'))
    .post(PINNED, ({ request }) => pinned(request, deps), { parse: 'none', detail: PIN })
    .all(PINNED, otherMethods('POST'));

async function shown(request: Request, deps: SettingsRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const { settings } = (await deps.baselines.know(account.id, source)).notes;
  return answerWith(source, settingsIn(settings), deps);
}

async function changed(request: Request, deps: SettingsRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const settings = parseSettings(await jsonBody(request, deps));
  const isNone = Object.keys(settings).length === 0;
  await deps.editor.setSettings(account.id, source, isNone ? null : JSON.stringify(settings));
  return answerWith(source, settings, deps);
}

function answerWith(source: string, settings: Settings, { defaultMode }: SettingsRouteDependencies) {
  const { mode = null, thresholds = null, false_alarm_rate = null } = settings;
  return { source, mode, thresholds, false_alarm_rate, effective: effective(settings, defaultMode) };
}

/** What a batch is judged by that says nothing itself. */
export function effective(settings: Settings, defaultMode: Mode) {
  const { mode, thresholds, falseAlarmRate } = settledOptions(settings, defaultMode);
  return { mode, thresholds, false_alarm_rate: falseAlarmRate };
}

async function pinned(request: Request, deps: SettingsRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const { pinned: isPinned } = await jsonBody(request, deps);
  if (typeof isPinned !== 'boolean')
    throw new Rejection('INVALID_PARAMETER', 'pinned must be true or false: whether nothing more is learnt');
  if (!(await deps.editor.setPinned(account.id, source, isPinned)))
    throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no baseline`);
  const message = isPinned
    ? `The baseline of ${quoted(source)} stays as it is until it is unpinned or reset`
    : `The baseline of ${quoted(source)} learns from the next batch on`;
  return { ok: true, source, pinned: isPinned, message };
}
