import { expect, test } from 'bun:test';
import { Service } from './service.ts';

const service = new Service();
const even = '1,2,3\n'.repeat(30);

test.each([
  ['1,2', 2],
  ['1', 1],
  ['1,2,3,4', 4],
  ['1,2,3,4,5,6,7,8', 8],
])('a ragged row %s says how many cells it and the header have', async (row, first) => {
  const headers = { 'Content-Type': 'text/csv', 'X-Source': 's' };
  const { body } = await service.post(`a,b,c\n${even}${row}\n1,2\n${even}`, headers);
  expect(body.issues.ragged_rows).toMatchObject({ count: 2, first_line: 32, cells: { first, header: 3 } });
});
