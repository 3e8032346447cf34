/** Writes `test/baseline/version-3.json` again, after a measurement was added. Refuses any other change of the layout. */
import { join } from 'node:path';
import { writtenBytes } from '../test/baseline/golden.ts';
import version3 from '../test/baseline/version-3.json' with { type: 'json' };

const written = writtenBytes();
const known = new Set(version3.layout);
const kept = written.layout.filter(measurement => known.has(measurement));
if (kept.join() !== version3.layout.join()) {
  console.error(
    'A stored measurement was changed, moved or removed. That needs a new version of the format.',
  );
  process.exit(1);
}
const file = join(import.meta.dir, '../test/baseline/version-3.json');
await Bun.write(file, `${JSON.stringify({ ...version3, ...written }, null, 2)}\n`);
