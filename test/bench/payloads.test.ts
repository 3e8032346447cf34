import { expect, test } from 'bun:test';
import { fullScan, payloadsOf, plainCsv, quotedCsv } from '../../bench/payloads.ts';
import { SHAPES } from '../../bench/shapes.ts';
import { narrowTable, wideTable } from '../../bench/tables.ts';

const SIZE = { payloads: 3, rows: 60 };
const texts = (seed: number, table = wideTable) =>
  payloadsOf(seed, SIZE, table, fullScan()).map(({ text }) => text);

test('the same seed gives the same bytes, another seed gives others', () => {
  expect(texts(5)).toEqual(texts(5));
  expect(texts(6)).not.toEqual(texts(5));
});

test('the payloads that take turns differ', () => {
  expect(new Set(texts(5)).size).toBe(3);
});

test.each(Object.entries(SHAPES))('the shape %s is of the seed alone', (_, { rows }) => {
  expect(texts(5, rows)).toEqual(texts(5, rows));
  expect(new Set(texts(5, rows)).size).toBe(3);
});

test('the tables are as wide as their names say', () => {
  const columns = (table: typeof wideTable) => Object.keys(JSON.parse(texts(5, table)[0]!).rows[0]).length;
  expect([wideTable, narrowTable].map(columns)).toEqual([20, 10]);
});

test('text and bytes are the same, and pretty-printed JSON has the same values', () => {
  const [compact] = payloadsOf(5, SIZE, wideTable, fullScan());
  const [pretty] = payloadsOf(5, SIZE, wideTable, fullScan(2));
  expect(new TextDecoder().decode(compact!.bytes)).toBe(compact!.text);
  expect(JSON.parse(pretty!.text)).toEqual(JSON.parse(compact!.text));
  expect(pretty!.text).toContain('\n      "order_id": ');
});

test('CSV quotes separators, quotes, line ends, and the empty text, which is not null', () => {
  const rows = [{ a: 'x,y', b: 'say "z"', c: 'one\ntwo', d: '', e: null, f: 1.5, g: true, h: 'plain' }];
  const header = 'a,b,c,d,e,f,g,h\n';
  expect(plainCsv(rows)).toBe(`${header}"x,y","say ""z""","one\ntwo","",,1.5,true,plain\n`);
  expect(quotedCsv(rows)).toBe(`${header}"x,y","say ""z""","one\ntwo","",,1.5,true,"plain"\n`);
});
