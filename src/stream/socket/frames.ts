/** The control frames of `/v1/stream`: what a client may say, checked. */
import { Format } from '../../../assembly/abi.ts';
import type { Report } from '../../report-schema/report.ts';
import { type ErrorCode, escaped, quoted, Rejection } from '../../terms/errors.ts';
import type { ContentType } from '../../intake/content-type.ts';
import { DELIMITER_NAMES, DELIMITERS } from '../../intake/delimiters.ts';
import { checkSource } from '../../names/source.ts';
import { isJsonObject, type JsonObject } from '../../documents/json-object.ts';
import type { ScreenOptions } from '../../options/options.ts';
import { repeatedKeyIn } from '../../documents/repeated-key.ts';
import { shortened } from '../../terms/wording.ts';
import { type WindowLimits, windowIn } from '../window/limits.ts';
import { Member, StreamConfigError } from '../window/member.ts';
import { streamOptionsIn } from '../window/options.ts';

export interface OpenFrame {
  /** For clients that cannot set headers. */
  key: string | null;
  source: string;
  contentType: ContentType;
  options: ScreenOptions;
  window: WindowLimits;
  resume: { stream: string; window: number } | null;
  /** What all connections of a stream must agree on. */
  sameAs: string;
}

export type ClientFrame = { type: 'open'; open: OpenFrame } | { type: 'end' };

export type ServerFrame =
  | { type: 'opened'; stream: string; next_row: number }
  | { type: 'verdict'; window: number; first_row: number; last_row: number; report: Report }
  | { type: 'closed' }
  | { type: 'error'; message: string; code: ErrorCode };

/** After these a client may connect again and resume. */
export const TEMPORARY: ReadonlySet<ErrorCode> = new Set([
  'SERVICE_UNAVAILABLE',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'INTERNAL',
] as const);

const USUAL: WindowLimits = { rows: 2000, bytes: 2 * 1024 * 1024, ms: 1000 };
const FORMATS = ['ndjson', 'csv'] as const;
const STREAM_ID = /^str_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Throws `Rejection`, whose message begins with the member that is wrong. */
export function clientFrameIn(text: string, maxBodyBytes: number): ClientFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Rejection('INVALID_JSON', 'A text frame must be a JSON object; rows come in binary frames');
  }
  if (!isJsonObject(value))
    throw new Rejection('INVALID_JSON', 'A text frame must be a JSON object; rows come in binary frames');
  const frame = frameIn(value, maxBodyBytes);
  // Last, because it takes long for a text of many small objects, which no valid frame has.
  const repeated = repeatedKeyIn(text);
  if (repeated) throw wrong([...repeated.path, repeated.key], 'is there twice');
  return frame;
}

function frameIn(value: JsonObject, maxBodyBytes: number): ClientFrame {
  try {
    const frame = new Member(value, [], {});
    const type = frame.at('type').oneOf(['open', 'end']);
    if (type === 'open') return { type, open: openIn(frame, maxBodyBytes) };
    frame.only(['type'], 'an end');
    return { type };
  } catch (error) {
    if (!(error instanceof StreamConfigError)) throw error;
    throw wrong(error.path, error.message);
  }
}

function wrong(path: readonly (string | number)[], message: string): Rejection {
  const where = escaped(shortened(path.join('.')));
  return new Rejection('INVALID_PARAMETER', path.length === 0 ? message : `${where}: ${message}`);
}

function openIn(frame: Member, maxBodyBytes: number): OpenFrame {
  frame.only('type key source format delimiter options window resume'.split(' '), 'an open');
  const source = checkSource(frame.at('source').plain(), 'source');
  const format = frame.at('format').oneOf(FORMATS, 'ndjson');
  const delimiter = frame.at('delimiter');
  if (format === 'ndjson' && !delimiter.isAbsent) throw delimiter.wrong('only CSV has one');
  const given = delimiter.oneOf(DELIMITER_NAMES, ',');
  const options = frame.at('options').plain();
  return {
    key: frame.at('key').isAbsent ? null : frame.at('key').text(),
    source,
    contentType: {
      format: format === 'csv' ? Format.CSV : Format.NDJSON,
      delimiter: DELIMITERS.get(given)!,
      isDelimiterGiven: !delimiter.isAbsent,
      charset: null,
      coding: null,
    },
    options: streamOptionsIn(options),
    window: windowIn(frame.at('window'), maxBodyBytes, USUAL),
    resume: frame.at('resume').isAbsent ? null : resumeIn(frame.at('resume')),
    sameAs: JSON.stringify([source, format, given, options ?? {}]),
  };
}

function resumeIn(member: Member): NonNullable<OpenFrame['resume']> {
  member.only(['stream', 'window'], 'resume');
  const stream = member.at('stream').text();
  if (!STREAM_ID.test(stream)) throw member.at('stream').wrong(`${quoted(stream)} is no id of a stream`);
  const window = member.at('window');
  if (window.isAbsent) throw window.wrong('it is missing: 0 if no verdict has come');
  return { stream, window: window.integer(0, Number.MAX_SAFE_INTEGER, 0) };
}
