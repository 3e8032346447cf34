/** The format of a file, from `--format` or the file name. The bytes are not inspected, except whether JSON is an array. */
import { basename } from 'node:path';
import { Format } from '../../assembly/abi.ts';
import { quoted } from '../errors.ts';
import type { Coding } from '../intake/content-coding.ts';
import { Failure } from './failure.ts';

const COMMA = 0x2c;
const TAB = 0x09;

export interface FileFormat {
  format: Format;
  /** CSV: the delimiter's byte. */
  delimiter: number;
  /** Whether `--delimiter` names the delimiter; else it follows from the format. */
  isDelimiterGiven: boolean;
  coding: Coding | null;
}

const FORMATS = new Map<string, Pick<FileFormat, 'format' | 'delimiter'>>([
  ['csv', { format: Format.CSV, delimiter: COMMA }],
  ['tsv', { format: Format.CSV, delimiter: TAB }],
  ['tab', { format: Format.CSV, delimiter: TAB }],
  ['json', { format: Format.JSON, delimiter: COMMA }],
  ['ndjson', { format: Format.NDJSON, delimiter: COMMA }],
  ['jsonl', { format: Format.NDJSON, delimiter: COMMA }],
]);

const CODINGS = new Map<string, Coding>([
  ['gz', 'gzip'],
  ['gzip', 'gzip'],
  ['zst', 'zstd'],
  ['zstd', 'zstd'],
]);

const DELIMITERS = new Map([
  [',', COMMA],
  [';', 0x3b],
  ['|', 0x7c],
  ['tab', TAB],
]);

export const FORMAT_NAMES = [...FORMATS.keys()];
export const DELIMITER_NAMES = [...DELIMITERS.keys()];

/** `given` is like the extensions of a name: `csv.gz`. Throws `Failure`. */
export function formatOf(file: string, given: string | undefined, delimiter: string | undefined): FileFormat {
  const [last = '', before = ''] = extensions(given === undefined ? basename(file) : `.${given}`);
  const coding = CODINGS.get(last) ?? null;
  const format = FORMATS.get(coding === null ? last : before);
  if (format === undefined) throw given === undefined ? unknownFile(file) : unknownFormat(given);
  const isDelimiterGiven = delimiter !== undefined;
  return {
    ...format,
    coding,
    isDelimiterGiven,
    ...(isDelimiterGiven && { delimiter: delimiterByte(delimiter) }),
  };
}

/** `orders` of `data/orders.csv.gz`; `stdin` of `-`. */
export function sourceOf(file: string): string {
  if (file === '-') return 'stdin';
  let name = basename(file);
  if (CODINGS.has(extensions(name)[0] ?? '')) name = name.slice(0, name.lastIndexOf('.'));
  if (FORMATS.has(extensions(name)[0] ?? '')) name = name.slice(0, name.lastIndexOf('.'));
  return name;
}

/** The extensions of a name, last one first, in lower case. */
const extensions = (name: string): string[] => name.toLowerCase().split('.').slice(1).reverse();

function delimiterByte(given: string): number {
  const byte = DELIMITERS.get(given.toLowerCase());
  if (byte === undefined)
    throw new Failure(`--delimiter must be one of , ; | or the word tab, not ${quoted(given)}`);
  return byte;
}

const known = `${FORMAT_NAMES.join(', ')}, each also with .gz or .zst, as in csv.gz`;

const unknownFormat = (given: string) => new Failure(`--format must be ${known}, not ${quoted(given)}`);

const unknownFile = (file: string) =>
  file === '-'
    ? new Failure(`Name the format of standard input: --format ${known}`, file)
    : new Failure(`The file name does not say the format. Add --format ${known}`, file);
