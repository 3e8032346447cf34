/** Compares responses with the document: every documented status and code is provoked. */
import { describe, expect, test } from 'bun:test';
import { Checker, membersOf, operationsOf, readDocument, type Schema } from './document.ts';
import { ANSWERS, OWN_ANSWERS, type Provoke } from './provoked.ts';

const document = await readDocument();
const checker = new Checker(document);
const operations = new Map(operationsOf(document).map(each => [each.id, each]));

interface Documented {
  headers?: Record<string, { required: boolean; schema: { type?: string } }>;
  content: Record<string, { schema: Schema & { properties?: { code?: { enum?: string[] } } } }>;
}

const responsesOf = (id: string): Record<string, Documented> => operations.get(id)!.document.responses;
const codesOf = ({ content }: Documented): string[] =>
  content['application/json']!.schema.properties?.code?.enum ?? [];

/** Successes by status and refusals by code, as in ANSWERS; the 503 of /v1/ready has a shape of its own. */
const documentedOf = (id: string): string[] =>
  Object.entries(responsesOf(id)).flatMap(([status, response]) => {
    if (id === 'ready' && status === '503') return ['SERVICE_UNAVAILABLE'];
    return Number(status) < 300 ? [status] : codesOf(response);
  });

/** Of the connection or the body, or in every answer, as the document's own description says. */
const PLAIN = new Set([
  'content-type',
  'connection',
  'cache-control',
  'x-request-id',
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
]);

/** The header's value as its schema has it. */
const headerValue = (text: string, type: string | undefined): unknown =>
  type === 'string' || type === undefined ? text : JSON.parse(text);

async function expectDocumented(id: string, response: Response): Promise<void> {
  const documented = responsesOf(id)[String(response.status)];
  const body = await response.json();
  if (!documented) throw new Error(`${id} answers ${response.status}: ${JSON.stringify(body)}`);
  const { content, headers = {} } = documented;
  expect(Object.keys(content)).toContain(response.headers.get('content-type')!.replace(/;.*/, ''));
  expect(checker.faults(content['application/json']!.schema, body)).toEqual([]);
  for (const [name, { required, schema }] of Object.entries(headers)) {
    const value = response.headers.get(name);
    if (value !== null) expect(checker.faults(schema, headerValue(value, schema.type))).toEqual([]);
    else expect([name, required]).toEqual([name, false]);
  }
  const known = new Set(Object.keys(headers).map(name => name.toLowerCase()));
  expect([...response.headers.keys()].filter(name => !PLAIN.has(name) && !known.has(name))).toEqual([]);
}

const asked = new Map<Provoke, Promise<Response[]>>();

/** Each response is provoked once and cached. */
async function had(provoke: Provoke): Promise<Response[]> {
  const answers = asked.get(provoke) ?? provoke();
  asked.set(provoke, answers);
  return (await answers).map(each => each.clone() as Response);
}

test('every operation is tested', () => {
  expect(Object.keys(ANSWERS).sort()).toEqual([...operations.keys()].sort());
  expect(Object.keys(OWN_ANSWERS).filter(id => !operations.has(id))).toEqual([]);
});

describe.each(Object.entries(ANSWERS))('%s', (id, answers) => {
  test('is tested for exactly the documented responses', () => {
    expect(Object.keys(answers).sort()).toEqual(documentedOf(id).sort());
  });

  test.each(Object.entries(answers))('answers %s as documented', async (name, provoke) => {
    const responses = await had(provoke);
    expect(responses.length).toBeGreaterThan(0);
    for (const response of responses) {
      if (/^\d/.test(name)) expect(response.status).toBe(Number(name));
      else expect(await response.clone().json()).toMatchObject({ code: name });
      await expectDocumented(id, response);
    }
  });
});

test('every documented member of a response occurs', async () => {
  const [documented, seen] = [new Set<string>(), new Set<string>()];
  for (const [id, answers] of Object.entries(ANSWERS))
    for (const [name, provoke] of Object.entries(answers).filter(([name]) => /^\d/.test(name))) {
      const { schema } = responsesOf(id)[name]!.content['application/json']!;
      for (const member of membersOf(document, schema, id)) documented.add(member);
      for (const response of await had(provoke))
        for (const member of membersOf(document, schema, id, await response.json())) seen.add(member);
    }
  expect(documented.size).toBeGreaterThan(100);
  // Only batches of more than 10,000 rows have spans.
  const isOfLarge = (member: string) => /^RowSpan\.|\.span$/.test(member);
  expect([...documented].filter(member => !seen.has(member) && !isOfLarge(member))).toEqual([]);
});
