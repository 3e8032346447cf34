/** The client has the types of the document, and a method for every operation. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { contractSource } from '../../scripts/contract-source.ts';
import { ADDRESSES } from '../../src/client/contract.ts';
import { Sluice } from '../../src/client/index.ts';
import { operationsOf, readDocument } from '../http/documents/document.ts';

const ROOT = join(import.meta.dir, '../..');
const document = await readDocument();

test('the types are up to date; if not, run npm run contract', async () => {
  expect(await Bun.file(join(ROOT, 'src/client/contract.ts')).text()).toBe(contractSource(document));
});

test('every operation except the webhook has an address and a method', () => {
  const operations = operationsOf(document).filter(({ id }) => id !== 'receiveEvent');
  const addresses = operations.map(({ id, method, path }) => [id, [method, path]]);
  expect(Object.entries(ADDRESSES)).toEqual(addresses as never);
  const methods = [Sluice.prototype, Object.getPrototypeOf(Sluice.prototype)].flatMap(each =>
    Object.getOwnPropertyNames(each),
  );
  for (const { id } of operations) expect(methods).toContain(id);
});

test('a changed document gives changed types', () => {
  const changed = structuredClone(document);
  changed.components.schemas.Reset.properties.reset.type = 'integer';
  expect(contractSource(changed)).toContain('reset: number;');
  expect(contractSource(changed).replace('reset: number;', 'reset: string;')).toBe(contractSource(document));
});
