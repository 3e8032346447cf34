/** Writes `test/baseline/version-4.json` again, after a measurement was added. Refuses any other change of the layout. */
import { join } from 'node:path';
import { writtenBytes } from '../test/baseline/golden.ts';
import version4 from '../test/baseline/version-4.json' with { type: 'json' };

const written = writtenBytes();
const known = new Set(version4.layout);
const kept = written.layout.filter(measurement => known.has(measurement));
if (kept.join() !== version4.layout.join()) {
  console.error(
    'A stored measurement was changed, moved or removed. That needs a new version of the format.',
  );
  process.exit(1);
}
const file = join(import.meta.dir, '../test/baseline/version-4.json');
await Bun.write(file, `${JSON.stringify({ ...version4, ...written }, null, 2)}\n`);
