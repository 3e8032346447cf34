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
    name: 'what a request that has no answer has learned is merged by feedback before it is called off, and its repeat is learned too',
    shows: /has the batch \d+ twice/,
    runs: /feedback .* faults [1-9]/,
    seed: 359,
  },
  {
    name: "a source's first batch, which is BLOCK, cannot be called expected after others were merged: the answer says that it is there",
    shows: /was called expected and is kept out/,
    runs: /feedback/,
    seed: 650,
  },
  {
    name: "a source's first batch, which is BLOCK, is learned twice when one gate accepts it while another calls it expected",
    shows: /accepted and called expected at the same time/,
    runs: /feedback/,
    seed: 20152,
  },
  {
    name: "rows are lost where a log lost its end and has reached the group's offset again before the gate asks for its end",
    shows: /row-\d+ was lost/,
    runs: /log cut/,
    seed: 528,
  },
  {
    name: 'rows wait for ever where the promised end of their window lies behind the end that a log has since it was cut',
    shows: /a partition is not read to its end/,
    runs: /log cut/,
    seed: 1089,
  },
];

/** Violations that no known fault explains. */
export const unknownIn = ({ line, violations }: Result): string[] =>
  violations.filter(
    violation => !KNOWN_FAULTS.some(({ shows, runs }) => shows.test(violation) && runs.test(line)),
  );
