/** What the README shows of the program is what the program does. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { ERRORS } from '../src/errors.ts';
import { Service } from './http/service.ts';

const root = join(import.meta.dir, '..');
const readme = await Bun.file(join(root, 'README.md')).text();

/** Differs from one request to the next. */
const OWN = {
  request_id: expect.stringMatching(/^req_/),
  latency_ms: expect.any(Number),
  timestamp: expect.any(String),
};

test('the first example has the answer that is shown', async () => {
  const shown = JSON.parse(/```json\n(\{[\s\S]*?\n\})\n```/.exec(readme)![1]!);
  const file = /--data-binary @(examples\/\S+\.json)/.exec(readme)![1]!;
  const { status, body } = await new Service().post(await Bun.file(join(root, file)).text());
  expect(status).toBe(200);
  expect(body).toEqual({ ...shown, ...OWN });
});

test('the CSV example is a PASS', async () => {
  const file = /--data-binary @(examples\/\S+\.csv)/.exec(readme)![1]!;
  const { body } = await new Service().csv(await Bun.file(join(root, file)).text());
  expect(body.status).toBe('PASS');
});

test('every variable of the configuration and every error code stands in it, and no other', () => {
  const asked = new Set<string>();
  readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
  const table = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Working on it'));
  const named = [...table.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name!);
  expect(new Set(named)).toEqual(asked);
  const codes = [...readme.matchAll(/`([A-Z]+(?:_[A-Z]+)+|INTERNAL)`/g)].map(([, code]) => code!);
  for (const code of Object.keys(ERRORS)) expect(codes).toContain(code);
});
