/** Fields for the window of a source. */
import type { SourceSettings } from '../../contract.ts';
import { NumberField } from '../controls/fields.tsx';
import { showInvalid } from './settings-fields.tsx';

/** Empty: none. */
interface WindowTexts {
  rows: string;
  seconds: string;
}

export const windowTexts = (window: SourceSettings['window']): WindowTexts =>
  window === null
    ? { rows: '', seconds: '' }
    : { rows: String(window.rows), seconds: String(window.ms / 1000) };

export const windowOf = ({ rows, seconds }: WindowTexts): SourceSettings['window'] =>
  rows === '' && seconds === '' ? null : { rows: Number(rows), ms: 1000 * Number(seconds) };

interface Props {
  texts: WindowTexts;
  change: (texts: WindowTexts) => void;
}

export const WindowFields = ({ texts, change }: Props) => (
  <details class="settings" onInvalidCapture={showInvalid}>
    <summary>Many small posts</summary>
    <p>
      Posts to the API are judged alone when they come. Together they are one batch, which ends with so many
      rows or after so many seconds. Leave both empty if each post is a batch.
    </p>
    <NumberField
      name="Rows of a window"
      text={texts.rows}
      hint="none"
      min={1}
      max={1_000_000}
      change={rows => change({ ...texts, rows })}
    />
    <NumberField
      name="Seconds of a window"
      text={texts.seconds}
      hint="none"
      min={1}
      max={86_400}
      change={seconds => change({ ...texts, seconds })}
    />
  </details>
);
