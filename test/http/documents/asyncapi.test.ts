/** The AsyncAPI document against the schema of AsyncAPI 3, and frames of a real stream against it. */
import { expect, test } from 'bun:test';
import specification from '@asyncapi/specs/schemas/3.0.0-without-$id.json';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { Listener } from '../../../src/http/serve.ts';
import { RawSocket } from '../../stream/socket-client.ts';
import { SCALE_KEY, Service } from '../service.ts';

const service = new Service();
const answer = await service.app.handle(new Request('http://localhost/asyncapi.json'));
const document = (await answer.json()) as {
  components: { messages: Record<string, { payload: object }> };
};

function newAjv(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  addFormats(ajv);
  return ajv;
}

test('is an AsyncAPI 3 document', () => {
  expect(answer.status).toBe(200);
  const validate = newAjv().compile(specification);
  validate(document);
  expect(validate.errors).toBeNull();
});

test('every reference in it leads somewhere', () => {
  for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = path!
      .split('/')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
    expect(found, path).toBeDefined();
  }
});

test('frames are as it says', async () => {
  const ajv = newAjv();
  const check = (name: string, frame: object) => {
    const { payload } = document.components.messages[name]!;
    const validate = ajv.compile({ ...payload, components: document.components });
    validate(frame);
    expect(validate.errors).toBeNull();
  };
  const listener = new Listener(service.app, {
    port: 0,
    host: '127.0.0.1',
    bodyStallSeconds: 10,
  });
  const socket = new RawSocket(listener.server.port, `X-API-Key: ${SCALE_KEY}\r\n`);
  const open = { type: 'open', source: 'documents', format: 'ndjson', window: { rows: 2 }, options: {} };
  check('open', open);
  check('end', { type: 'end' });
  socket.say(open);
  socket.rows('{"a":1}\n{"a":"x"}\nno row\n');
  await socket.frame('error');
  const ended = new RawSocket(listener.server.port, `X-API-Key: ${SCALE_KEY}\r\n`);
  ended.say(open);
  ended.say({ type: 'end' });
  await ended.frame('closed');
  for (const frame of [...socket.frames, ...ended.frames]) check(frame.type, frame);
  expect(new Set([...socket.frames, ...ended.frames].map(({ type }) => type)).size).toBe(4);
  await listener.stop();
});
