/** Writes the types of both clients from the application's OpenAPI document, and the schemas for editors. */
import { join } from 'node:path';
import { editorSchema, SCHEMA_NAMES } from '../src/cli/commands/check-schema.ts';
import { readDocument } from '../test/http/documents/document.ts';
import { contractSource } from './contract-source.ts';
import { pythonOperations, pythonTypes } from './python-source.ts';

const root = join(import.meta.dir, '..');
const document = await readDocument();
await Bun.write(join(root, 'src/client/contract.ts'), contractSource(document));
await Bun.write(join(root, 'clients/python/src/sluice/types.py'), pythonTypes(document));
await Bun.write(join(root, 'clients/python/src/sluice/_operations.py'), pythonOperations(document));
for (const name of SCHEMA_NAMES)
  await Bun.write(join(root, `docs/schemas/${name}.schema.json`), editorSchema(name));
// The application's stores would keep the process running.
process.exit(0);
