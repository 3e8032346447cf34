/** The form of `sluice.yaml`, and what is wrong with one. `check-schema.ts` publishes the schema for editors. */
import { type Static, Type } from '@sinclair/typebox';
import { byName, flag, share, text, word } from '../../report-schema/values.ts';
import { Rejection } from '../../terms/errors.ts';
import { completed, ASKED_MODES, signsOf } from '../../options/options.ts';
import { FIELD_SIGN_NAMES } from '../../signs/sign.ts';
import {
  MAX_FALSE_ALARM_RATE,
  MIN_FALSE_ALARM_RATE,
  THRESHOLDS,
  type Thresholds,
} from '../../terms/policy.ts';
import { RulesDocument } from '../../rules/declared/document.ts';
import { parseRules } from '../../rules/declared/parse.ts';
import * as read from '../../rules/declared/reader.ts';
import { type Members, pathTo, refuse } from '../../rules/declared/reader.ts';
import { quoted } from '../../terms/wording.ts';
import { baseOf } from '../../client/address.ts';
import { checkSource } from '../../names/source.ts';
import { MAX_HEADER_LINE } from '../../intake/headers.ts';
import { grouped } from '../../terms/wording.ts';
import { DELIMITER_NAMES } from '../../intake/delimiters.ts';
import { FORMAT_NAMES } from '../input/format.ts';
import { OUTPUTS } from '../output/forms.ts';
import { FAIL_ON } from '../output/output.ts';

export const MAX_SOURCES = 1000;
export const MAX_FILES = 1000;
const MAX_OUTPUTS = 20;
const MAX_PATH = 4096;

const FORMAT = `^(?:${FORMAT_NAMES.join('|')})(?:\\.(?:gz|zst))?$`;

const closed = { additionalProperties: false };
const path = (description: string) => Type.String({ minLength: 1, maxLength: MAX_PATH, description });

const SETTINGS = {
  mode: Type.Optional(
    word(
      ASKED_MODES,
      'auto (default): fixed thresholds of nulls and types until three batches were seen, and for at least 20 cells; then earlier runs alone. contract: fixed thresholds always, and earlier runs. adaptive: earlier runs alone; needs baseline or url',
    ),
  ),
  thresholds: Type.Optional(
    Type.Partial(
      Type.Object(
        Object.fromEntries(Object.keys(THRESHOLDS).map(name => [name, share('From 0 to 1')])),
        closed,
      ),
      { description: 'Thresholds of null rates, types and health' },
    ),
  ),
  false_alarm_rate: Type.Optional(
    Type.Number({
      minimum: MIN_FALSE_ALARM_RATE,
      maximum: MAX_FALSE_ALARM_RATE,
      description: 'Share of clean batches that may be WARN',
    }),
  ),
  full_scan: Type.Optional(flag('true: measure the values of all rows, not of a sample')),
  signs: Type.Optional(
    Type.Union([Type.Boolean(), Type.Array(word(FIELD_SIGN_NAMES, 'A sign'))], {
      description: 'Signs of damaged values to look for: true (all, the default), false (none), or names',
    }),
  ),
};

const Files = Type.Union(
  [path('A path or a glob'), Type.Array(path('A path or a glob'), { minItems: 1, maxItems: MAX_FILES })],
  {
    description: 'Files of the source: paths or globs, from the folder of this file',
  },
);

const CheckedSource = Type.Object(
  {
    files: Files,
    rules: Type.Optional(
      Type.Union([path('A file of rules, YAML or JSON'), RulesDocument], {
        description: 'What must be true of every row',
      }),
    ),
    format: Type.Optional(
      Type.String({
        pattern: FORMAT,
        description: 'Format of the files, as in csv.gz; by default that of their names',
      }),
    ),
    delimiter: Type.Optional(word(DELIMITER_NAMES, 'Delimiter of CSV')),
    header_line: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_HEADER_LINE,
        description: 'Line of the header of CSV, from 1',
      }),
    ),
    escape: Type.Optional(word(['\\'], 'Character of CSV before quotes and delimiters that are text')),
    charset: Type.Optional(text('Encoding of CSV if it is not UTF-8')),
    rows: Type.Optional(text('Member of a JSON object that has the rows, as in data or response.items')),
    ...SETTINGS,
  },
  closed,
);

const WrittenOutput = Type.Object(
  {
    format: word(OUTPUTS, 'In which form'),
    file: Type.Optional(path('Where to; without it, standard output')),
  },
  closed,
);

export const CheckDocument = Type.Object(
  {
    sources: byName(CheckedSource, 'What is checked, by name of the source'),
    baseline: Type.Optional(path('File that remembers earlier runs, created if absent')),
    url: Type.Optional(text('Screen on this server; its key is in the variable SLUICE_KEY')),
    outputs: Type.Optional(
      Type.Array(WrittenOutput, {
        maxItems: MAX_OUTPUTS,
        description: 'Where results go; default: text on standard output',
      }),
    ),
    fail_on: Type.Optional(word(FAIL_ON, 'Which verdict fails the check: `block` (default), or also `warn`')),
    ...SETTINGS,
  },
  { ...closed, description: 'What `sluice check` checks' },
);

export type CheckDocument = Static<typeof CheckDocument>;
export type CheckedSource = Static<typeof CheckedSource>;
export type WrittenOutput = Static<typeof WrittenOutput>;

/** Throws `Rejection`, its message beginning with the path of what is wrong. */
export function parseCheck(value: unknown): CheckDocument {
  read.anyObject('document', value);
  const document = read.object('', value, Object.keys(CheckDocument.properties));
  settings('', document, {});
  if (document.fail_on !== undefined) read.word('fail_on', document.fail_on, FAIL_ON);
  if (document.baseline !== undefined) filled('baseline', document.baseline);
  if (document.url !== undefined && baseOf(filled('url', document.url)) === null)
    refuse('url', 'must be the address of a server, as in http://127.0.0.1:8080');
  if (document.baseline !== undefined && document.url !== undefined)
    refuse('baseline', 'the server of url keeps its own baselines: remove one of both');
  outputs(document.outputs);
  const sources = Object.entries(read.anyObject('sources', document.sources));
  if (sources.length === 0 || sources.length > MAX_SOURCES)
    refuse('sources', `must have 1 to ${MAX_SOURCES} sources, not ${sources.length}`);
  for (const [name, source] of sources) {
    const at = pathTo('sources', name);
    refused(at, () => checkSource(name, 'its name'));
    checkedSource(at, source, document);
    checkHistory(at, source as Members, document);
  }
  return document as CheckDocument;
}

function checkedSource(at: string, value: unknown, document: Members): void {
  const source = read.object(at, value, Object.keys(CheckedSource.properties));
  if (Array.isArray(source.files))
    for (const [i, file] of read.list(`${at}.files`, source.files, 1, MAX_FILES).entries())
      filled(`${at}.files[${i}]`, file);
  else filled(`${at}.files`, source.files);
  const { format, charset } = source;
  if (format !== undefined && !new RegExp(FORMAT).test(filled(`${at}.format`, format)))
    refuse(`${at}.format`, `must be ${FORMAT_NAMES.join(', ')}, each also with .gz or .zst, as in csv.gz`);
  if (charset !== undefined)
    refused(`${at}.charset`, () => new TextDecoder(filled(`${at}.charset`, charset) as Bun.Encoding));
  if (source.delimiter !== undefined) read.word(`${at}.delimiter`, source.delimiter, DELIMITER_NAMES);
  if (source.escape !== undefined) read.word(`${at}.escape`, source.escape, ['\\']);
  if (source.rows !== undefined) filled(`${at}.rows`, source.rows);
  if (source.header_line !== undefined) headerLine(`${at}.header_line`, source.header_line);
  settings(at, source, (document.thresholds ?? {}) as Partial<Thresholds>);
  if (typeof source.rules === 'string') filled(`${at}.rules`, source.rules);
  else if (source.rules !== undefined) rules(`${at}.rules`, source.rules);
}

function headerLine(at: string, value: unknown): void {
  const line = read.number(at, value);
  if (!Number.isInteger(line) || line < 1 || line > MAX_HEADER_LINE)
    refuse(at, `must be a line from 1 to ${grouped(MAX_HEADER_LINE)}`);
}

/** Adaptive mode without earlier runs: nothing would say that a column of nulls is wrong. */
function checkHistory(at: string, source: Members, { mode, baseline, url }: Members): void {
  if (baseline !== undefined || url !== undefined || (source.mode ?? mode) !== 'adaptive') return;
  const place = source.mode === undefined ? 'mode' : `${at}.mode`;
  refuse(place, 'adaptive judges by earlier runs: add baseline or url');
}

/** `above`: thresholds of the document as a whole, which hold where a source has none of its own. */
function settings(at: string, given: Members, above: Partial<Thresholds>): void {
  const to = (name: string) => (at === '' ? name : `${at}.${name}`);
  if (given.mode !== undefined) read.word(to('mode'), given.mode, ASKED_MODES);
  if (given.full_scan !== undefined) read.boolean(to('full_scan'), given.full_scan);
  refused(to('signs'), () => signsOf(given.signs, to('signs')));
  const rate = given.false_alarm_rate;
  if (
    rate !== undefined &&
    !(
      read.number(to('false_alarm_rate'), rate) >= MIN_FALSE_ALARM_RATE &&
      (rate as number) <= MAX_FALSE_ALARM_RATE
    )
  )
    refuse(
      to('false_alarm_rate'),
      `must be a number from ${MIN_FALSE_ALARM_RATE} to ${MAX_FALSE_ALARM_RATE}, not ${rate}`,
    );
  if (given.thresholds === undefined) return;
  const own = read.object(to('thresholds'), given.thresholds, Object.keys(THRESHOLDS));
  for (const [name, value] of Object.entries(own)) read.share(to(`thresholds.${name}`), value);
  refused(to('thresholds'), () => completed(THRESHOLDS, { ...above, ...own }, ''));
}

function outputs(value: unknown): void {
  if (value === undefined) return;
  const list = read.list('outputs', value, 1, MAX_OUTPUTS);
  const places = new Set<unknown>();
  for (const [i, each] of list.entries()) {
    const { format, file } = read.object(`outputs[${i}]`, each, ['format', 'file']);
    read.word(`outputs[${i}].format`, format, OUTPUTS);
    if (file !== undefined) filled(`outputs[${i}].file`, file);
    if (places.has(file))
      refuse(
        `outputs[${i}]`,
        file === undefined ? 'standard output is taken: add a file' : `${quoted(file as string)} is taken`,
      );
    places.add(file);
  }
}

/** Messages of other checks, below the path. */
function refused(at: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    refuse(at, (error as Error).message.replace(/^\./, ''));
  }
}

const filled = (at: string, value: unknown): string =>
  read.text(at, value, MAX_PATH).trim() === '' ? refuse(at, 'is empty') : (value as string);

/** Messages of rules begin with a path in the rules. */
function rules(at: string, value: unknown): void {
  read.anyObject(at, value);
  try {
    parseRules(value);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const { message } = error;
    throw new Rejection(
      'INVALID_RULES',
      message.startsWith('rules: ') ? `${at}${message.slice(5)}` : `${at}.${message}`,
    );
  }
}
