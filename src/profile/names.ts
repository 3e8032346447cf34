/** Names for the columns of a CSV header: blank names are numbered, repeated names get a number that is free. */
export function headerNames(header: string[]): { names: string[]; repeated: string[] } {
  const taken = new Set(header);
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const names = header.map((cell, i) => {
    const name = cell.trim() === '' ? `column_${i + 1}` : cell;
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    repeated.add(name);
    const free = nextFree(name, candidate => seen.has(candidate) || taken.has(candidate));
    seen.add(free);
    return free;
  });
  return { names, repeated: [...repeated] };
}

function nextFree(name: string, isTaken: (candidate: string) => boolean): string {
  let number = 2;
  while (isTaken(`${name}_${number}`)) number++;
  return `${name}_${number}`;
}
