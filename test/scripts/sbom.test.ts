/** The bill of materials is CycloneDX by its own schema, and has exactly what the lock file has for the service. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const ROOT = join(import.meta.dir, '../..');
const SCHEMAS = join(ROOT, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
const schemaOf = (name: string) => Bun.file(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`)).json();

interface Bill {
  bomFormat: string;
  specVersion: string;
  metadata: { component: { name: string; version: string; type: string } };
  components: { name: string; version: string; hashes?: { alg: string; content: string }[] }[];
}

interface Locked {
  version: string;
  integrity?: string;
  dev?: boolean;
  devOptional?: boolean;
}

const made = Bun.spawn(['npm', 'run', '--silent', 'sbom'], { cwd: ROOT, stdout: 'pipe', stderr: 'inherit' });
const bill: Bill = JSON.parse(await new Response(made.stdout).text());
const manifest = await Bun.file(join(ROOT, 'package.json')).json();
const lock: Record<string, Locked> = (await Bun.file(join(ROOT, 'package-lock.json')).json()).packages;

test('it is CycloneDX by the schema of its version', async () => {
  expect(await made.exited).toBe(0);
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  // Formats that the package with the others lacks.
  ajv.addFormat('iri-reference', true);
  ajv.addFormat('idn-email', true);
  const place = 'http://cyclonedx.org/schema/';
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(await schemaOf(name), `${place}${name}.SNAPSHOT.schema.json`);
  const isValid = ajv.compile<Bill>(await schemaOf(`bom-${bill.specVersion}`));
  isValid(bill);
  expect(isValid.errors).toBe(null);
  expect(isValid({ ...bill, components: [{ name: 'nameless' }] })).toBe(false);
});

test('it is the one of this version', () => {
  const { name, version } = manifest;
  expect(bill.metadata.component).toMatchObject({ name, version, type: 'application' });
});

test('it has each package that runs with the service, with its checksum, and none of the tests', () => {
  const locked = Object.entries(lock)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version, integrity }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return `${name}@${version} ${integrity}`;
    });
  const listed = bill.components.map(({ name, version, hashes }) => {
    const hash = hashes?.find(({ alg }) => alg === 'SHA-512')?.content;
    const base64 = hash && Buffer.from(hash, 'hex').toString('base64');
    return `${name}@${version} ${base64 && `sha512-${base64}`}`;
  });
  expect(listed.sort()).toEqual(locked.sort());
  const names = new Set(bill.components.map(({ name }) => name));
  for (const name of Object.keys(manifest.dependencies)) expect(names).toContain(name);
});
