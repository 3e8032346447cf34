/** Writes `src/client/contract.ts` from the document that the application publishes. */
import { join } from 'node:path';
import { readDocument } from '../test/http/documents/document.ts';
import { contractSource } from './contract-source.ts';

await Bun.write(join(import.meta.dir, '../src/client/contract.ts'), contractSource(await readDocument()));
// Stores of the application that was asked keep the process.
process.exit(0);
