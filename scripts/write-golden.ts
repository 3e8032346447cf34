/** Writes `test/baseline/version-5.json` again, after a measurement was added. Refuses any other change of the layout. */
import { join } from 'node:path';
import { writtenBytes } from '../test/baseline/golden.ts';
import version5 from '../test/baseline/version-5.json' with { type: 'json' };

const written = writtenBytes();
const known = new Set(version5.layout);
const kept = written.layout.filter(measurement => known.has(measurement));
if (kept.join() !== version5.layout.join()) {
  console.error(
    'A stored measurement was changed, moved or removed. That needs a new version of the format.',
  );
  process.exit(1);
}
const file = join(import.meta.dir, '../test/baseline/version-5.json');
await Bun.write(file, `${JSON.stringify({ ...version5, ...written }, null, 2)}\n`);
