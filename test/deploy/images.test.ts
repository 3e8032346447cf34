/** The images of others are named by tag and digest: the tag for people, the digest for the same bytes everywhere. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(import.meta.dir, '../..');
const read = (path: string): Promise<string> => Bun.file(join(root, path)).text();

/**
 * Exact tags whose digest nobody who works on this repository could ask for: docs/containers.md says how a builder adds it. Another
 * version of one of them is not in this list, so its digest has to be looked for again.
 */
const UNKNOWN = ['docker.io/oven/bun:1.4.5-slim'];

const BY_DIGEST = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

const dockerfile = await read('Dockerfile');
const compose: { services: Record<string, { image?: string }> } = parse(await read('compose.yaml'), {
  merge: true,
});

const bases = [...dockerfile.matchAll(/^ARG BUN_IMAGE=(\S+)$/gm)].map(([, image]) => image!);
const images = [...bases, ...Object.values(compose.services).flatMap(({ image }) => image ?? [])];

test('every stage of the Dockerfile begins with the one base that an argument names', () => {
  const begun = dockerfile.match(/^FROM .*/gm)!;
  expect(begun.length).toBeGreaterThan(1);
  expect(begun.filter(line => !/^FROM \$\{BUN_IMAGE\}( AS \w+)?$/.test(line))).toEqual([]);
  expect(bases).toHaveLength(1);
});

test('every image of others is named by tag and digest, where the digest can be known', () => {
  expect(images.length).toBeGreaterThan(3);
  expect(images.filter(image => !BY_DIGEST.test(image))).toEqual(UNKNOWN);
});

test('docs/containers.md says how to find the digest of the base that has none', async () => {
  const page = await read('docs/containers.md');
  for (const image of UNKNOWN) {
    expect(page).toContain(`base=${image}\n`);
    expect(page).toContain(`docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$base"`);
  }
});
