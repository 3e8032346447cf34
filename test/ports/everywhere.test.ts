/** Every port has a contract suite, and every class that implements the port runs it. This test reads the sources. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

const read = async (pattern: string): Promise<{ file: string; text: string }[]> => {
  const files = [...new Bun.Glob(pattern).scanSync(ROOT)].sort();
  return Promise.all(files.map(async file => ({ file, text: await Bun.file(join(ROOT, file)).text() })));
};

const sources = await read('src/**/*.ts');
const tests = await read('test/**/*.ts');

/** `class X .. implements Store` in the sources, of ports. */
const implementations = sources
  .flatMap(({ text }) => [...text.matchAll(/class (\w+)[^{\n]* implements (\w+)/g)])
  .map(([, name, port]) => ({ name: name!, port: port! }))
  .filter(({ port }) => /Store$|^PubSub$/.test(port));

/** BaselineStore → baseline-store.ts */
const suiteOf = (port: string): string =>
  `ports/${port.replace(/(?<!^)[A-Z]/g, capital => `-${capital}`).toLowerCase()}.ts`;

test('every port of the stores has a suite', async () => {
  const text = sources.filter(({ file }) => file.startsWith('src/stores/ports/')).map(port => port.text);
  const ports = [...text.join('\n').matchAll(/^export interface (\w+Store|PubSub) /gm)].map(
    ([, port]) => port!,
  );
  expect(ports.length).toBeGreaterThan(7);
  expect(ports.filter(port => !existsSync(join(ROOT, 'test', suiteOf(port))))).toEqual([]);
});

test('every implementation runs the suite of its port', () => {
  expect(implementations.length).toBeGreaterThan(14);
  const withoutSuite = implementations.filter(
    ({ name, port }) =>
      !tests.some(
        ({ text }) => text.includes(`/${suiteOf(port)}'`) && new RegExp(`new ${name}\\(`).test(text),
      ),
  );
  expect(withoutSuite).toEqual([]);
});
