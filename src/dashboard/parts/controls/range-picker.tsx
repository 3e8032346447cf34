import { overview, RANGES } from '../../route.ts';
import { go } from '../../use-route.ts';
import { Choice } from './fields.tsx';

const VALUES = RANGES.map(days => [String(days), `${days} days`] as const);

export const RangePicker = ({ days }: { days: number }) => (
  <Choice name="Last" value={String(days)} values={VALUES} change={chosen => go(overview(Number(chosen)))} />
);
