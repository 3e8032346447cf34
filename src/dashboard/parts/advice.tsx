/** What to set where usual batches keep crossing a threshold. */
import { putSettings } from '../api.ts';
import type { Advice, Settings, SourceSettings } from '../contract.ts';
import { useAction } from '../use-action.ts';
import { FailureNote } from './failure.tsx';

interface Props {
  source: string;
  advice: readonly Advice[];
  /** What is set already. */
  set: SourceSettings;
  done: (words: string) => void;
}

export function AdviceList({ source, advice, set, done }: Props) {
  const { isActing, failure, run } = useAction();
  if (advice.length === 0) return null;
  const follow = (advised: Advice['set']) =>
    run(async () => {
      await putSettings(source, together(set, advised));
      done('It is set: the next batch is judged by it.');
    });
  return (
    <section class="note" aria-label="Advice">
      <ul>
        {advice.map(({ detail, set: advised }) => (
          <li key={detail} class="line">
            <bdi>{detail}</bdi>
            <button type="button" disabled={isActing} onClick={() => follow(advised)}>
              Set {advised.mode ? 'adaptive mode' : 'these thresholds'}
            </button>
          </li>
        ))}
      </ul>
      {failure && <FailureNote failure={failure} />}
    </section>
  );
}

const together = (
  { mode, thresholds, false_alarm_rate }: SourceSettings,
  advised: Advice['set'],
): Settings => ({
  mode: advised.mode ?? mode,
  thresholds: { ...thresholds, ...advised.thresholds },
  false_alarm_rate,
});
