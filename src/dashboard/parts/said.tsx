/** What was said of a batch, by whom and when. */
import { keys } from '../api.ts';
import type { CompleteJob } from '../contract.ts';
import { dateTime } from '../times.ts';
import { useLoaded } from '../use-loaded.ts';

type Feedback = NonNullable<CompleteJob['feedback']>;

const SAID: Record<Feedback[number]['said'], string> = {
  accepted: 'Accepted as the new normal',
  expected: 'Marked as expected',
  bad: 'Marked as bad',
};

export function Said({ feedback }: { feedback: Feedback }) {
  const [loaded] = useLoaded(keys, []);
  const nameOf = (id: string) => loaded.value?.find(key => key.id === id)?.name ?? id;
  return (
    <ul class="said" aria-label="What was said of this batch">
      {feedback.map(({ said, by, at }) => (
        <li key={said}>
          {SAID[said]} on {dateTime(at)} by{' '}
          {by === null ? (
            'a person who was signed in'
          ) : (
            <>
              the key <bdi>{nameOf(by)}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
