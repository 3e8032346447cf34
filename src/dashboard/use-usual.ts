/** What was usual before a batch: the profiles of the batches of its source before it that passed, or where none did, were not BLOCKed. */
import { job, jobs } from './api.ts';
import type { Job, Report } from './contract.ts';
import { useLoaded } from './use-loaded.ts';
import { type Usual, usualOf } from './usual.ts';

const MOST_BATCHES = 12;
/** Fields of all profiles together: a batch of 2,000 fields is compared with the four before it. */
const MOST_FIELDS = 8_000;
/** Among how many earlier jobs they are looked for. */
const LOOKED_AT = 60;

interface Past {
  usual: Usual;
  /** The jobs of the source before this one, newest first. */
  earlier: readonly Job[];
}

/** Null while it is loaded, and where it cannot be: the report is complete without it. */
export function useUsual({ request_id: before, stats: { source }, schema }: Report): Past | null {
  const [loaded] = useLoaded(
    async signal => {
      const earlier = await jobs({ limit: LOOKED_AT, source, before }, signal);
      const most = Math.ceil(MOST_FIELDS / Math.max(1, Object.keys(schema).length));
      const passed = earlier.filter(({ status }) => status === 'PASS');
      const usable = passed.length > 0 ? passed : earlier.filter(({ status }) => status !== 'BLOCK');
      const read = usable.slice(0, Math.min(MOST_BATCHES, most)).map(({ id }) => job(id, signal));
      return { usual: usualOf((await Promise.all(read)).map(({ profile }) => profile)), earlier };
    },
    [before],
  );
  return loaded.value ?? null;
}
