/** A list of findings; long lists show more on request. */
import { useState } from 'preact/hooks';
import { type Finding, rowsText } from '../../../client/findings.ts';
import type { Report } from '../../contract.ts';
import { grouped } from '../../../terms/wording.ts';
import { SeverityBadge } from '../values/severity.tsx';
import { Name } from '../values/name.tsx';

const PAGE_SIZE = 50;

interface Props {
  /** Gravest first. */
  findings: readonly Finding[];
  /** What row numbers mean. */
  numbering: Report['stats']['row_numbers'];
  /** Whether those of one field are together, under its name. */
  isByField?: boolean;
}

export function FindingList({ findings, numbering, isByField = false }: Props) {
  const [many, setMany] = useState(PAGE_SIZE);
  const more = Math.min(PAGE_SIZE * 10, findings.length - many);
  const shown = findings.slice(0, many);
  return (
    <>
      {isByField ? (
        [...Map.groupBy(shown, ({ field }) => field)].map(([field, alike]) => (
          <div key={JSON.stringify(field)} class="finding-group">
            <h3>{field === null ? 'The whole batch' : <Name text={field} />}</h3>
            <Findings findings={alike} numbering={numbering} />
          </div>
        ))
      ) : (
        <Findings findings={shown} numbering={numbering} />
      )}
      {more > 0 && (
        <button type="button" onClick={() => setMany(many + more)}>
          Show {grouped(more)} more of {grouped(findings.length)}
        </button>
      )}
    </>
  );
}

const Findings = ({ findings, numbering }: Pick<Props, 'findings' | 'numbering'>) => (
  <ul class="findings">
    {findings.map(({ severity, text, rows }, i) => (
      <li key={i}>
        <SeverityBadge severity={severity} />
        <span class="finding-text">
          <bdi>{text}</bdi>
          {rows.length > 0 && ` – ${rowsText(rows, numbering)}`}
        </span>
      </li>
    ))}
  </ul>
);
