/** The AsyncAPI 3 document of `/v1/stream`. Reports are those of the OpenAPI document. */
import { ERRORS } from '../../terms/errors.ts';
import { TEMPORARY } from '../../stream/socket/frames.ts';

export const ASYNC_PATH = '/asyncapi.json';

type Schemas = Record<string, object>;

const message = (name: string, summary: string, payload: object, contentType = 'application/json') => ({
  name,
  summary,
  contentType,
  payload,
});

const object = (properties: object, required: string[], description?: string) => ({
  type: 'object',
  ...(description !== undefined && { description }),
  properties,
  required,
  additionalProperties: false,
});

const typed = (type: string, properties: object = {}, required = Object.keys(properties)) =>
  object({ type: { const: type }, ...properties }, ['type', ...required]);

const STREAM = { type: 'string', pattern: '^str_[0-9A-HJKMNP-TV-Z]{26}$', description: 'Id of the stream' };
const ROW = { type: 'integer', minimum: 0, description: 'Counts from 0 over the whole stream' };

const OPEN = typed(
  'open',
  {
    key: { type: 'string', description: 'API key, for clients that cannot set the header X-API-Key' },
    source: { type: 'string', description: 'Name of the pipeline or table' },
    format: { enum: ['ndjson', 'csv'], default: 'ndjson' },
    delimiter: { enum: [',', ';', '|', 'tab'], default: ',', description: 'Of CSV' },
    options: { type: 'object', description: 'Options of POST /v1/screen, but dry_run and chunks' },
    window: object(
      {
        rows: { type: 'integer', minimum: 1, maximum: 10_000, default: 2000 },
        bytes: {
          type: 'integer',
          minimum: 1024,
          default: 2_097_152,
          description: 'At most half of MAX_BODY_BYTES',
        },
        ms: { type: 'integer', minimum: 10, maximum: 3_600_000, default: 1000 },
      },
      [],
      'A window ends at the first of these',
    ),
    resume: object(
      {
        stream: STREAM,
        window: { type: 'integer', minimum: 0, description: 'The last one that was seen; 0: none' },
      },
      ['stream', 'window'],
      'Only after a break: the source, format and options are those of the first connection',
    ),
  },
  ['source'],
);

const VERDICT = typed('verdict', {
  window: { type: 'integer', minimum: 1 },
  first_row: ROW,
  last_row: ROW,
  report: { $ref: '#/components/schemas/Report' },
});

const FROM_CLIENT = {
  open: message('open', 'The first frame', OPEN),
  rows: message(
    'rows',
    'Rows as NDJSON, or CSV that begins with a header: binary frames, cut anywhere',
    { type: 'string', format: 'binary' },
    'application/octet-stream',
  ),
  end: message('end', 'No more rows follow', typed('end')),
};

const FROM_SERVER = {
  opened: message(
    'opened',
    'Send the rows from this one on',
    typed('opened', { stream: STREAM, next_row: ROW }),
  ),
  verdict: message(
    'verdict',
    'The answer to a window; the rows up to its last one need not be kept any more',
    VERDICT,
  ),
  closed: message('closed', 'Every window was answered', typed('closed')),
  error: message(
    'error',
    `Why the connection is closed. After ${[...TEMPORARY].join(', ')} connect again and resume`,
    typed('error', { message: { type: 'string' }, code: { enum: Object.keys(ERRORS) } }),
  ),
};

const refs = (names: object, to: string) => Object.keys(names).map(name => ({ $ref: `${to}/${name}` }));

const operation = (action: 'send' | 'receive', summary: string, messages: object) => ({
  action,
  channel: { $ref: '#/channels/stream' },
  summary,
  messages: refs(messages, '#/channels/stream/messages'),
});

/** `schemas`: of the OpenAPI document. */
export function asyncDocument(schemas: Schemas): string {
  const messages = { ...FROM_CLIENT, ...FROM_SERVER };
  return JSON.stringify({
    asyncapi: '3.0.0',
    info: {
      title: 'Sluice',
      version: '1.0.0',
      description: 'One connection without end: rows in, a verdict for each window out. See docs/streams.md.',
    },
    defaultContentType: 'application/json',
    channels: {
      stream: {
        address: '/v1/stream',
        description: 'A WebSocket. Text frames are control, binary frames are rows.',
        messages: Object.fromEntries(
          Object.keys(messages).map(name => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      sendRows: operation('receive', 'What a client sends', FROM_CLIENT),
      receiveVerdicts: operation('send', 'What the server answers', FROM_SERVER),
    },
    components: {
      messages,
      schemas: reached(schemas, ['Report']),
      securitySchemes: { apiKey: { type: 'httpApiKey', in: 'header', name: 'X-API-Key' } },
    },
  });
}

/** The schemas that these lead to. */
function reached(schemas: Schemas, names: string[]): Schemas {
  const found: Schemas = {};
  for (const name of names) {
    if (name in found) continue;
    found[name] = schemas[name]!;
    for (const [, next] of JSON.stringify(schemas[name]).matchAll(/#\/components\/schemas\/(\w+)/g))
      names.push(next!);
  }
  return found;
}
