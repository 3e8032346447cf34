/** Settings of a screening that are rarely needed. */
import type { Content } from '../content.ts';

export interface Settings {
  /** Null: detected from the header line. */
  delimiter: string | null;
  /** Null: detected. */
  charset: string | null;
  fullScan: boolean;
  dryRun: boolean;
}

const DELIMITERS: [value: string, name: string][] = [
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['tab', 'Tab'],
  ['|', 'Bar'],
];
const CHARSETS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'];

interface Props {
  content: Content;
  settings: Settings;
  change: (settings: Settings) => void;
}

export function SettingsFields({ content: { detected }, settings, change }: Props) {
  const found = DELIMITERS.find(([value]) => value === detected?.delimiter)?.[1];
  return (
    <details class="settings">
      <summary>More settings</summary>
      <label class="check">
        <input
          type="checkbox"
          checked={settings.dryRun}
          onChange={({ currentTarget }) => change({ ...settings, dryRun: currentTarget.checked })}
        />
        Dry run: do not learn, store or count anything
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={settings.fullScan}
          onChange={({ currentTarget }) => change({ ...settings, fullScan: currentTarget.checked })}
        />
        Measure the values of all rows, not of a sample
      </label>
      <label class="inline">
        CSV delimiter
        <select
          value={settings.delimiter ?? ''}
          onChange={({ currentTarget }) => change({ ...settings, delimiter: currentTarget.value || null })}
        >
          <option value="">{found ? `Detected (${found.toLowerCase()})` : 'Detect'}</option>
          {DELIMITERS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="inline">
        Encoding
        <select
          value={settings.charset ?? ''}
          onChange={({ currentTarget }) => change({ ...settings, charset: currentTarget.value || null })}
        >
          <option value="">{detected?.charset ? `Detected (${detected.charset})` : 'Detect'}</option>
          {CHARSETS.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </details>
  );
}
