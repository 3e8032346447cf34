import { overview, RANGES } from '../../route.ts';
import { go } from '../../use-route.ts';

export const RangePicker = ({ days }: { days: number }) => (
  <label class="inline">
    Last
    <select value={days} onChange={({ currentTarget }) => go(overview(Number(currentTarget.value)))}>
      {RANGES.map(range => (
        <option key={range} value={range}>
          {range} days
        </option>
      ))}
    </select>
  </label>
);
