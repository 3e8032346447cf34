/** A list of findings; long lists show more on request. */
import { useState } from 'preact/hooks';
import { type Finding, rowsText } from '../../client/findings.ts';
import type { Report } from '../contract.ts';
import { grouped } from '../../wording.ts';
import { SeverityBadge } from './severity.tsx';
import { Name } from './name.tsx';

const PAGE_SIZE = 50;

interface Props {
  findings: readonly Finding[];
  /** What row numbers mean. */
  numbering: Report['stats']['row_numbers'];
  /** Whether the field is written before each text that does not name it. */
  isNamed?: boolean;
}

export function FindingList({ findings, numbering, isNamed = false }: Props) {
  const [shown, setShown] = useState(PAGE_SIZE);
  const more = Math.min(PAGE_SIZE * 10, findings.length - shown);
  return (
    <>
      <ul class="findings">
        {findings.slice(0, shown).map(({ part, field, severity, text, rows }, i) => (
          <li key={i}>
            <SeverityBadge severity={severity} />
            <span class="finding-text">
              {isNamed && part === 'issues' && field !== null && (
                <>
                  <Name text={field} />{' '}
                </>
              )}
              <bdi>{text}</bdi>
              {rows.length > 0 && ` – ${rowsText(rows, numbering)}`}
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
