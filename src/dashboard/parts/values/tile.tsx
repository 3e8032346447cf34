import type { ComponentChildren } from 'preact';

interface Props {
  name: string;
  value: ComponentChildren;
  note?: ComponentChildren;
}

/** One figure, large. */
export const Tile = ({ name, value, note }: Props) => (
  <div class="tile">
    <dt>{name}</dt>
    <dd>{value}</dd>
    {note && <dd class="tile-note">{note}</dd>}
  </div>
);
