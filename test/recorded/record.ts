/**
 * `bun test/recorded/record.ts` compares the program with the recording; with `--write` it makes the recording anew, and with
 * `--coverage` it says what the recording shows.
 */
import { HISTORIES } from './batches.ts';
import { coverage } from './coverage.ts';
import { type Entry, played } from './program.ts';
import { differences, readRecording, writeRecording } from './recording.ts';

const flags = new Set(process.argv.slice(2));

if (flags.has('--coverage')) tell(await readRecording());
else if (flags.has('--write')) {
  const entries = await played(HISTORIES);
  console.log(`${entries.length} entries, ${await writeRecording(entries)} bytes`);
} else {
  const found = differences(await readRecording(), await played(HISTORIES));
  for (const difference of found) console.log(difference);
  console.log(`${found.length} differences`);
  process.exitCode = found.length > 0 ? 1 : 0;
}

function tell(entries: readonly Entry[]): void {
  const batches = HISTORIES.flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'batch'));
  console.log(`${HISTORIES.length} histories, ${batches.length} batches, each in both modes`);
  for (const [kind, names] of coverage(entries)) {
    const counts = [...names].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`);
    console.log(`\n${kind} (${names.size}): ${counts.join(', ')}`);
  }
}
