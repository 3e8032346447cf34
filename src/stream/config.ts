/** `stream.yaml`: which topics are screened, in which windows, and where rows go. Every member is checked before anything starts. */
import { isJsonObject } from '../documents/json-object.ts';
import { quoted, Rejection } from '../terms/errors.ts';
import { checkSource } from '../names/source.ts';
import type { ScreenOptions } from '../options/options.ts';
import { type WindowLimits, windowIn } from './window/limits.ts';
import { Member, type Path, StreamConfigError } from './window/member.ts';
import { streamOptionsIn } from './window/options.ts';

export { StreamConfigError };

export const FORMATS = ['json', 'csv'] as const;
const ON_BLOCK = ['divert', 'halt', 'pass'] as const;
const STARTS = ['earliest', 'latest'] as const;
export const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

const USUAL_WINDOW: WindowLimits = { rows: 5000, bytes: 8 * 1024 * 1024, ms: 1000 };
const MAX_INPUTS = 100;
const MAX_COLUMNS = 2000;

export interface StreamConfig {
  /** `host:port`. */
  brokers: string[];
  group: string;
  inputs: Input[];
  /** Topic of verdicts; null: none. */
  verdicts: string | null;
  window: WindowLimits;
  /** What happens to a window that is BLOCKed: its rows are held, its partition stops, or they are routed as in any other window. */
  onBlock: (typeof ON_BLOCK)[number];
  options: ScreenOptions;
  /** `options` as they were written: a part of the key of a window. */
  givenOptions: unknown;
  /** Where a group without offsets begins. */
  from: (typeof STARTS)[number];
  /** Kafka gives the partitions of a process that is silent for so long to others. */
  sessionMs: number;
  tls: Tls | null;
  sasl: Sasl | null;
}

export interface Input {
  topic: string;
  source: SourceOf;
  format: (typeof FORMATS)[number];
  /** CSV: names of the cells; else empty. */
  columns: string[];
  /** Topics of rows that pass, and of rows that are held. */
  clean: string;
  held: string;
}

/** Where the name of a row's source is. */
export type SourceOf =
  | { kind: 'name'; name: string }
  | { kind: 'header'; name: string }
  | { kind: 'field'; name: string }
  | { kind: 'key' };

export interface Tls {
  /** Names of PEM files; null: the system's authorities, and no certificate of the client. */
  ca: string | null;
  cert: string | null;
  key: string | null;
  /** The name in the broker's certificate; null: the host of its address. */
  serverName: string | null;
}

export interface Sasl {
  mechanism: (typeof MECHANISMS)[number];
  username: string;
  password: string;
}

/** `environment`: values for `{{NAME}}`. `maxBodyBytes`: the largest batch that is screened. Throws `StreamConfigError`. */
export function readStreamConfig(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  maxBodyBytes: number,
): StreamConfig {
  const top = new Member(value, [], environment);
  top.only(
    'brokers group inputs verdicts window on_block options from session_ms tls sasl'.split(' '),
    'stream.yaml',
  );
  const given = top.at('options').plain();
  return {
    brokers: brokersIn(top.at('brokers')),
    group: name(top.at('group'), 255),
    inputs: inputsIn(top.at('inputs')),
    verdicts: top.at('verdicts').isAbsent ? null : topicIn(top.at('verdicts')),
    window: windowIn(top.at('window'), maxBodyBytes, USUAL_WINDOW),
    onBlock: top.at('on_block').oneOf(ON_BLOCK, 'divert'),
    options: optionsIn(given, top.at('options').path),
    givenOptions: given ?? {},
    from: top.at('from').oneOf(STARTS, 'earliest'),
    sessionMs: top.at('session_ms').integer(1000, 600_000, 30_000),
    tls: tlsIn(top.at('tls')),
    sasl: top.at('sasl').isAbsent ? null : saslIn(top.at('sasl')),
  };
}

function brokersIn(member: Member): string[] {
  const brokers = member.isText ? member.text().split(',') : member.list(1, 100).map(each => each.text());
  return brokers.map(broker => {
    const [, port] = /^(?:[\w.-]+|\[[\da-f:]+\]):(\d{1,5})$/i.exec(broker.trim()) ?? [];
    if (port === undefined || Number(port) > 65_535)
      throw member.wrong(`a broker is host:port, as in 127.0.0.1:9092, not ${quoted(broker)}`);
    return broker.trim();
  });
}

function inputsIn(member: Member): Input[] {
  const inputs = member.list(1, MAX_INPUTS).map(inputIn);
  const topics = inputs.map(({ topic }) => topic);
  const twice = topics.findIndex((topic, i) => topics.indexOf(topic) !== i);
  if (twice >= 0)
    throw member
      .at(twice)
      .at('topic')
      .wrong(`${quoted(topics[twice]!)} is an input already`);
  for (const [i, input] of inputs.entries())
    for (const output of ['clean', 'held'] as const)
      if (topics.includes(input[output]))
        throw member
          .at(i)
          .at(output)
          .wrong(`${quoted(input[output])} is an input: its rows would never end`);
  return inputs;
}

function inputIn(member: Member): Input {
  member.only('topic source format columns clean held'.split(' '), 'an input');
  const topic = topicIn(member.at('topic'));
  const format = member.at('format').oneOf(FORMATS, 'json');
  const source = sourceIn(member.at('source'), format);
  const columns = format === 'csv' ? columnsIn(member.at('columns')) : [];
  if (format === 'json' && !member.at('columns').isAbsent)
    throw member.at('columns').wrong('only CSV has columns');
  const { clean, held } = { clean: topicIn(member.at('clean')), held: topicIn(member.at('held')) };
  if (clean === held) throw member.at('held').wrong('held and clean must be two topics');
  return { topic, format, source, columns, clean, held };
}

function sourceIn(member: Member, format: Input['format']): SourceOf {
  if (member.isText) return { kind: 'name', name: sourceName(member) };
  member.only(['header', 'field', 'key'], 'source');
  const [kind, ...more] = member.names();
  if (kind === undefined || more.length > 0)
    throw member.wrong('it is a name, or one of {header: NAME}, {field: NAME}, {key: true}');
  if (kind === 'key') {
    if (member.at('key').plain() !== true) throw member.at('key').wrong('it must be true');
    return { kind };
  }
  if (kind === 'field' && format === 'csv')
    throw member.at('field').wrong('only the source of JSON can be in a field');
  return { kind: kind as 'header' | 'field', name: member.at(kind).text() };
}

function sourceName(member: Member): string {
  try {
    return checkSource(member.text(), 'the source');
  } catch (error) {
    throw member.wrong((error as Rejection).message);
  }
}

function columnsIn(member: Member): string[] {
  const columns = member.list(1, MAX_COLUMNS).map(each => each.text());
  const twice = columns.findIndex((column, i) => columns.indexOf(column) !== i);
  if (twice >= 0) throw member.at(twice).wrong(`${quoted(columns[twice]!)} is a column already`);
  return columns;
}

/** Windows are routed by row verdicts unless it says that there are none. */
function optionsIn(given: unknown, path: Path): ScreenOptions {
  try {
    const options = streamOptionsIn(
      isJsonObject(given ?? {}) ? { mode: 'auto', ...(given as object) } : given,
    );
    const rowVerdicts = (given as { row_verdicts?: boolean } | undefined)?.row_verdicts ?? true;
    return { ...options, rowVerdicts, fullScan: options.fullScan || rowVerdicts };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const [, name] = /^options\.(\w+)/.exec(error.message) ?? [];
    throw new StreamConfigError(name === undefined ? path : [...path, name], error.message);
  }
}

function tlsIn(member: Member): Tls | null {
  const none = { ca: null, cert: null, key: null, serverName: null };
  if (member.isAbsent || member.plain() === false) return null;
  if (member.plain() === true) return none;
  member.only(['ca', 'cert', 'key', 'server_name'], 'tls');
  const text = (name: string) => (member.at(name).isAbsent ? null : member.at(name).text());
  if ((text('cert') === null) !== (text('key') === null)) throw member.wrong('cert and key come together');
  return { ca: text('ca'), cert: text('cert'), key: text('key'), serverName: text('server_name') };
}

function saslIn(member: Member): Sasl {
  member.only(['mechanism', 'username', 'password'], 'sasl');
  return {
    mechanism: member.at('mechanism').oneOf(MECHANISMS),
    username: member.at('username').text(),
    password: member.at('password').text(),
  };
}

const MAX_TOPIC_CHARACTERS = 249;

/** As Kafka checks it. */
function topicIn(member: Member): string {
  const topic = name(member, MAX_TOPIC_CHARACTERS);
  if (!/^[\w.-]+$/.test(topic) || topic === '.' || topic === '..')
    throw member.wrong(`a topic has letters, digits, dots, _ and -, unlike ${quoted(topic)}`);
  return topic;
}

function name(member: Member, mostCharacters: number): string {
  const text = member.text();
  if (text.length > mostCharacters) throw member.wrong(`it may have at most ${mostCharacters} characters`);
  return text;
}
