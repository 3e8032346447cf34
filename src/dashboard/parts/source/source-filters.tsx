/** Search, order and filters of the list of sources. */
import { useMemo } from 'preact/hooks';
import { VERDICTS } from '../../../verdict.ts';
import type { Verdict } from '../../contract.ts';
import { type Choice, type Sort, SORTS, type Source, valuesIn } from '../../source-list.ts';
import { shortened } from '../../../wording.ts';

interface Props {
  sources: readonly Source[];
  choice: Choice;
  choose: (choice: Choice) => void;
}

export function SourceFilters({ sources, choice, choose }: Props) {
  const owners = useMemo(() => valuesIn(sources, 'owner'), [sources]);
  const tags = useMemo(() => valuesIn(sources, 'tags'), [sources]);
  const set = (part: Partial<Choice>) => choose({ ...choice, ...part });
  return (
    <div class="table-tools">
      <label class="inline">
        Search
        <input
          type="search"
          value={choice.search}
          onInput={({ currentTarget }) => set({ search: currentTarget.value })}
        />
      </label>
      <label class="inline">
        Sort by
        <select
          value={choice.sort}
          onChange={({ currentTarget }) => set({ sort: currentTarget.value as Sort })}
        >
          {Object.entries(SORTS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Filter
        name="Verdict"
        values={VERDICTS}
        value={choice.verdict}
        choose={value => set({ verdict: value as Verdict | null })}
      />
      {owners.length > 0 && (
        <Filter name="Owner" values={owners} value={choice.owner} choose={owner => set({ owner })} />
      )}
      {tags.length > 0 && <Filter name="Tag" values={tags} value={choice.tag} choose={tag => set({ tag })} />}
      <label class="check">
        <input
          type="checkbox"
          checked={choice.isOpen}
          onChange={({ currentTarget }) => set({ isOpen: currentTarget.checked })}
        />
        Open incident
      </label>
    </div>
  );
}

interface FilterProps {
  name: string;
  values: readonly string[];
  value: string | null;
  choose: (value: string | null) => void;
}

const Filter = ({ name, values, value, choose }: FilterProps) => (
  <label class="inline">
    {name}
    <select
      value={value ?? ''}
      onChange={({ currentTarget }) => choose(currentTarget.value === '' ? null : currentTarget.value)}
    >
      <option value="">any</option>
      {(value === null || values.includes(value) ? values : [value, ...values]).map(each => (
        <option key={each} value={each}>
          {shortened(each, 40)}
        </option>
      ))}
    </select>
  </label>
);
