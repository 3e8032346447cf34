import { describe, expect, test } from 'bun:test';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ERRORS, type ErrorCode } from '../../../src/terms/errors.ts';
import { fingerprint } from '../../../src/profile/schema.ts';
import { Service } from '../service.ts';
import { Checker, operationsOf, readDocument } from './document.ts';

const service = new Service();
const document = await readDocument(service);
const operations = operationsOf(document);
const copy = () => structuredClone(document);

interface Media {
  where: string;
  schema: object;
  examples: Record<string, { value: unknown }>;
}

/** Every body that is documented, of requests and of answers. */
const bodies: Media[] = operations.flatMap(({ id, document }) => {
  const request = Object.entries<Media>(document.requestBody?.content ?? {});
  const responses = Object.entries<{ content: Record<string, Media> }>(document.responses);
  return [
    ...request.map(([type, media]) => ({ ...media, where: `request of ${id} as ${type}` })),
    ...responses.flatMap(([status, { content }]) =>
      Object.values(content).map(media => ({ ...media, where: `${status} of ${id}` })),
    ),
  ];
});

describe('the document', () => {
  test('is valid OpenAPI 3.1 for one validator', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(await new Validator().validate(copy())).toMatchObject({ valid: true });
  });

  test('and for another', async () => {
    const parsed = await SwaggerParser.validate(copy());
    expect(Object.keys(parsed.paths!)).toEqual(Object.keys(document.paths));
  });

  test('and both find the error in an invalid document', async () => {
    const broken = copy();
    broken.paths['/v1/screen'].post.responses['200'].description = undefined;
    broken.paths['/v1/screen'].post.parameters[0].in = 'nowhere';
    const plain = () => JSON.parse(JSON.stringify(broken));
    expect(await new Validator().validate(plain())).toMatchObject({ valid: false });
    await expect(SwaggerParser.validate(plain())).rejects.toThrow();
  });

  test('has every route under /v1 with its method, and no other; that of a stream is in the AsyncAPI document', () => {
    const routes = service.app.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/v1/') && path !== '/v1/stream')
      .map(({ method, path }) => `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`);
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
  });

  test('names each operation once, and its group, its summary and its parameters', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    const groups = document.tags.map(({ name }: { name: string }) => name);
    for (const { path, document } of operations) {
      expect(document.summary).toEqual(expect.any(String));
      expect(groups).toContain(document.tags[0]);
      const inPath = (document.parameters ?? []).filter((each: { in: string }) => each.in === 'path');
      const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
      expect(inPath.map(({ name }: { name: string }) => name)).toEqual(names);
      for (const { description } of document.parameters ?? [])
        expect(description).toEqual(expect.any(String));
    }
  });

  test('states the authentication of each operation', async () => {
    expect(document.security).toEqual([{ apiKey: [] }, { session: [] }]);
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      session: { type: 'http', scheme: 'bearer' },
    });
    for (const { id, method, path, document } of operations) {
      const isOpen = document.security?.length === 0;
      const request = new Request(`http://localhost${path.replace(/\{[^}]+\}/g, 'x')}`, { method });
      const { status } = await new Service().app.handle(request);
      expect([id, status === 401]).toEqual([id, !isOpen]);
    }
  });

  test('has each error code with its own status', () => {
    const named = new Set<string>();
    for (const { document } of operations)
      for (const [status, { content }] of Object.entries<{ content: Record<string, Media> }>(
        document.responses,
      )) {
        const schema = content['application/json']?.schema as
          | { properties?: Record<string, { enum: string[] }> }
          | undefined;
        const { code } = schema?.properties ?? {};
        for (const each of code?.enum ?? []) {
          expect(ERRORS[each as ErrorCode]).toBe(Number(status) as never);
          named.add(each);
        }
      }
    // No operation has these: of methods that are none, and of the WebSocket, which is in /asyncapi.json.
    expect([...named, 'METHOD_NOT_ALLOWED', 'UPGRADE_REQUIRED'].sort()).toEqual(Object.keys(ERRORS).sort());
  });
});

describe('examples', () => {
  const checker = new Checker(document);

  // Bytes have no text to show.
  const readable = bodies.filter(({ schema }) => (schema as { format?: string }).format !== 'binary');

  test.each(readable.map(body => [body.where, body] as const))('%s: all match the schema', (_, body) => {
    const examples = Object.values(body.examples ?? {});
    expect(examples.length).toBeGreaterThan(0);
    for (const { value } of examples) expect(checker.faults(body.schema, value)).toEqual([]);
  });

  test('of parameters and headers match their schemas', () => {
    const described = operations.flatMap(({ document }) => [
      ...(document.parameters ?? []),
      ...Object.values<{ headers?: object }>(document.responses).flatMap(({ headers = {} }) =>
        Object.values(headers),
      ),
    ]);
    const withExample = described.filter(({ example }) => example !== undefined);
    expect(withExample.length).toBeGreaterThan(10);
    for (const { schema, example } of withExample) expect(checker.faults(schema, example)).toEqual([]);
  });

  test('of reports have the fingerprint of their schema', () => {
    const reports = Object.values<{ value: never }>(
      document.paths['/v1/screen'].post.responses['200'].content['application/json'].examples,
    );
    for (const { value } of reports as { value: { schema: never; schema_fingerprint: string } }[])
      expect(value.schema_fingerprint).toBe(fingerprint(value.schema));
  });

  test('that do not match are found', () => {
    const schema = { $ref: '#/components/schemas/DriftEvent' };
    expect(
      checker.faults(schema, { field: 'a', kind: 'none', severity: 'warn', detail: '', more: 1 }),
    ).toHaveLength(2);
  });
});
