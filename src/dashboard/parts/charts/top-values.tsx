/** The most frequent values with their counts. */
import { escaped, grouped } from '../../../terms/wording.ts';

interface Props {
  values: readonly { value: string; count: number }[];
  /** The count of all values. */
  of: number;
  most: number;
  /** Usual shares, by value: a mark in the bar. */
  usual?: ReadonlyMap<string, number> | undefined;
}

export const TopValues = ({ values, of, most, usual }: Props) => (
  <ul class="top-values">
    {values.slice(0, most).map(({ value, count: many }) => (
      <li key={value}>
        <bdi class="name" title={escaped(value)}>
          {value === '' ? <span class="nameless">(empty string)</span> : escaped(value)}
        </bdi>
        <svg class="bar plain" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect class="bar-ground" width="100" height="4" />
          <rect class="bar-value" width={(100 * many) / Math.max(1, of)} height="4" />
          {usual && usual.size > 0 && (
            <rect class="bar-usual" x={100 * (usual.get(value) ?? 0) - 1} width="2" height="4" />
          )}
        </svg>
        <span class="top-count">{grouped(many)}</span>
      </li>
    ))}
  </ul>
);
