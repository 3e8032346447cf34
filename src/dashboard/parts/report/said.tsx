/** What was said of a batch, by whom and when, besides an accept that holds: the verdict says that. */
import { acceptedIn, whoSaid } from '../../../rendering/acceptance.ts';
import type { JobFeedback } from '../../contract.ts';
import { dateTime } from '../../times.ts';

const SAID: Record<JobFeedback['said'], string> = {
  accepted: 'Accepted as the new normal',
  expected: 'Marked as expected',
  bad: 'Marked as bad',
};

export function Said({ feedback }: { feedback: readonly JobFeedback[] }) {
  const accepted = acceptedIn(feedback);
  const others = feedback.filter(each => each !== accepted);
  if (others.length === 0) return null;
  return (
    <ul class="said" aria-label="What was said of this batch">
      {others.map(each => (
        <li key={each.said}>
          {SAID[each.said]} on {dateTime(each.at)} by <bdi>{whoSaid(each)}</bdi>
          {each.undone_at &&
            `; since ${dateTime(each.undone_at)}, when the baseline was reset or went back to a version, this may no longer hold`}
        </li>
      ))}
    </ul>
  );
}
