/** Documents of /v1/health and /v1/ready. */
import { Type } from '@sinclair/typebox';
import { answer, OPEN, operation } from './operation.ts';
import { RETRY_AFTER } from './refusals.ts';
import { text, word } from '../../contract/values.ts';

const Health = Type.Object(
  { status: text('`ok`'), version: text('Version of the interface') },
  { $id: 'Health' },
);

export const HEALTH = operation({
  operationId: 'health',
  tags: ['Service'],
  summary: 'Does the process answer?',
  description: 'Asks no store.',
  security: OPEN,
  responses: { 200: answer('It does', Health, { ok: { status: 'ok', version: '1.0.0' } }) },
});

const dependencies = Type.Array(Type.String());

const Ready = Type.Object(
  { status: text('`ready`'), dependencies: { ...dependencies, description: 'What was asked' } },
  { $id: 'Ready' },
);

const NotReady = Type.Object(
  {
    message: text('What is the matter, for people'),
    code: word(['SERVICE_UNAVAILABLE'], 'For programs'),
    missing: { ...dependencies, description: 'What does not answer; empty while the process stops' },
  },
  { $id: 'NotReady' },
);

export const READY = operation({
  operationId: 'ready',
  tags: ['Service'],
  summary: 'Can requests be served now?',
  description: 'Asks each store, and writes to it.',
  security: OPEN,
  responses: {
    200: answer('They can', Ready, { ready: { status: 'ready', dependencies: ['sqlite'] } }),
    503: answer(
      'They cannot',
      NotReady,
      {
        missing: {
          message: 'Not reachable, or not writable: redis',
          code: 'SERVICE_UNAVAILABLE',
          missing: ['redis'],
        },
        stopping: { message: 'This process is stopping', code: 'SERVICE_UNAVAILABLE', missing: [] },
      },
      { 'Retry-After': RETRY_AFTER },
    ),
  },
});
