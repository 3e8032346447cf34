/** API description of /v1/health and /v1/ready. */
import { Type } from '@sinclair/typebox';
import { answer, OPEN, operation } from './operation.ts';
import { RETRY_AFTER } from './refusals.ts';
import { text, word } from '../../contract/values.ts';

const Health = Type.Object({ status: text('`ok`'), version: text('Version of the API') }, { $id: 'Health' });

export const HEALTH = operation({
  operationId: 'health',
  tags: ['Service'],
  summary: 'Check whether the process answers',
  description: 'Calls no store.',
  security: OPEN,
  responses: { 200: answer('The process answers', Health, { ok: { status: 'ok', version: '1.0.0' } }) },
});

const dependencies = Type.Array(Type.String());

const Ready = Type.Object(
  { status: text('`ready`'), dependencies: { ...dependencies, description: 'The stores that were checked' } },
  { $id: 'Ready' },
);

const NotReady = Type.Object(
  {
    message: text('What is wrong, for people'),
    code: word(['SERVICE_UNAVAILABLE'], 'For programs'),
    missing: { ...dependencies, description: 'Unavailable stores; empty while the process stops' },
  },
  { $id: 'NotReady' },
);

export const READY = operation({
  operationId: 'ready',
  tags: ['Service'],
  summary: 'Check whether requests can be served now',
  description: 'Reads from and writes to each store.',
  security: OPEN,
  responses: {
    200: answer('Requests can be served', Ready, { ready: { status: 'ready', dependencies: ['sqlite'] } }),
    503: answer(
      'Requests cannot be served',
      NotReady,
      {
        missing: {
          message: 'Not reachable or not writable: redis',
          code: 'SERVICE_UNAVAILABLE',
          missing: ['redis'],
        },
        stopping: { message: 'This process is stopping', code: 'SERVICE_UNAVAILABLE', missing: [] },
      },
      { 'Retry-After': RETRY_AFTER },
    ),
  },
});
