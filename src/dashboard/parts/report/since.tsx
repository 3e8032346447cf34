/** Since when the source does not pass: the batches just before this one. */
import type { Job, Report } from '../../contract.ts';
import { plural } from '../../../terms/wording.ts';
import { addressOf } from '../../route.ts';
import { dateTime } from '../../times.ts';

interface Props {
  report: Report;
  /** Newest first; null until they are loaded. */
  earlier: readonly Job[] | null;
}

export function Since({ report: { status, blocked_since: run }, earlier }: Props) {
  if (run)
    return (
      <p class="reason">
        The same field has differed since <To id={run.job_id} at={run.timestamp} />:{' '}
        {plural(run.batches, 'batch', 'batches')} with this one.
      </p>
    );
  if (status === 'PASS' || earlier === null) return null;
  const [before] = earlier;
  if (before === undefined) return <p class="reason">It is the first batch of this source.</p>;
  const passed = earlier.findIndex(({ status: verdict }) => verdict === 'PASS');
  if (passed === 0)
    return (
      <p class="reason">
        Since this batch: the one before, of <To id={before.id} at={before.created_at} />, passed.
      </p>
    );
  const many = passed < 0 ? earlier.length : passed;
  const first = earlier[many - 1]!;
  return (
    <p class="reason">
      {passed < 0 && 'At least '}
      {plural(many + 1, 'batch', 'batches')} in a row did not pass, this one included, since{' '}
      <To id={first.id} at={first.created_at} />.
    </p>
  );
}

const To = ({ id, at }: { id: string; at: string }) => (
  <a href={addressOf({ page: 'job', id })}>{dateTime(at)}</a>
);
