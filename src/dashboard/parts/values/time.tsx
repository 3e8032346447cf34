/** A relative time, with the date as a tooltip. */
import { useNow } from '../../use-now.ts';
import { ago, dateTime } from '../../times.ts';

export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={dateTime(at)}>
    {ago(at, useNow())}
  </time>
);
