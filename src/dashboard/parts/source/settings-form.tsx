/** The settings of a source, in words and to change. An empty field means the default of the server. */
import { useState } from 'preact/hooks';
import { Failure, putSettings, settings as readSettings } from '../../api.ts';
import { entriesOf, lookup, type Mode, type Settings, type SourceSettings } from '../../contract.ts';
import { changedWords, settingsWords, THRESHOLD_LABELS } from '../../settings-words.ts';
import { signsIn, signsText } from '../../signs.ts';
import { useAction } from '../../use-action.ts';
import { FailureNote } from '../frame/failure.tsx';
import { NumberField, TextField } from '../controls/fields.tsx';
import { ModeChoice, showInvalid, SignsField } from './settings-fields.tsx';
import { WindowFields, windowOf, windowTexts } from './window-fields.tsx';

interface Props {
  settings: SourceSettings;
  done: (message: string) => void;
}

export function SettingsForm({ settings, done }: Props) {
  const { effective } = settings;
  const [mode, setMode] = useState<Mode | ''>(settings.mode ?? '');
  const [rate, setRate] = useState(textOf(settings.false_alarm_rate));
  const [signs, setSigns] = useState(signsText(settings.signs));
  const [window, setWindow] = useState(windowTexts(settings.window));
  const [owner, setOwner] = useState(settings.owner ?? '');
  const [tags, setTags] = useState((settings.tags ?? []).join(', '));
  const set = lookup(settings.thresholds ?? {});
  const [thresholds, setThresholds] = useState(
    new Map(entriesOf(effective.thresholds).map(([name]) => [name, textOf(set.get(name))])),
  );
  const unset = `The default of the server${settings.mode === null ? ` (${effective.mode})` : ''}`;
  const { isActing, failure, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await save(settings, {
        mode: mode || null,
        thresholds: numbersIn(thresholds),
        false_alarm_rate: rate === '' ? null : Number(rate),
        settle_after: settings.settle_after,
        signs: signs.trim() === '' ? null : (signsIn(signs) as NonNullable<Settings['signs']>),
        window: windowOf(window),
        owner: owner.trim() || null,
        tags: tagsIn(tags),
      });
      done('The settings are saved. They apply to the next batch.');
    });
  };
  return (
    <form onSubmit={submit}>
      <Said settings={settings} />
      <ModeChoice mode={mode} unset={unset} change={setMode} />
      <details class="settings" onInvalidCapture={showInvalid}>
        <summary>Thresholds, false alarms and signs of damage</summary>
        <ThresholdFields texts={thresholds} effective={effective} change={setThresholds} />
        <NumberField
          name="Share of false alarms"
          text={rate}
          hint={String(effective.false_alarm_rate)}
          change={setRate}
        />
        <SignsField text={signs} hint="all" change={setSigns} />
      </details>
      <WindowFields texts={window} change={setWindow} />
      <OwnerAndTags owner={owner} tags={tags} setOwner={setOwner} setTags={setTags} />
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" disabled={isActing}>
        Save settings
      </button>
    </form>
  );
}

interface ThresholdProps {
  /** By the names of the API. */
  texts: ReadonlyMap<string, string>;
  effective: SourceSettings['effective'];
  change: (texts: Map<string, string>) => void;
}

const ThresholdFields = ({ texts, effective, change }: ThresholdProps) =>
  [...texts].map(([name, text]) => (
    <NumberField
      key={name}
      name={THRESHOLD_LABELS.get(name) ?? name}
      text={text}
      hint={String(lookup(effective.thresholds).get(name))}
      change={value => change(new Map(texts).set(name, value))}
    />
  ));

interface OwnerProps {
  owner: string;
  tags: string;
  setOwner: (owner: string) => void;
  setTags: (tags: string) => void;
}

const OwnerAndTags = ({ owner, tags, setOwner, setTags }: OwnerProps) => (
  <details class="settings">
    <summary>Owner and tags</summary>
    <TextField name="Owner" text={owner} maxLength={200} change={setOwner} />
    <TextField name="Tags, with commas between them" text={tags} change={setTags} />
  </details>
);

/** Saves the settings, unless somebody else has changed them since this page loaded them: then it throws `Failure`. */
async function save(before: SourceSettings, after: Settings): Promise<void> {
  try {
    await putSettings(before.source, before.version, after);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'VERSION_CONFLICT') throw error;
    const what = changedWords(before, await readSettings(before.source));
    throw new Failure(
      `Somebody has changed ${what} since this page was loaded. Nothing is saved. Load the page again, then make your change.`,
      error.code,
      error.status,
    );
  }
}

/** Without those that are left empty. */
const numbersIn = (texts: ReadonlyMap<string, string>): Record<string, number> =>
  Object.fromEntries([...texts].flatMap(([name, text]) => (text === '' ? [] : [[name, Number(text)]])));

const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map(tag => tag.trim())
    .filter(tag => tag !== '');

const Said = ({ settings }: { settings: SourceSettings }) => (
  <ul class="said">
    {settingsWords(settings).map(words => (
      <li key={words}>{words}</li>
    ))}
  </ul>
);

const textOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value);
