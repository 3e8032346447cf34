import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores } from '../../src/stores/open.ts';
import { StoreError } from '../../src/stores/store-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
afterEach(() => rmSync(folder, { recursive: true }));

const EMBEDDED = { dataDir: folder, databaseUrl: null, redisUrl: null };

test.each(['sluice.sqlite', 'baselines.sqlite'])(
  'a file %s that cannot be used is one line that names the variable',
  async name => {
    for (const spoil of [mkdirSync, (path: string) => writeFileSync(path, 'no database, but long enough')]) {
      mkdirSync(folder, { recursive: true });
      spoil(join(folder, name));
      const failure = await openStores(EMBEDDED).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(StoreError);
      expect((failure as Error).message).toMatch(/^DATA_DIR \S+ cannot be used: [^\n]+$/);
      rmSync(join(folder, name), { recursive: true });
    }
  },
);
