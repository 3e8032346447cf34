/** The fields of a report. Each opens a dialog with all facts about it. */
import { useMemo, useState } from 'preact/hooks';
import type { Profile, Report } from '../contract.ts';
import { type Field, fieldsOf } from '../fields.ts';
import { percent, plural } from '../../wording.ts';
import { Distribution } from './distribution.tsx';
import { FieldDialog } from './field-dialog.tsx';
import { contains, FieldSearch } from './field-search.tsx';
import { SeverityBadge } from './severity.tsx';
import { Name } from './name.tsx';
import { Rate } from './rate.tsx';
import { type Column, VirtualTable } from './virtual-table.tsx';

const columns = (open: (field: Field) => void): Column<Field>[] => [
  {
    title: 'Field',
    class: 'c-field',
    cell: field => (
      <>
        <button type="button" class="link" onClick={() => open(field)}>
          <Name text={field.name} />
        </button>
        <span class="type">{field.type}</span>
      </>
    ),
  },
  { title: 'Confidence', class: 'c-rate', cell: ({ confidence }) => percent(confidence) },
  {
    title: 'Null rate',
    class: 'c-rate',
    cell: ({ profile }) => (profile ? <Rate value={profile.null_rate} /> : <span class="faint">–</span>),
  },
  { title: 'Values', class: 'c-values', cell: field => <Distribution field={field} most={3} /> },
  { title: 'Findings', class: 'c-findings', cell: field => <Findings field={field} /> },
];

const Findings = ({ field: { findings } }: { field: Field }) =>
  findings.length === 0 ? (
    <span class="faint">none</span>
  ) : (
    <span class="found" title={findings.map(({ text }) => text).join('\n')}>
      <SeverityBadge severity={findings[0]!.severity} />
      <span class="found-text">{findings[0]!.text}</span>
      {findings.length > 1 && <span class="faint">+{findings.length - 1}</span>}
    </span>
  );

/** With more fields there is a search. */
const MAX_WITHOUT_SEARCH = 12;

export function FieldsTable({ report, profile }: { report: Report; profile: Profile | null }) {
  const [wanted, setWanted] = useState('');
  const [opened, setOpened] = useState<Field | null>(null);
  const fields = useMemo(() => fieldsOf(report, profile), [report, profile]);
  const shown = useMemo(() => fields.filter(({ name }) => contains(name, wanted)), [fields, wanted]);
  return (
    <>
      {fields.length > MAX_WITHOUT_SEARCH && (
        <div class="table-tools">
          <FieldSearch wanted={wanted} onWanted={setWanted} />
          <span class="faint" aria-live="polite">
            {wanted && plural(shown.length, 'field')}
          </span>
        </div>
      )}
      <VirtualTable
        class="fields"
        label="Fields"
        items={shown}
        keyOf={({ name }) => name}
        columns={columns(setOpened)}
      />
      {opened && (
        <FieldDialog field={opened} numbering={report.stats.row_numbers} close={() => setOpened(null)} />
      )}
    </>
  );
}
