/** Advised settings, for sources whose usual batches cross a threshold. */
import { putSettings, settings } from '../../api.ts';
import type { Advice, Settings, SourceSettings } from '../../contract.ts';
import { useAction } from '../../use-action.ts';
import { FailureNote } from '../frame/failure.tsx';

interface Props {
  source: string;
  advice: readonly Advice[];
  done: (message: string) => void;
}

export function AdviceList({ source, advice, done }: Props) {
  const { isActing, failure, run } = useAction();
  if (advice.length === 0) return null;
  const follow = (advised: Advice['set']) =>
    run(async () => {
      // Somebody else may have changed them since the page was loaded.
      const before = await settings(source);
      await putSettings(source, before.version, merged(before, advised));
      done('Saved. It applies to the next batch.');
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

const merged = (
  { mode, thresholds, false_alarm_rate, settle_after, signs }: SourceSettings,
  advised: Advice['set'],
): Settings => ({
  mode: advised.mode ?? mode,
  thresholds: { ...thresholds, ...advised.thresholds },
  false_alarm_rate,
  settle_after,
  signs,
});
