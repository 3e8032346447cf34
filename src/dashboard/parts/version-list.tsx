/** Versions of a baseline, and the way back to one. */
import { useState } from 'preact/hooks';
import { rollBack } from '../api.ts';
import type { Version } from '../contract.ts';
import { addressOf } from '../route.ts';
import { grouped, plural } from '../../wording.ts';
import { dateTime } from '../times.ts';
import { Confirm } from './confirm.tsx';

interface Props {
  source: string;
  versions: readonly Version[];
  done: (words: string) => void;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['learned', 'while it learned'],
  ['before_accept', 'before a batch was accepted'],
  ['before_feedback', 'before what was said of a batch'],
  ['before_reset', 'before the reset'],
  ['before_rollback', 'before going back'],
]);

export function VersionList({ source, versions, done }: Props) {
  const [asked, setAsked] = useState<Version | null>(null);
  if (versions.length === 0) return null;
  return (
    <details class="settings">
      <summary>{plural(versions.length, 'version')} to go back to</summary>
      <ul>
        {versions.map(each => (
          <li key={each.version} class="line">
            <span>
              {dateTime(each.made_at)}, {REASONS.get(each.reason) ?? each.reason}:{' '}
              {plural(each.batches, 'batch', 'batches')}, {plural(each.rows, 'row')}
              {each.job_id && (
                <>
                  {' '}
                  (<a href={addressOf({ page: 'job', id: each.job_id })}>its job</a>)
                </>
              )}
            </span>
            <button type="button" onClick={() => setAsked(each)}>
              Go back<span class="unseen"> to version {grouped(each.version)}</span>
            </button>
          </li>
        ))}
      </ul>
      {asked && (
        <Confirm
          title={`Go back to version ${asked.version}?`}
          verb="Go back"
          act={() => rollBack(source, asked.version)}
          done={() => {
            setAsked(null);
            done(`The baseline is again as version ${asked.version} has it.`);
          }}
          close={() => setAsked(null)}
        >
          <p>What was learnt since is forgotten. It is kept as a version, so this can be undone.</p>
        </Confirm>
      )}
    </details>
  );
}
