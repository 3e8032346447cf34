/** Reads the conformance cases; `pack/README.md` describes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Expectation {
  status: number;
  /** The answer must have one of these codes. */
  code?: string[];
  rows?: number;
  type?: string;
  confidence?: number;
  /** An f64: 8 bytes, big-endian, as hex digits. */
  number?: string;
  numbers?: string[];
  schema?: [string, { type: string; confidence: number }][];
  source?: string;
  /** CSV: records, header first, as decoded text; null if the quoting is broken. */
  table?: string[][] | null;
  ragged?: number;
  fields?: string[];
  line?: number;
}

export interface Case {
  id: string;
  kind: 'json' | 'csv';
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  headers: Record<string, string>;
  /** CSV: the delimiter, from content type and headers. */
  delimiter: string;
  expect: Expectation;
}

/**
 * Cases whose expectation contradicts our rules, with the answer that the rules require. The data stays unchanged.
 * source/44 names its source `.`: the pack accepts that, our rules do not, since no URL can address it.
 */
export const OVERRULED = new Map<string, Expectation>([
  ['json-blns/source/44', { status: 400, code: ['MISSING_SOURCE'] }],
]);

const folder = join(import.meta.dir, 'pack');

/** Names of the pack's files. */
export const packFiles = (): string[] =>
  readdirSync(folder)
    .filter(name => /\.jsonl(\.gz)?$/.test(name))
    .sort();

/** The cases of one file. */
export function casesOf(file: string): Case[] {
  const raw = readFileSync(join(folder, file));
  const text = (file.endsWith('.gz') ? gunzipSync(raw) : raw).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map(line => caseOf(JSON.parse(line)));
}

function caseOf(line: { [key: string]: unknown }): Case {
  const { id, kind, body, contentType, expect } = line as unknown as Case & { body: string };
  const headers = (line.headers ?? {}) as Record<string, string>;
  const named = headers['X-CSV-Delimiter'] ?? (contentType.includes('tab-separated') ? 'tab' : ',');
  return {
    id,
    kind,
    bytes: new Uint8Array(Buffer.from(body, 'base64')),
    contentType,
    headers,
    delimiter: named === 'tab' ? '\t' : named,
    expect: OVERRULED.get(id) ?? expect,
  };
}

/** The bits of an f64, as the pack writes them. */
export function bitsOf(number: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  return bytes.toString('hex').toUpperCase();
}
