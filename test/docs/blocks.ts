/** The blocks of the documents: what stands in fences, or is indented by four spaces. */
import { join } from 'node:path';

export const ROOT = join(import.meta.dir, '../..');

export interface Block {
  page: string;
  /** From 1. */
  line: number;
  /** Of a fence; '' of an indented block. */
  language: string;
  text: string;
  /** The line above, unless it is blank; else the one above that. */
  above: string;
}

export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/README.md',
  'clients/python/README.md',
  'clients/typescript/README.md',
  ...new Bun.Glob('docs/**/*.md').scanSync(ROOT),
];

const BLOCK = /^```(\w*)\n([\s\S]*?)^```$|(?<=\n\n)((?: {4}.*\n)+)/gm;

export const blocksIn = (page: string, text: string): Block[] =>
  [...text.matchAll(BLOCK)].map(({ index, 1: language = '', 2: fenced, 3: indented }) => {
    const before = text.slice(0, index);
    return {
      page,
      line: before.split('\n').length,
      language,
      text: fenced ?? indented!.replace(/^ {4}/gm, ''),
      above: before.trimEnd().split('\n').at(-1)!,
    };
  });

export const BLOCKS = (
  await Promise.all(PAGES.map(async page => blocksIn(page, await Bun.file(join(ROOT, page)).text())))
).flat();
