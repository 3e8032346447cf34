/** The settings of a source, in words and to change. An empty field means the default of the server. */
import { useState } from 'preact/hooks';
import { Failure, putSettings, settings as readSettings } from '../../api.ts';
import { entriesOf, lookup, type Mode, type Settings, type SourceSettings } from '../../contract.ts';
import { changedWords, settingsWords, THRESHOLD_LABELS } from '../../settings-words.ts';
import { useAction } from '../../use-action.ts';
import { FailureNote } from '../frame/failure.tsx';
import { showInvalid } from './settings-fields.tsx';

interface Props {
  settings: SourceSettings;
  done: (message: string) => void;
}

const MODES: [value: Mode | '', name: string][] = [
  ['', 'The default of the server'],
  ['contract', 'History and thresholds (contract)'],
  ['adaptive', 'History alone (adaptive)'],
];

export function SettingsForm({ settings, done }: Props) {
  const { effective } = settings;
  const [mode, setMode] = useState<Mode | ''>(settings.mode ?? '');
  const [rate, setRate] = useState(textOf(settings.false_alarm_rate));
  const [owner, setOwner] = useState(settings.owner ?? '');
  const [tags, setTags] = useState((settings.tags ?? []).join(', '));
  const set = lookup(settings.thresholds ?? {});
  const [thresholds, setThresholds] = useState(
    new Map(entriesOf(effective.thresholds).map(([name]) => [name, textOf(set.get(name))])),
  );
  const { isActing, failure, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await save(settings, {
        mode: mode || null,
        thresholds: numbersIn(thresholds),
        false_alarm_rate: rate === '' ? null : Number(rate),
        settle_after: settings.settle_after,
        owner: owner.trim() || null,
        tags: tagsIn(tags),
      });
      done('The settings are saved. They apply to the next batch.');
    });
  };
  return (
    <form onSubmit={submit}>
      <Said settings={settings} />
      <label class="inline">
        Judged
        <select value={mode} onChange={({ currentTarget }) => setMode(currentTarget.value as Mode | '')}>
          {MODES.map(([value, name]) => (
            <option key={value} value={value}>
              {value === '' && settings.mode === null ? `${name} (${effective.mode})` : name}
            </option>
          ))}
        </select>
      </label>
      <details class="settings" onInvalidCapture={showInvalid}>
        <summary>Thresholds and false alarms</summary>
        {[...thresholds].map(([name, text]) => (
          <Share
            key={name}
            label={THRESHOLD_LABELS.get(name) ?? name}
            text={text}
            hint={lookup(effective.thresholds).get(name)!}
            change={value => setThresholds(new Map(thresholds).set(name, value))}
          />
        ))}
        <Share label="Share of false alarms" text={rate} hint={effective.false_alarm_rate} change={setRate} />
      </details>
      <Ownership owner={owner} setOwner={setOwner} tags={tags} setTags={setTags} />
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" disabled={isActing}>
        Save settings
      </button>
    </form>
  );
}

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

interface OwnershipProps {
  owner: string;
  setOwner: (owner: string) => void;
  /** With commas between them. */
  tags: string;
  setTags: (tags: string) => void;
}

const Ownership = ({ owner, setOwner, tags, setTags }: OwnershipProps) => (
  <details class="settings">
    <summary>Owner and tags</summary>
    <label class="inline">
      Owner
      <input value={owner} maxLength={200} onInput={({ currentTarget }) => setOwner(currentTarget.value)} />
    </label>
    <label class="inline">
      Tags, with commas between them
      <input value={tags} onInput={({ currentTarget }) => setTags(currentTarget.value)} />
    </label>
  </details>
);

const textOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value);

interface ShareProps {
  label: string;
  text: string;
  /** The value in force while the field is empty. */
  hint: number;
  change: (text: string) => void;
}

/** The service checks the range. */
const Share = ({ label, text, hint, change }: ShareProps) => (
  <label class="inline">
    {label}
    <input
      type="number"
      step="any"
      inputMode="decimal"
      value={text}
      placeholder={String(hint)}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);
