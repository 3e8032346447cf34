/**
 * The examples of CONTRIBUTING.md work: they are applied to a copy of the repository, and their commands are run.
 *
 * A block of code follows a line with the name of its file. It is the text of a new file, or a `diff` of parts, split by `@@`:
 * each part replaces the lines that it shows, which must occur once. The lines of a block of `sh` are commands.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dir, '..');

/** Nothing of these is part of the program. */
const LEFT_OUT = [
  '.git',
  'node_modules',
  'data',
  'build/kafka',
  'build/python',
  'build/programs',
  'build/postgres',
].map(name => join(root, name));

interface Example {
  title: string;
  files: { path: string; isNew: boolean; kind: string; text: string }[];
  commands: string[];
}

const FILE = /^\*\*`([^`]+)`\*\*( \(new\))?\n\n```(\w+)\n([\s\S]*?)^```$/gm;
const COMMANDS = /^```sh\n([\s\S]*?)^```$/gm;

const guide = await Bun.file(join(root, 'CONTRIBUTING.md')).text();
const sections = guide.split(/^## /m).slice(1);
const examples = sections.map(exampleIn).filter(({ files }) => files.length > 0);

function exampleIn(section: string): Example {
  const files = [...section.matchAll(FILE)].map(([, path, isNew, kind, text]) => ({
    path: path!,
    isNew: isNew !== undefined,
    kind: kind!,
    text: text!,
  }));
  const commands = [...section.matchAll(COMMANDS)].flatMap(([, lines]) => lines!.trim().split('\n'));
  return { title: section.split('\n')[0]!, files, commands };
}

/** Copies the repository, and links to its packages. */
function copyTo(copy: string): void {
  const filter = (path: string) => !LEFT_OUT.includes(path);
  cpSync(root, copy, { recursive: true, preserveTimestamps: true, filter });
  symlinkSync(realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'));
}

async function applyTo(copy: string, { files }: Example): Promise<void> {
  for (const { path, isNew, kind, text } of files) {
    const file = Bun.file(join(copy, path));
    expect([path, await file.exists()]).toEqual([path, !isNew]);
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    await file.write(kind === 'diff' ? changed(path, await file.text(), text) : text);
  }
}

/** The text with each part of the diff put in. */
function changed(path: string, text: string, diff: string): string {
  let result = text;
  for (const part of diff.split(/^@@.*\n/m)) {
    const lines = part.trimEnd().split('\n');
    const sideOf = (mark: string) => lines.filter(line => !line.startsWith(mark)).map(line => line.slice(1));
    const [before, after] = [sideOf('+').join('\n'), sideOf('-').join('\n')];
    expect([path, before, result.split(`${before}\n`).length - 1]).toEqual([path, before, 1]);
    result = result.replace(`${before}\n`, () => `${after}\n`);
  }
  return result;
}

async function run(command: string, cwd: string): Promise<void> {
  const child = Bun.spawn(['sh', '-c', command], { cwd, stdout: 'pipe', stderr: 'pipe' });
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ command, exit: await child.exited, said: out + error }).toEqual({
    command,
    exit: 0,
    said: expect.any(String),
  });
}

test('the guide has examples, and each is checked by commands', () => {
  expect(examples.map(({ title }) => title)).toContain('Add a route');
  expect(examples.filter(({ commands }) => commands.length === 0)).toEqual([]);
});

describe('with all examples applied', () => {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-'));
  afterAll(() => rmSync(copy, { recursive: true }));

  beforeAll(async () => {
    copyTo(copy);
    for (const example of examples) await applyTo(copy, example);
  });

  // Most commands are those of every example: they run once.
  test.each([...new Set(examples.flatMap(({ commands }) => commands))])(
    '%s',
    command => run(command, copy),
    600_000,
  );
});
