/** Fields of forms with their labels. */
import type { ComponentChildren } from 'preact';

interface ChoiceProps<Value extends string> {
  name: string;
  value: Value;
  values: readonly (readonly [value: Value, text: string])[];
  change: (value: Value) => void;
  /** Whether the label is beside the field. */
  isInline?: boolean;
}

export const Choice = <Value extends string>({
  name,
  value,
  values,
  change,
  isInline = true,
}: ChoiceProps<Value>) => (
  <label class={isInline ? 'inline' : undefined}>
    {name}
    <select value={value} onChange={({ currentTarget }) => change(currentTarget.value as Value)}>
      {values.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

interface CheckProps {
  checked: boolean;
  change: (checked: boolean) => void;
  children: ComponentChildren;
}

export const Check = ({ checked, change, children }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
    {children}
  </label>
);

interface NumberProps {
  name: string;
  text: string;
  /** What applies while the field is empty. */
  hint: string;
  min?: number;
  max?: number;
  /** `1`: whole numbers only. */
  step?: string;
  change: (text: string) => void;
}

export const NumberField = ({ name, text, hint, min, max, step = 'any', change }: NumberProps) => (
  <label class="inline">
    {name}
    <input
      type="number"
      min={min}
      max={max}
      step={step}
      inputMode="decimal"
      value={text}
      placeholder={hint}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);

interface LineProps {
  name: string;
  text: string;
  maxLength?: number;
  /** What applies while the field is empty. */
  hint?: string;
  change: (text: string) => void;
}

export const TextField = ({ name, text, maxLength, hint, change }: LineProps) => (
  <label class="inline">
    {name}
    <input
      value={text}
      maxLength={maxLength}
      placeholder={hint}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);
