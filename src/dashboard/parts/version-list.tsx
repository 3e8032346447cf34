/** Versions of a baseline, each with a button to go back to it. */
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
  done: (message: string) => void;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['learned', 'while learning'],
  ['before_accept', 'before a batch was accepted'],
  ['before_feedback', 'before feedback on a batch'],
  ['before_reset', 'before the reset'],
  ['before_rollback', 'before going back'],
  ['before_rules', 'before the rules changed'],
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
            done(`The baseline is back at version ${asked.version}.`);
          }}
          close={() => setAsked(null)}
        >
          <p>The baseline loses what it learned since then. It is kept as a version, so you can undo this.</p>
        </Confirm>
      )}
    </details>
  );
}
