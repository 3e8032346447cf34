/** Search, order and filters of the list of sources. */
import { useMemo } from 'preact/hooks';
import { VERDICTS } from '../../../terms/verdict.ts';
import type { Verdict } from '../../contract.ts';
import { type Choice, type Sort, SORTS, type Source, valuesIn } from '../../source-list.ts';
import { Check, Choice as Select } from '../controls/fields.tsx';
import { shortened } from '../../../terms/wording.ts';

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
      <Select
        name="Sort by"
        value={choice.sort}
        values={Object.entries(SORTS) as [Sort, string][]}
        change={sort => set({ sort })}
      />
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
      <Check checked={choice.isOpen} change={isOpen => set({ isOpen })}>
        Open incident
      </Check>
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
  <Select
    name={name}
    value={value ?? ''}
    values={[
      ['', 'any'],
      ...(value === null || values.includes(value) ? values : [value, ...values]).map(
        each => [each, shortened(each, 40)] as const,
      ),
    ]}
    change={each => choose(each === '' ? null : each)}
  />
);
