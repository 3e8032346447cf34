/** Finds fields by a part of the name. */

interface Props {
  wanted: string;
  onWanted: (wanted: string) => void;
}

export const FieldSearch = ({ wanted, onWanted }: Props) => (
  <label class="inline">
    Find a field
    <input type="search" value={wanted} onInput={({ currentTarget }) => onWanted(currentTarget.value)} />
  </label>
);

export const contains = (name: string, wanted: string): boolean =>
  name.toLowerCase().includes(wanted.toLowerCase());
