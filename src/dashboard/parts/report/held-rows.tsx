/** The rows of a report to hold back, with reasons, to look at and to download. */
import { useMemo, useState } from 'preact/hooks';
import type { Report } from '../../contract.ts';
import { download } from '../../download.ts';
import {
  csvOf,
  goodRows,
  type HeldRow,
  heldRows,
  isWholeBatchHeld,
  jsonOf,
  NUMBERING,
} from '../../held-rows.ts';
import { grouped, plural } from '../../../terms/wording.ts';
import { Panel } from '../frame/panel.tsx';
import { type Column, VirtualTable } from '../controls/virtual-table.tsx';

const COLUMNS: Column<HeldRow>[] = [
  { title: 'Row', class: 'c-row', cell: ({ row }) => grouped(row) },
  {
    title: 'Reasons',
    class: 'c-reasons',
    cell: ({ reasons }) => (
      <bdi title={reasons.join('\n')}>{reasons.join('; ') || 'left out of the report'}</bdi>
    ),
  },
];

/** The fields come below: they should not be thousands of rows away. */
const FIRST_ROWS = 10;

export function HeldRows({ report }: { report: Report }) {
  const held = useMemo(() => heldRows(report), [report]);
  const [isWhole, setWhole] = useState(false);
  const { rows, isComplete } = held;
  const isByLine = report.stats.row_numbers === 'line';
  if (rows.length === 0) return <NoRows report={report} isComplete={isComplete} />;
  const name = `rows-${report.request_id}`;
  const good = goodRows(report, held);
  const saveGood = () => download(`good-${name}.csv`, 'text/csv', `row\r\n${good!.join('\r\n')}\r\n`);
  const saveBoth = () => download(`${name}.json`, 'application/json', jsonOf(report, held));
  return (
    <Panel
      title={isComplete ? 'Rows to hold back' : 'Rows that findings name'}
      aside={isComplete ? plural(rows.length, 'row') : `${plural(rows.length, 'row')}, not all`}
      isFlush
    >
      <div class="held-about">
        <p>
          {!isComplete &&
            'Only the first rows of each finding. To get every row, send the batch with row_verdicts, or use Try it. '}
          {NUMBERING[isByLine ? 'line' : 'index']}
          {isWholeBatchHeld(report) &&
            ' A finding is about the whole batch: inspect it before you write the other rows.'}
          {isComplete &&
            isByLine &&
            !isWholeBatchHeld(report) &&
            ' Every other line may be written; sluice screen --good writes them to a file.'}
        </p>
        <div class="actions">
          <button type="button" onClick={() => download(`held-${name}.csv`, 'text/csv', csvOf(rows))}>
            {isComplete ? 'Held row numbers as CSV' : 'These row numbers as CSV'}
          </button>
          {good && (
            <button type="button" onClick={saveGood}>
              Good row numbers as CSV
            </button>
          )}
          <button type="button" onClick={saveBoth}>
            {good ? 'Both as JSON' : isComplete ? 'Held row numbers as JSON' : 'These row numbers as JSON'}
          </button>
        </div>
      </div>
      <div class="held-rows">
        <VirtualTable
          class="held"
          label="Rows to hold back"
          items={isWhole ? rows : rows.slice(0, FIRST_ROWS)}
          keyOf={({ row }) => String(row)}
          columns={COLUMNS}
        />
      </div>
      {!isWhole && rows.length > FIRST_ROWS && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {grouped(rows.length)} rows
        </button>
      )}
    </Panel>
  );
}

/** A batch that did not pass always has an answer to the question which rows. */
const NoRows = ({ report, isComplete }: { report: Report; isComplete: boolean }) =>
  report.status === 'PASS' ? null : (
    <Panel title="Rows to hold back">
      <p>
        {isComplete
          ? 'No single row is to blame: the findings are about the whole batch.'
          : 'The findings name no rows. To get the rows, send the batch with row_verdicts, or use Try it.'}
      </p>
    </Panel>
  );
