/** The settings of a source. An empty field means the default of the server. */
import { useState } from 'preact/hooks';
import { putSettings } from '../api.ts';
import { entriesOf, lookup, type Mode, type SourceSettings } from '../contract.ts';
import { useAction } from '../use-action.ts';
import { FailureNote } from './failure.tsx';

interface Props {
  source: string;
  settings: SourceSettings;
  done: (message: string) => void;
}

const MODES: [value: Mode | '', name: string][] = [
  ['', 'The default of the server'],
  ['contract', 'By fixed thresholds (contract)'],
  ['adaptive', 'By its history (adaptive)'],
];

export function SettingsForm({ source, settings, done }: Props) {
  const { effective } = settings;
  const [mode, setMode] = useState<Mode | ''>(settings.mode ?? '');
  const [rate, setRate] = useState(textOf(settings.false_alarm_rate));
  const set = lookup(settings.thresholds ?? {});
  const [thresholds, setThresholds] = useState(
    new Map(entriesOf(effective.thresholds).map(([name]) => [name, textOf(set.get(name))])),
  );
  const { isActing, failure, run } = useAction();
  const save = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const given = [...thresholds].flatMap(([name, text]) => (text === '' ? [] : [[name, Number(text)]]));
      await putSettings(source, {
        mode: mode || null,
        thresholds: Object.fromEntries(given),
        false_alarm_rate: rate === '' ? null : Number(rate),
      });
      done('The settings are saved. They apply to the next batch.');
    });
  };
  return (
    <form onSubmit={save}>
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
      <details class="settings">
        <summary>Thresholds and false alarms</summary>
        {[...thresholds].map(([name, text]) => (
          <Share
            key={name}
            name={name}
            text={text}
            hint={lookup(effective.thresholds).get(name)!}
            change={value => setThresholds(new Map(thresholds).set(name, value))}
          />
        ))}
        <Share name="false_alarm_rate" text={rate} hint={effective.false_alarm_rate} change={setRate} />
      </details>
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" disabled={isActing}>
        Save settings
      </button>
    </form>
  );
}

const textOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value);

interface ShareProps {
  name: string;
  text: string;
  /** The value in force while the field is empty. */
  hint: number;
  change: (text: string) => void;
}

/** The service checks the range. */
const Share = ({ name, text, hint, change }: ShareProps) => (
  <label class="inline">
    {name}
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
