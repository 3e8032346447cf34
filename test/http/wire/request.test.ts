import { expect, test } from 'bun:test';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../../../src');
const MEMBERS = ['address', 'body', 'bodyUsed', 'headers', 'method', 'sent', 'upgrade', 'url', 'whenSent'];

test('the application reads only what a WireRequest has', async () => {
  const files = [...new Bun.Glob('http/**/*.ts').scanSync(ROOT)];
  const texts = await Promise.all(files.map(file => Bun.file(join(ROOT, file)).text()));
  const read = texts.flatMap(text =>
    [...text.matchAll(/(?<!['/])\brequest\.(\w+)/g)].map(([, member]) => member!),
  );
  expect(read.length).toBeGreaterThan(15);
  expect([...new Set(read)].filter(member => !MEMBERS.includes(member))).toEqual([]);
});
