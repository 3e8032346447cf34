/** A billing period: `start` belongs to it, `end` to the next one. Milliseconds since 1970, UTC. */
export interface Period {
  start: number;
  end: number;
}

/** The calendar month in UTC that a time (ms) falls in. */
export function monthOf(time: number): Period {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}
