/** All facts of a report about one field. */
import { grouped } from '../../../terms/wording.ts';
import type { Report } from '../../contract.ts';
import { factsOf } from '../../field-facts.ts';
import type { Field } from '../../fields.ts';
import { measuresOf, type UsualField } from '../../usual.ts';
import { ComparedTable } from './compared.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { Distribution } from '../charts/distribution.tsx';
import { Facts } from '../values/facts.tsx';
import { FindingList } from './finding-list.tsx';
import { Name } from '../values/name.tsx';

const ALL_VALUES = 10;

interface Props {
  field: Field;
  usual: UsualField | undefined;
  numbering: Report['stats']['row_numbers'];
  close: () => void;
}

export const FieldDialog = ({ field, usual, numbering, close }: Props) => (
  <Dialog title={<Name text={field.name} isWhole />} isWide close={close}>
    {field.findings.length > 0 && <FindingList findings={field.findings} numbering={numbering} />}
    <Distribution field={field} most={ALL_VALUES} usual={usual} />
    {field.outliers && (
      <p class="faint">
        {grouped(field.outliers.count)} of the numbers are outliers; the intervals that hold them are marked.
      </p>
    )}
    {field.profile && usual && <ComparedTable measures={measuresOf(field.profile)} usual={usual} />}
    <Facts facts={factsOf(field)} />
    <div class="dialog-actions">
      <button type="button" onClick={close}>
        Close
      </button>
    </div>
  </Dialog>
);
