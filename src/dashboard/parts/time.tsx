/** When: seen from now, with the date at hand. */
import { useNow } from '../use-now.ts';
import { ago, dateTime } from '../times.ts';

export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={dateTime(at)}>
    {ago(at, useNow())}
  </time>
);
