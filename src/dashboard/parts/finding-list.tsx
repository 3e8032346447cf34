/** Findings as sentences; of many the worst first, the others when they are asked for. */
import { useState } from 'preact/hooks';
import type { Finding } from '../findings.ts';
import { grouped } from '../../wording.ts';
import { LevelBadge } from './level.tsx';
import { Name } from './name.tsx';

const AT_ONCE = 20;

interface Props {
  findings: readonly Finding[];
  /** Whether the field stands before each. */
  isNamed: boolean;
}

export function FindingList({ findings, isNamed }: Props) {
  const [shown, setShown] = useState(AT_ONCE);
  const more = Math.min(AT_ONCE * 5, findings.length - shown);
  return (
    <>
      <ul class="findings">
        {findings.slice(0, shown).map(({ level, field, text }, i) => (
          <li key={i}>
            <LevelBadge level={level} />
            <span class="finding-text">
              {isNamed && field !== null && (
                <>
                  <Name text={field} />{' '}
                </>
              )}
              <bdi>{text}</bdi>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <button type="button" onClick={() => setShown(shown + more)}>
          Show {grouped(more)} more of {grouped(findings.length)}
        </button>
      )}
    </>
  );
}
