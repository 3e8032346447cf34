/** Writes what is generated of both clients, most of it from the application's OpenAPI document, and the schemas for editors. */
import './built.ts';
import { join } from 'node:path';
import { editorSchema, SCHEMA_NAMES } from '../src/cli/commands/check-schema.ts';
import { readDocument } from '../test/http/documents/document.ts';
import { contractSource } from './contract-source.ts';
import { pythonOperations, pythonTypes, syncOf } from './python-source.ts';

const root = join(import.meta.dir, '..');
const document = await readDocument();
await Bun.write(join(root, 'src/client/contract.ts'), contractSource(document));
const python = join(root, 'clients/python/src/sluice');
await Bun.write(join(python, 'types.py'), pythonTypes(document));
await Bun.write(join(python, '_operations.py'), pythonOperations(document));
await Bun.write(join(python, '_client.py'), syncOf(await Bun.file(join(python, '_async_client.py')).text()));
for (const name of SCHEMA_NAMES)
  await Bun.write(join(root, `docs/schemas/${name}.schema.json`), editorSchema(name));
// The application's stores would keep the process running.
process.exit(0);
