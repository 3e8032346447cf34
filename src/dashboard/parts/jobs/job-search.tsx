/** A field for the name of a source, or for the id of a job, whose report it opens. */
import { useEffect, useState } from 'preact/hooks';
import { go } from '../../use-route.ts';

interface Props {
  source: string | null;
  sources: readonly string[];
  choose: (source: string | null) => void;
}

const JOB_ID = /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function JobSearch({ source, sources, choose }: Props) {
  const [text, setText] = useState(source ?? '');
  useEffect(() => setText(source ?? ''), [source]);
  const search = (event: Event) => {
    event.preventDefault();
    const wanted = text.trim();
    if (JOB_ID.test(wanted)) go({ page: 'job', id: wanted });
    else choose(wanted === '' ? null : sourceOf(wanted, sources));
  };
  return (
    <form class="inline" onSubmit={search}>
      <label class="inline">
        Source or job
        <input
          type="search"
          class="choose-source"
          list="known-sources"
          placeholder="All sources"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onChange={search}
        />
      </label>
      <datalist id="known-sources">
        {sources.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </form>
  );
}

/** A part of a name is enough where no other name has it. */
function sourceOf(text: string, sources: readonly string[]): string {
  const [found, ...others] = sources.includes(text) ? [text] : sourcesLike(sources, text);
  return found !== undefined && others.length === 0 ? found : text;
}

export const sourcesLike = (sources: readonly string[], text: string): string[] =>
  sources.filter(name => name.toLowerCase().includes(text.toLowerCase()));
