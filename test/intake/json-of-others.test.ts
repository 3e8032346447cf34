/** What other languages write and JSON has not is named, with what to write instead. */
import { expect, test } from 'bun:test';
import { Service } from '../http/service.ts';

const service = new Service();

test.each([
  ['NaN', 'JSON has no NaN: write null'],
  ['nan', 'JSON has no NaN: write null'],
  ['-NaN', 'JSON has no NaN: write null'],
  ['Infinity', 'JSON has no Infinity: write null'],
  ['-Infinity', 'JSON has no Infinity: write null'],
  ['inf', 'JSON has no Infinity: write null'],
  ['None', 'write null, in small letters'],
  ['undefined', 'write null, in small letters'],
  ['True', 'write true and false in small letters'],
  ["'x'", 'names and texts are in double quotes'],
  ['1, // one', 'JSON has no comments'],
  ['1, # one', 'JSON has no comments'],
  ['1, ', 'no comma follows the last value'],
  ['[1,]', 'no comma follows the last value'],
])('%s', async (value, advice) => {
  const { status, body } = await service.post(`{"source":"s","rows":[{"a":${value}}]}`);
  expect([status, body.code]).toEqual([400, 'INVALID_JSON']);
  expect(body.message).toMatch(/^The body is not JSON: unexpected byte at offset \d+: /);
  expect(body.message).toEndWith(`: ${advice}`);
  const headers = { 'Content-Type': 'application/x-ndjson', 'X-Source': 's' };
  expect((await service.post(`{"a":1}\n{"a":${value}}\n`, headers)).body.message).toEndWith(`: ${advice}`);
});

test('another byte is only said to be unexpected', async () => {
  const { body } = await service.post('{"source":"s","rows":[{"a":Nope}]}');
  expect(body.message).toBe('The body is not JSON: unexpected byte at offset 27');
});
