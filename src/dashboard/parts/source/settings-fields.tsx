/** Settings of a screening that are rarely needed. */
import { InvalidInput } from '../../batch.ts';
import type { Content } from '../../content.ts';
import type { Mode } from '../../contract.ts';
import { THRESHOLD_LABELS } from '../../settings-words.ts';
import { signsIn } from '../../signs.ts';
import { Check, Choice, NumberField, TextField } from '../controls/fields.tsx';

export interface Settings {
  /** Null: detected from the header line. */
  delimiter: string | null;
  /** Line of the header, from 1; empty: the first, unless it is refused. */
  headerLine: string;
  /** Empty: none. */
  escape: string;
  /** Names with commas between them, or none; empty: those of the source. */
  signs: string;
  /** Null: detected. */
  charset: string | null;
  fullScan: boolean;
  dryRun: boolean;
  rowVerdicts: boolean;
  mode: Mode | '';
  /** Texts of the fields by name; empty: those of the source. */
  thresholds: Record<string, string>;
  /** A document of rules as JSON; empty: those of the source. */
  rules: string;
}

export const FIRST_SETTINGS: Settings = {
  delimiter: null,
  headerLine: '',
  escape: '',
  signs: '',
  charset: null,
  fullScan: false,
  dryRun: false,
  rowVerdicts: true,
  mode: 'auto',
  thresholds: {},
  rules: '',
};

/** The options of the request. Throws `InvalidInput`. */
export function optionsOf(settings: Settings): Record<string, unknown> {
  const { fullScan, dryRun, rowVerdicts, mode, thresholds, rules, signs } = settings;
  const given = Object.entries(thresholds).filter(([, text]) => text !== '');
  return {
    full_scan: fullScan,
    dry_run: dryRun,
    row_verdicts: rowVerdicts,
    ...(mode && { mode }),
    ...(signs.trim() && { signs: signsIn(signs) }),
    ...(given.length > 0 && {
      thresholds: Object.fromEntries(given.map(([name, text]) => [name, Number(text)])),
    }),
    ...(rules.trim() && { rules: rulesIn(rules) }),
  };
}

function rulesIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new InvalidInput(`The rules are not valid JSON: ${(error as Error).message}.`);
  }
}

const DELIMITERS: [value: string, name: string][] = [
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['tab', 'Tab'],
  ['|', 'Bar'],
];
const CHARSETS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'].map(name => [name, name] as const);

interface Props {
  content: Content;
  settings: Settings;
  change: (settings: Settings) => void;
}

export function SettingsFields({ content: { detected }, settings, change }: Props) {
  const found = DELIMITERS.find(([value]) => value === detected?.delimiter)?.[1];
  return (
    <details class="settings" onInvalidCapture={showInvalid}>
      <summary>More settings</summary>
      <Check checked={settings.dryRun} change={dryRun => change({ ...settings, dryRun })}>
        Dry run: learn, store and count nothing
      </Check>
      <Check checked={settings.rowVerdicts} change={rowVerdicts => change({ ...settings, rowVerdicts })}>
        Name every row to hold back
      </Check>
      <Check checked={settings.fullScan} change={fullScan => change({ ...settings, fullScan })}>
        Measure the values of all rows, not of a sample
      </Check>
      <Choice
        name="CSV delimiter"
        value={settings.delimiter ?? ''}
        values={[['', found ? `Detected (${found.toLowerCase()})` : 'Detect'], ...DELIMITERS]}
        change={delimiter => change({ ...settings, delimiter: delimiter || null })}
      />
      <NumberField
        name="Line of the CSV header"
        min={1}
        text={settings.headerLine}
        hint="1"
        step="1"
        change={headerLine => change({ ...settings, headerLine })}
      />
      <Choice
        name="CSV escape"
        value={settings.escape}
        values={[
          ['', 'None: quotes are doubled'],
          ['\\', 'Backslash'],
        ]}
        change={character => change({ ...settings, escape: character })}
      />
      <Choice
        name="Encoding"
        value={settings.charset ?? ''}
        values={[['', detected?.charset ? `Detected (${detected.charset})` : 'Detect'], ...CHARSETS]}
        change={charset => change({ ...settings, charset: charset || null })}
      />
      <Judged settings={settings} change={change} />
    </details>
  );
}

/** The browser does not send a form with an invalid field, and says why only if the field can be seen. */
export const showInvalid = ({ currentTarget }: { currentTarget: HTMLDetailsElement }) => {
  currentTarget.open = true;
};

interface SignsProps {
  text: string;
  hint: string;
  change: (text: string) => void;
}

export const SignsField = ({ text, hint, change }: SignsProps) => (
  <TextField
    name="Signs of damage: all, none, or names with commas"
    text={text}
    hint={hint}
    change={change}
  />
);

interface ModeProps {
  mode: Mode | '';
  /** What an empty choice is called; null: there is none. */
  unset: string | null;
  change: (mode: Mode | '') => void;
}

export const ModeChoice = ({ mode, unset, change }: ModeProps) => (
  <Choice
    name="Judged"
    value={mode}
    values={[
      ...(unset === null ? [] : [['', unset] as ['', string]]),
      [
        'auto',
        unset === null
          ? 'As the source, or by its history (auto)'
          : 'Thresholds at first, then history (auto)',
      ],
      ['contract', 'History and thresholds (contract)'],
      ['adaptive', 'History alone (adaptive)'],
    ]}
    change={change}
  />
);

const Judged = ({ settings, change }: Omit<Props, 'content'>) => (
  <>
    <SignsField text={settings.signs} hint="as the source" change={signs => change({ ...settings, signs })} />
    <ModeChoice mode={settings.mode} unset={null} change={mode => change({ ...settings, mode })} />
    {[...THRESHOLD_LABELS].map(([name, label]) => (
      <NumberField
        key={name}
        name={label}
        min={0}
        max={1}
        hint="as the source"
        text={settings.thresholds[name] ?? ''}
        change={text => change({ ...settings, thresholds: { ...settings.thresholds, [name]: text } })}
      />
    ))}
    <label for="try-rules">Rules for this batch as JSON, instead of those of the source</label>
    <textarea
      id="try-rules"
      rows={4}
      spellcheck={false}
      placeholder={'{"fields": {"order_id": {"unique": true}}}'}
      value={settings.rules}
      onInput={({ currentTarget }) => change({ ...settings, rules: currentTarget.value })}
    />
  </>
);
