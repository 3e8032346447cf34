/** Writes `src/client/contract.ts` from the application's OpenAPI document. */
import { join } from 'node:path';
import { readDocument } from '../test/http/documents/document.ts';
import { contractSource } from './contract-source.ts';

await Bun.write(join(import.meta.dir, '../src/client/contract.ts'), contractSource(await readDocument()));
// The application's stores would keep the process running.
process.exit(0);
