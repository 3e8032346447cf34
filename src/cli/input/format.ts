/** The formats of files, and what options and file names say of them. */
import { basename } from 'node:path';
import { Format } from '../../../assembly/abi.ts';
import { quoted } from '../../terms/errors.ts';
import type { Coding } from '../../intake/content-coding.ts';
import type { SliceFormat } from '../../slices/slice.ts';
import { DELIMITERS, DELIMITERS_KNOWN } from '../../intake/delimiters.ts';
import { Failure } from '../failure.ts';

const COMMA = 0x2c;
const TAB = 0x09;

export interface FileFormat extends SliceFormat {
  coding: Coding | null;
}

const FORMATS = new Map<string, Pick<FileFormat, 'format' | 'delimiter'>>([
  ['csv', { format: Format.CSV, delimiter: COMMA }],
  ['tsv', { format: Format.CSV, delimiter: TAB }],
  ['tab', { format: Format.CSV, delimiter: TAB }],
  ['json', { format: Format.JSON, delimiter: COMMA }],
  ['ndjson', { format: Format.NDJSON, delimiter: COMMA }],
  ['jsonl', { format: Format.NDJSON, delimiter: COMMA }],
  ['parquet', { format: Format.PARQUET, delimiter: COMMA }],
  ['arrow', { format: Format.ARROW_FILE, delimiter: COMMA }],
  ['feather', { format: Format.ARROW_FILE, delimiter: COMMA }],
  ['arrows', { format: Format.ARROW, delimiter: COMMA }],
]);

const CODINGS = new Map<string, Coding>([
  ['gz', 'gzip'],
  ['gzip', 'gzip'],
  ['zst', 'zstd'],
  ['zstd', 'zstd'],
]);

export const FORMAT_NAMES = [...FORMATS.keys()];

/** What `--format` or else the file name says; null for what it does not say. `given` is like the extensions of a name: `csv.gz`. Throws `Failure`. */
export function namedFormat(
  file: string,
  given: string | undefined,
): { format: Format | null; delimiter: number; coding: Coding | null } {
  const [last = '', before = ''] = extensions(given === undefined ? basename(file) : `.${given}`);
  const coding = CODINGS.get(last) ?? null;
  const format = FORMATS.get(coding === null ? last : before);
  if (format === undefined && given !== undefined) throw unknownFormat(given);
  return { ...(format ?? { format: null, delimiter: COMMA }), coding };
}

export const formatOf = (format: Format, delimiter: number, coding: Coding | null): FileFormat => ({
  format,
  delimiter,
  isDelimiterGiven: false,
  coding,
});

export const formatName = (format: Format): string =>
  FORMAT_NAMES.find(name => FORMATS.get(name)!.format === format)!;

/** `orders` of `data/orders.csv.gz`; `stdin` of `-`. */
export function sourceOf(file: string): string {
  if (file === '-') return 'stdin';
  let name = basename(file);
  if (CODINGS.has(extensions(name)[0] ?? '')) name = name.slice(0, name.lastIndexOf('.'));
  if (FORMATS.has(extensions(name)[0] ?? '')) name = name.slice(0, name.lastIndexOf('.'));
  return name;
}

/** Whether the name of a file says its format. */
export const isKnownName = (name: string): boolean => namedFormat(name, undefined).format !== null;

/** The extensions of a name, last one first, in lower case. */
const extensions = (name: string): string[] => name.toLowerCase().split('.').slice(1).reverse();

export function delimiterByte(given: string): number {
  const byte = DELIMITERS.get(given.toLowerCase());
  if (byte === undefined) throw new Failure(`--delimiter must be ${DELIMITERS_KNOWN}, not ${quoted(given)}`);
  return byte;
}

const known = `${FORMAT_NAMES.join(', ')}, each also with .gz or .zst, as in csv.gz`;

const unknownFormat = (given: string) => new Failure(`--format must be ${known}, not ${quoted(given)}`);

export const unknownFile = (file: string): Failure =>
  new Failure(`Neither its name nor its bytes say the format. Add --format ${known}`, file);
