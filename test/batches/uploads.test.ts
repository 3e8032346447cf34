/** How many large bodies are read at once. */
import { expect, test } from 'bun:test';
import { MAX_ACCOUNT_UPLOADS, MAX_UPLOADS, Uploads } from '../../src/batches/uploads.ts';

test('one account has its share, and the next ones theirs, up to the bound of all', () => {
  const uploads = new Uploads();
  const ends = Array.from({ length: MAX_ACCOUNT_UPLOADS }, () => uploads.begin('ann'));
  expect(() => uploads.begin('ann')).toThrow('8 large bodies are being read');
  for (let i = MAX_ACCOUNT_UPLOADS; i < MAX_UPLOADS; i++) ends.push(uploads.begin(`other ${i}`));
  expect(() => uploads.begin('bob')).toThrow('16 large bodies are being read');
  ends[0]!();
  ends.push(uploads.begin('bob'));
  expect(() => uploads.begin('ann')).toThrow('16 large bodies');
  for (const end of ends.slice(1)) end();
  for (let i = 0; i < MAX_ACCOUNT_UPLOADS; i++) uploads.begin('ann');
});
