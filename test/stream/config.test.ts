import { describe, expect, test } from 'bun:test';
import { readDocument } from '../../src/documents/document-text.ts';
import { readStreamConfig, StreamConfigError } from '../../src/stream/config.ts';

const BODY_BYTES = 32 * 1024 * 1024;

const INPUT = { topic: 'orders', source: 'orders', clean: 'orders.clean', held: 'orders.held' };
const CONFIG = { brokers: ['127.0.0.1:9092'], group: 'g', inputs: [INPUT] };

const read = (config: object, environment = {}) => readStreamConfig(config, environment, BODY_BYTES);

function refusal(config: object, environment = {}): string {
  try {
    read(config, environment);
  } catch (error) {
    if (!(error instanceof StreamConfigError)) throw error;
    return `${error.path.join('.')}: ${error.message}`;
  }
  return 'none';
}

const withInput = (changes: object) => ({ ...CONFIG, inputs: [{ ...INPUT, ...changes }] });

test('what is left out has defaults: windows of 5,000 rows and a second, held rows by row verdicts', () => {
  expect(read(CONFIG)).toMatchObject({
    window: { rows: 5000, bytes: 8 * 1024 * 1024, ms: 1000 },
    onBlock: 'divert',
    from: 'earliest',
    verdicts: null,
    sessionMs: 30_000,
    tls: null,
    sasl: null,
    options: { rowVerdicts: true, fullScan: true },
    inputs: [{ format: 'json', source: { kind: 'name', name: 'orders' } }],
  });
});

test('row verdicts can be switched off', () => {
  expect(read({ ...CONFIG, options: { row_verdicts: false } }).options).toMatchObject({ rowVerdicts: false });
});

test.each([
  [{ header: 'x-source' }, { kind: 'header', name: 'x-source' }],
  [{ field: 'type' }, { kind: 'field', name: 'type' }],
  [{ key: true }, { kind: 'key' }],
])('a source may be %j', (source, expected) => {
  expect(read(withInput({ source })).inputs[0]!.source as object).toEqual(expected);
});

test('texts may come from the environment', () => {
  const sasl = { mechanism: 'plain', username: 'ann', password: '{{KAFKA_PASSWORD}}' };
  const config = { ...CONFIG, brokers: '{{BROKERS}}', sasl };
  const environment = { BROKERS: 'a:1,b:2', KAFKA_PASSWORD: 'secret' };
  expect(read(config, environment)).toMatchObject({ brokers: ['a:1', 'b:2'], sasl: { password: 'secret' } });
});

describe('a configuration is refused where it is wrong:', () => {
  test.each([
    ['a member that does not exist', { ...CONFIG, windows: {} }, /^windows: stream.yaml has no 'windows'/],
    ['no broker', { ...CONFIG, brokers: [] }, /^brokers: it must be a list of 1 to 100/],
    ['a broker without a port', { ...CONFIG, brokers: ['localhost'] }, /^brokers: a broker is host:port/],
    ['no group', { ...CONFIG, group: undefined }, /^group: it is missing/],
    ['no inputs', { ...CONFIG, inputs: undefined }, /^inputs: it must be a list/],
    ['a topic with a space', withInput({ topic: 'a b' }), /^inputs.0.topic: a topic has letters/],
    ['a topic of 250 characters', withInput({ topic: 'a'.repeat(250) }), /^inputs.0.topic: .* at most 249/],
    ['an unknown format', withInput({ format: 'avro' }), /^inputs.0.format: it must be one of json, csv/],
    ['CSV without columns', withInput({ format: 'csv' }), /^inputs.0.columns: it must be a list/],
    ['columns of JSON', withInput({ columns: ['a'] }), /^inputs.0.columns: only CSV has columns/],
    [
      'a column twice',
      withInput({ format: 'csv', columns: ['a', 'a'] }),
      /^inputs.0.columns.1: 'a' is a column/,
    ],
    [
      'two sources',
      withInput({ source: { header: 'a', key: true } }),
      /^inputs.0.source: it is a name, or one of/,
    ],
    ['a blank source', withInput({ source: ' ' }), /^inputs.0.source: it is empty/],
    ['one topic for both', withInput({ held: 'orders.clean' }), /^inputs.0.held: held and clean must be two/],
    ['rows that come back', withInput({ clean: 'orders' }), /^inputs.0.clean: 'orders' is an input/],
    ['a topic twice', { ...CONFIG, inputs: [INPUT, INPUT] }, /^inputs.1.topic: 'orders' is an input already/],
    ['too many rows', { ...CONFIG, window: { rows: 10_001 } }, /^window.rows: .* from 1 to 10000/],
    ['no time', { ...CONFIG, window: { ms: 0 } }, /^window.ms: it must be a whole number from 10/],
    ['too many bytes', { ...CONFIG, window: { bytes: BODY_BYTES } }, /^window.bytes: .* to 16777216/],
    ['another on_block', { ...CONFIG, on_block: 'drop' }, /^on_block: it must be one of divert, halt, pass/],
    ['a wrong option', { ...CONFIG, options: { mode: 'strict' } }, /^options.mode: options.mode must be/],
    ['a dry run', { ...CONFIG, options: { dry_run: true } }, /^options.dry_run: /],
    ['a name that the environment lacks', { ...CONFIG, group: '{{G}}' }, /^group: the environment has no G/],
    ['a mechanism', { ...CONFIG, sasl: { mechanism: 'gssapi' } }, /^sasl.mechanism: it must be one of plain/],
    [
      'a certificate without its key',
      { ...CONFIG, tls: { cert: 'a.pem' } },
      /^tls: cert and key come together/,
    ],
  ])('%s', (_, config, expected) => {
    expect(refusal(config)).toMatch(expected);
  });

  test('no message has a password', () => {
    const sasl = { mechanism: 'plain', username: 'ann', password: 12345 };
    expect(refusal({ ...CONFIG, sasl })).toBe('sasl.password: it must be a text');
  });
});

test.each([
  ['window: { rows: 10000, ms: 10 }', 'none'],
  ['session_ms: 600000', 'none'],
  ['session_ms: 600001', 'session_ms: it must be a whole number from 1000 to 600000'],
])('%s is at or past a limit: %s', (line, expected) => {
  const text = `${JSON.stringify(CONFIG).slice(0, -1)}}`;
  const config = {
    ...(JSON.parse(text) as object),
    ...(readDocument(new TextEncoder().encode(line)).value as object),
  };
  expect(refusal(config)).toBe(expected);
});
