/** JSON that has its rows within, or none. */
import { expect, test } from 'bun:test';
import { arraysIn, isColumns, isErrorMessage, signOfOnlyRow } from '../../src/table/wrappers.ts';

test.each([
  ['{"meta": {"count": 2}, "data": [{"id": 1}]}', ['data']],
  ['{"response": {"items": [ {"id": 1} ], "n": 1}, "more": []}', ['response.items']],
  ['{"type":"FeatureCollection","features":[{"type":"Feature","parts":[{"a":1}]}]}', ['features']],
  ['{"a":[{"x":1}],"b":{"c":[{"x":"[{"}]}}', ['a', 'b.c']],
  ['{"a":"data\\":[{","b":[1,2],"c":[]}', []],
  ['[{"a":[{"b":1}]}]', []],
  ['{"data":[{"id":1},{"id":', ['data']],
  ['', []],
])('arrays of objects in %s', (text, paths) => expect(arraysIn(text)).toEqual(paths));

test.each([
  ['{"error":"not found"}', true],
  ['{"error":{"code":1},"request_id":"x"}', true],
  ['{"message":"Too many requests","status":429}', true],
  ['{"message":"started","timestamp":"2026-01-01"}', false],
  ['{"message":"ok","status":200}', false],
  ['{"error":0.1,"x":2}', false],
  ['{}', false],
  ['[]', false],
  ['null', false],
])('whether %s is an error message', (text, is) => expect(isErrorMessage(JSON.parse(text))).toBe(is));

test.each([
  ['{"data":[{"a":1}],"total":1}', 'wrapped_rows'],
  ['{"errors":[{"title":"no"}]}', 'error_message'],
  ['{"order_id":1,"items":[{"sku":"a"}]}', null],
  ['{"data":[1,2]}', null],
  ['{"id":1}', null],
])('the only row %s', (text, sign) => expect(signOfOnlyRow(JSON.parse(text))).toBe(sign as never));

test('columns are no rows', () => {
  expect(isColumns({ a: [1, 2], b: ['x', 'y'] })).toBe(true);
  expect(isColumns({ a: [1, 2], b: ['x'] })).toBe(false);
  expect(isColumns({ a: [{}] })).toBe(false);
});
