/** What words on the command line may be: folders, globs, misspelt names, two files to compare. */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { filesIn } from '../../src/cli/input/files.ts';
import { distanceOf, meant } from '../../src/names/nearest.ts';
import { EXAMPLES, Folder, sluice } from './sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

describe('files', () => {
  const made = ['day/b.csv', 'day/a.tsv', 'day/deep/c.tab', 'day/.hidden.csv', 'day/notes.txt', 'x[1].csv'];
  const ready = Promise.all(made.map(name => folder.write(name, 'a\n1\n')));
  const found = async (...words: string[]) => {
    await ready;
    const files = await filesIn(words.map(word => (word === '-' ? word : folder.at(word))));
    return files.map(file => file.replace(`${folder.path}/`, ''));
  };

  test('of a folder are those of a known format, by name, also those below', async () => {
    expect(await found('day')).toEqual(['day/a.tsv', 'day/b.csv', 'day/deep/c.tab']);
  });

  test('of a glob are those that match, whatever their format', async () => {
    expect(await found('day/*.{csv,txt}')).toEqual(['day/b.csv', 'day/notes.txt']);
    expect(await found('**/*.tab')).toEqual(['day/deep/c.tab']);
  });

  test('come once, and a file whose name looks like a glob is that file', async () => {
    expect(await found('day/b.csv', 'day', 'x[1].csv', '-')).toEqual([
      'day/b.csv',
      'day/a.tsv',
      'day/deep/c.tab',
      'x[1].csv',
      '-',
    ]);
  });

  test('that are not there are an error', async () => {
    await folder.write('none/readme.md', '');
    expect(found('day/*.parquet')).rejects.toThrow('No file matches; check the pattern');
    expect(found('none')).rejects.toThrow('No file in this folder has a name of a known format');
    expect(await found('absent.csv')).toEqual(['absent.csv']);
  });

  test('of a folder are screened', async () => {
    await ready;
    const { code, stdout } = await sluice(['screen', folder.at('day')]);
    expect([code, stdout.match(/^PASS/gm)?.length]).toEqual([0, 3]);
  });
});

describe('a misspelt name', () => {
  test.each([
    ['', '', 0],
    ['abc', '', 3],
    ['screen', 'sceren', 1],
    ['screen', 'scren', 1],
    ['kitten', 'sitting', 3],
  ])('%j is %j after %d edits', (a, b, edits) => expect(distanceOf(a, b)).toBe(edits));

  test('is far from everything', () => expect(meant('frobnicate', ['screen', 'profile'])).toBe(''));

  test.each([
    [['sceren', 'x.csv'], 'Unknown command "sceren". Did you mean screen?'],
    [['rules', 'imprt'], 'Unknown command "rules". Did you mean rules import?'],
    [['screen', '--fial-on', 'warn', 'x.csv'], "Unknown option '--fial-on'. Did you mean --fail-on?"],
    [['screen', '--frobnicate', 'x.csv'], "Unknown option '--frobnicate'. See sluice screen --help"],
  ])('%p', async (args, said) => {
    const { code, stderr } = await sluice(args);
    expect([code, stderr]).toEqual([3, expect.stringContaining(said)]);
  });
});

describe('sluice diff', () => {
  const example = (name: string) => join(EXAMPLES, name);

  test('judges the second file against the first', async () => {
    const { code, stdout } = await sluice([
      'diff',
      example('orders-clean.csv'),
      example('orders-broken.csv'),
    ]);
    expect(code).toBe(2);
    expect(stdout).toContain("source 'orders-broken'");
    expect(stdout).toContain('drift: ');
    const same = await sluice(['diff', '-q', example('orders-clean.csv'), example('orders-clean.csv')]);
    expect([same.code, same.stdout, same.stderr]).toEqual([0, '', '']);
  });

  test.each([[['a.csv']], [['a.csv', 'b.csv', 'c.csv']]])('of %p is wrong use', async files => {
    const { code, stderr } = await sluice(['diff', ...files]);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('Name two files: the one before, and the one after'),
    ]);
  });
});
