/** The fields of a report. Each opens a dialog with all facts about it. */
import { useMemo, useState } from 'preact/hooks';
import type { FieldProfile, Profile, Report } from '../../contract.ts';
import { type Field, fieldsOf } from '../../fields.ts';
import { type Measure, measuresOf, type Usual } from '../../usual.ts';
import { plural } from '../../../terms/wording.ts';
import { Compared } from './compared.tsx';
import { Distribution } from '../charts/distribution.tsx';
import { FieldDialog } from './field-dialog.tsx';
import { contains, FieldSearch } from './field-search.tsx';
import { SeverityBadge } from '../values/severity.tsx';
import { Name } from '../values/name.tsx';
import { type Column, VirtualTable } from '../controls/virtual-table.tsx';

const columns = (open: (field: Field) => void, usual: Usual | null): Column<Field>[] => [
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
  {
    title: 'Null rate',
    class: 'c-rate',
    cell: ({ name, profile }) => (
      <Compared measure={profile ? measuresOf(profile)[0] : undefined} usual={usual?.fields.get(name)} />
    ),
  },
  {
    title: 'Median or distinct',
    class: 'c-middle',
    cell: ({ name, profile }) => (
      <Compared measure={profile ? middleOf(profile) : undefined} usual={usual?.fields.get(name)} />
    ),
  },
  {
    title: 'Values',
    class: 'c-values',
    cell: field => <Distribution field={field} most={3} usual={usual?.fields.get(field.name)} />,
  },
  { title: 'Findings', class: 'c-findings', cell: field => <Findings field={field} /> },
];

/** Of numbers the median, of others how many differ. */
function middleOf(profile: FieldProfile): Measure | undefined {
  const measures = measuresOf(profile);
  return (
    measures.find(({ label }) => label === 'Median') ??
    measures.find(({ label }) => label === 'Distinct values')
  );
}

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

interface Props {
  report: Report;
  profile: Profile | null;
  usual: Usual | null;
}

export function FieldsTable({ report, profile, usual }: Props) {
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
        columns={columns(setOpened, usual)}
      />
      {opened && (
        <FieldDialog
          field={opened}
          usual={usual?.fields.get(opened.name)}
          numbering={report.stats.row_numbers}
          close={() => setOpened(null)}
        />
      )}
    </>
  );
}
