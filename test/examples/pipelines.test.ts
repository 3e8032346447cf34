/** The pages of docs/pipelines/ show the files of examples/pipelines/ and what they printed. `npm run pipelines` runs them all; those that need only this repository run here. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');
const names = readdirSync(join(root, 'examples/pipelines')).sort();
const textOf = (path: string) => Bun.file(join(root, path)).text();

test('every example has a page, and the index has every page', async () => {
  const pages = readdirSync(join(root, 'docs/pipelines')).filter(file => file !== 'README.md');
  expect(pages.sort()).toEqual(names.map(name => `${name}.md`));
  const index = await textOf('docs/pipelines/README.md');
  for (const page of pages) expect(index).toContain(`](${page})`);
});

test.each(names)('the page of %s shows its files as they are, and an output', async name => {
  const page = await textOf(`docs/pipelines/${name}.md`);
  const shown = [...page.matchAll(/^\*\*`([^`]+)`\*\*\n\n```\w+\n([\s\S]*?)^```$/gm)];
  expect(shown.length).toBeGreaterThan(0);
  for (const [, path, text] of shown) expect(text).toBe(await textOf(path!));
  expect(page).toMatch(new RegExp(`^\`\`\`text\\n\\$ npm run pipelines -- ${name}\\n\\S`, 'm'));
});

test.each(['cron', 'github-actions'])('%s runs, and prints what its page shows', async name => {
  const child = Bun.spawn([process.execPath, join(root, 'scripts/try-pipelines.ts'), name], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const said = await new Response(child.stdout).text();
  expect(said).toBe(`${name}: runs, and prints what its page shows\n`);
});
