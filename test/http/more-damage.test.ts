/** The same damage in more and more rows is never judged more mildly. */
import { expect, test } from 'bun:test';
import { VERDICTS } from '../../src/terms/verdict.ts';
import { Random } from '../../bench/random.ts';
import { batch, Service } from './service.ts';

const ROWS = 300;
const SHARES = [0, 0.05, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7];

test.each([
  ['ten times as high', 10],
  ['ten times as high, and negative', -10],
  ['a tenth', 0.1],
])('amounts that are %s', async (_, factor) => {
  for (const seed of [1, 2, 3]) {
    const service = new Service();
    const random = new Random(seed);
    const amounts = () =>
      Array.from({ length: ROWS }, () => Math.round(100 * Math.exp(3 + 0.7 * random.normal())) / 100);
    const post = async (values: number[], dry_run: boolean) => {
      const rows = values.map((amount, id) => ({ id, amount }));
      return (await service.post(batch(rows, { options: { mode: 'adaptive', dry_run } }))).body;
    };
    for (let day = 0; day < 20; day++) await post(amounts(), false);
    const usual = amounts();
    const verdicts: string[] = [];
    for (const share of SHARES) {
      const values = usual.map((amount, i) => ((i * 7) % ROWS < share * ROWS ? amount * factor : amount));
      verdicts.push((await post(values, true)).status);
    }
    const ranks = verdicts.map(verdict => VERDICTS.indexOf(verdict as never));
    expect(ranks, verdicts.join()).toEqual(ranks.toSorted());
  }
});
