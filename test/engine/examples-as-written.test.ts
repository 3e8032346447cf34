/** A value of a report is shown as the file has it, so that people find it there. */
import { expect, test } from 'bun:test';
import { Service } from '../http/service.ts';

const service = new Service();

async function sampleOf(cell: string): Promise<unknown> {
  const options = JSON.stringify({ rules: { fields: { a: { maximum: -1e300 } } } });
  const headers = { 'Content-Type': 'text/csv', 'X-Source': 's', 'X-Options': options };
  const { body } = await service.post(`a,b\n${cell},x\n`, headers);
  return body.issues.rule_violations[0].sample_value;
}

test.each([
  ['1.31888E+18', '1.31888E+18'],
  ['+2', '+2'],
  ['12.50', '12.50'],
  ['1e5', '1e5'],
  ['-12', -12],
  ['3.25', 3.25],
])('%s of a CSV', async (cell, shown) => {
  expect(await sampleOf(cell)).toBe(shown);
});

test('a number of JSON is a number', async () => {
  const options = { rules: { fields: { a: { maximum: 0 } } } };
  const { body } = await service.post(
    `{"source":"s","options":${JSON.stringify(options)},"rows":[{"a":1.5E+3}]}`,
  );
  expect(body.issues.rule_violations[0].sample_value).toBe(1500);
});
