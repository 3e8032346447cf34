/** Takes a file that is dropped or chosen. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Content } from '../../content.ts';
import { compact, shortened } from '../../../terms/wording.ts';

const NAMES = {
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'JSON lines',
  parquet: 'Parquet',
  'arrow file': 'Arrow',
  'arrow stream': 'Arrow',
};
const ACCEPTED =
  '.csv,.tsv,.txt,.json,.ndjson,.jsonl,.parquet,.arrow,.arrows,.feather,.gz,.zst,text/csv,application/json';

interface Props {
  content: Content;
  choose: (file: File) => void;
  clear: () => void;
}

export function DropZone({ content: { file, detected }, choose, clear }: Props) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const dropped = event.dataTransfer?.files[0];
    if (dropped) choose(dropped);
  };
  useDropAnywhere(choose);
  const remove = () => {
    if (input.current) input.current.value = '';
    clear();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a mouse; the button inside works without one
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={event => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        ref={input}
        id="file"
        aria-label="Choose a file"
        class="unseen"
        type="file"
        accept={ACCEPTED}
        onChange={({ currentTarget }) => currentTarget.files?.[0] && choose(currentTarget.files[0])}
      />
      {file === null ? (
        <p>
          Drop a file here (CSV, JSON, Parquet or Arrow, also .gz and .zst), or{' '}
          <label for="file" class="as-button">
            choose a file
          </label>
        </p>
      ) : (
        <p>
          <bdi class="name">{shortened(file.name, 80)}</bdi>{' '}
          <span class="faint">
            {compact(file.size)} bytes
            {detected ? `, ${NAMES[detected.format]}${detected.coding ? ` in ${detected.coding}` : ''}` : ''}
          </span>{' '}
          <button type="button" class="quiet" onClick={remove}>
            Remove
          </button>
        </p>
      )}
    </div>
  );
}

/** Also takes a file that is dropped elsewhere on the page, which a browser would open instead of the page. */
function useDropAnywhere(choose: (file: File) => void): void {
  useEffect(() => {
    const take = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (event.type === 'drop' && file) choose(file);
    };
    for (const name of ['dragover', 'drop'] as const) addEventListener(name, take);
    return () => {
      for (const name of ['dragover', 'drop'] as const) removeEventListener(name, take);
    };
  }, []);
}
