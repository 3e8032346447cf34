/** Answers of /v1/health and /v1/ready. */
import { Type } from '@sinclair/typebox';
import { text, word } from '../../report-schema/values.ts';

export const Health = Type.Object(
  { status: text('`ok`'), version: text('Version of the API') },
  { $id: 'Health' },
);

const dependencies = Type.Array(Type.String());

export const Ready = Type.Object(
  { status: text('`ready`'), dependencies: { ...dependencies, description: 'The stores that were checked' } },
  { $id: 'Ready' },
);

export const NotReady = Type.Object(
  {
    message: text('What is wrong, for people'),
    code: word(['SERVICE_UNAVAILABLE'], 'For programs'),
    missing: { ...dependencies, description: 'Unavailable stores; empty while the process stops' },
  },
  { $id: 'NotReady' },
);
