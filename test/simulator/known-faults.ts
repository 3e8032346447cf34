/**
 * Faults that the simulator finds and that are not mended yet. A test fails when one is no longer found: then its line here goes, and the
 * simulator holds what was mended.
 */
import type { Result } from './simulator.ts';

interface KnownFault {
  name: string;
  /** All violations that it explains. */
  shows: RegExp;
  /** Which runs can have it. */
  runs: RegExp;
  /** One that shows it. */
  seed: number;
}

export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    name: "rows are lost where a log lost its end and has reached the group's offset again before the gate that goes on reads or asks: nothing tells it",
    shows: /row-\d+ was lost, and nobody could know it/,
    runs: /log cut/,
    seed: 7575,
  },
  {
    name: 'a version is made while a request is unfinished, the request is called off, the version comes back, and the repeat is learned beside it',
    shows: /has the batch \d+ twice, once from a version/,
    runs: /feedback/,
    seed: 30581,
  },
];

/** Violations that no known fault explains. */
export const unknownIn = ({ line, violations }: Result): string[] =>
  violations.filter(
    violation => !KNOWN_FAULTS.some(({ shows, runs }) => shows.test(violation) && runs.test(line)),
  );
