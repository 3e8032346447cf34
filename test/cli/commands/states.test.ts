/** `sluice measure` and `sluice merge-states`: parts of a batch, measured apart and put together. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { decodeStateBytes, encodeStateBytes } from '../../../src/states/bytes/state-bytes.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const HEADER = 'id,amount,town\n';
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${from + i},${(from + i) / 7},town ${i % 3}\n`).join('');

const bytesOf = (name: string): Promise<Uint8Array> => Bun.file(folder.at(name)).bytes();
const measure = (file: string, part: number, output: string) =>
  sluice(['measure', file, '--part', String(part), '--output', folder.at(output)]);
const merge = (output: string, ...names: string[]) =>
  sluice(['merge-states', '--output', folder.at(output), ...names.map(folder.at)]);

/** Files of 25,000, 5,000 and 2 rows. */
const ENDS = [0, 25_000, 30_000, 30_002];
const ready = Promise.all(
  ENDS.slice(1).map(async (end, part) => {
    const file = await folder.write(`${part}.csv`, HEADER + lines(ENDS[part]!, end));
    return measure(file, part, `${part}.state`);
  }),
);

describe('states of files', () => {
  test('are written, and what they hold is said', async () => {
    const [first] = await ready;
    expect(first!).toMatchObject({ code: 0, stdout: '' });
    expect(first!.stderr).toMatch(/0\.state: 1 part, 25,000 rows, 3 fields in [\d,]+ bytes\n$/);
    const { state } = decodeStateBytes(await bytesOf('1.state'));
    expect([state.rows, [...state.parts]]).toEqual([5000, [[1, 5000]]]);
  });

  test('merge to the same bytes in any order and grouping, whatever lies in between', async () => {
    await ready;
    const all = await merge('all.state', '0.state', '1.state', '2.state');
    expect(all.stderr).toMatch(/all\.state: 3 parts, 30,002 rows, 3 fields in/);
    await merge('some.state.gz', '2.state', '0.state');
    await merge('other.state', '1.state', 'some.state.gz');
    expect(await bytesOf('other.state')).toEqual(await bytesOf('all.state'));
    await merge('again.state', '[0-2].state');
    expect(await bytesOf('again.state')).toEqual(await bytesOf('all.state'));
  });

  test('are the same for the same rows in other formats and through pipes', async () => {
    await ready;
    const stdin = HEADER + lines(25_000, 30_000);
    await sluice(['measure', '-', '-f', 'csv', '-p', '1', '-o', folder.at('piped.state')], { stdin });
    expect(await bytesOf('piped.state')).toEqual(await bytesOf('1.state'));
  });

  test('an unfinished state is never seen, and nothing of it is left', async () => {
    await ready;
    const broken = await folder.write('broken.csv', `${HEADER}${lines(0, 20_000)}1,"2`);
    await folder.write('kept.state', 'as it was');
    const { code, stderr } = await measure(broken, 4, 'kept.state');
    expect([code, stderr]).toEqual([3, expect.stringContaining('broken.csv:20002: ')]);
    expect(new TextDecoder().decode(await bytesOf('kept.state'))).toBe('as it was');
    expect(readdirSync(folder.path).filter(name => name.includes('unfinished'))).toEqual([]);
  });

  test('a file that is written by several programs at once is whole', async () => {
    await ready;
    const runs = await Promise.all([1, 2, 3].map(() => measure(folder.at('1.csv'), 1, 'twice.state')));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await bytesOf('twice.state')).toEqual(await bytesOf('1.state'));
  });
});

describe('an error says what to do', () => {
  const refused = async ({ code, stderr }: { code: number | null; stderr: string }) => {
    expect(code).toBe(3);
    return stderr.replaceAll(`${folder.path}/`, '');
  };

  test('a part that comes twice', async () => {
    await ready;
    await merge('a-b.state', '0.state', '1.state');
    expect(await refused(await merge('x.state', 'a-b.state', '1.state'))).toBe(
      'sluice: 1.state: Part 1 is in both states: merge each part once, and measure each with a number of its own\n',
    );
  });

  test('a file that is no state, is cut off, or comes from elsewhere', async () => {
    await ready;
    expect(await refused(await merge('x.state', '0.csv'))).toBe(
      'sluice: 0.csv: This is not a state: sluice measure makes one of a file\n',
    );
    await folder.write('cut.state', (await bytesOf('0.state')).slice(0, 3000));
    expect(await refused(await merge('x.state', '1.state', 'cut.state'))).toBe(
      'sluice: cut.state: The state is damaged: copy it again, or measure its part again\n',
    );
    const whole = decodeStateBytes(await bytesOf('0.state'));
    const salted = { ...whole, measuredFor: { ...whole.measuredFor, salt: 5n } };
    await folder.write('salted.state', encodeStateBytes(salted));
    expect(await refused(await merge('x.state', '1.state', 'salted.state'))).toBe(
      'sluice: salted.state: The states have different salts, so their values cannot be compared: measure all parts of a batch in the same way\n',
    );
    expect(await refused(await merge('x.state', 'none.state'))).toMatch(/none\.state: There is no such file/);
    expect(await Bun.file(folder.at('x.state')).exists()).toBe(false);
  });

  test('words and options', async () => {
    const output = folder.at('x.state');
    expect(await refused(await sluice(['measure', 'a.csv', '-o', output]))).toBe(
      'sluice: Number the parts of the batch from 0 with --part: --part 0 for the first file\n',
    );
    for (const part of ['-1', '1.5', '', '1e3'])
      expect(await refused(await sluice(['measure', 'a.csv', `--part=${part}`, '-o', output]))).toBe(
        `sluice: --part must be a whole number from 0, not "${part}"\n`,
      );
    expect(await refused(await sluice(['measure', 'a.csv', '-p', '1']))).toMatch(/^sluice: Name the file/);
    expect(await refused(await sluice(['measure', '-p', '1', '-o', output]))).toMatch(/^sluice: Name one/);
    expect(await refused(await sluice(['merge-states', '-o', output]))).toMatch(/^sluice: Name the states/);
    expect(await refused(await merge('0.state', '0.state', '1.state'))).toMatch(/--output would replace/);
  });
});
