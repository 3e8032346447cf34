/** What is fuzzed: the grammar of its inputs, what reads them, and what that may take. */
import type { Choices } from './choices.ts';
import { arrow } from './grammars/arrow.ts';
import { bodies, texts } from './grammars/bodies.ts';
import { http } from './grammars/http.ts';
import { kafka } from './grammars/kafka.ts';
import { parquet } from './grammars/parquet.ts';
import { websocket } from './grammars/websocket.ts';
import { yaml } from './grammars/yaml.ts';
import type { Input } from './input.ts';

const MIB = 1024 * 1024;

export interface Target {
  grammar: (choices: Choices) => Input;
  /** A reader of `plays.ts`; null: the server. */
  reader: string | null;
  /** A step that takes longer is a fault, in ms of processor time. */
  failingMs: number;
  /** Most resident memory of the process. */
  maxBytes: number;
}

/** Of a thread that answers, in ms of processor time: far enough from its target of 50 ms that a collection of garbage, or a processor that is shared, does not reach it three times. */
const FAILING_MS = 250;
/** A body of columns is one step of a thread: what its bounds allow takes up to 800 ms. */
const BODY_FAILING_MS = 1500;
/** A document is read in one step of a thread: 256 KiB of YAML take up to 1.6 s, and the process up to 767 MiB. */
const DOCUMENT_FAILING_MS = 2500;

/** One engine, what is decoded, and the program. */
const READER_BYTES = 768 * MIB;
const SERVER_BYTES = 1024 * MIB;

export const TARGETS: Record<string, Target> = {
  parquet: { grammar: parquet, reader: 'parquet', failingMs: BODY_FAILING_MS, maxBytes: READER_BYTES },
  arrow: { grammar: arrow, reader: 'arrow', failingMs: BODY_FAILING_MS, maxBytes: READER_BYTES },
  yaml: { grammar: yaml, reader: 'yaml', failingMs: DOCUMENT_FAILING_MS, maxBytes: SERVER_BYTES },
  kafka: { grammar: kafka, reader: 'kafka', failingMs: FAILING_MS, maxBytes: READER_BYTES },
  http: { grammar: http, reader: null, failingMs: FAILING_MS, maxBytes: SERVER_BYTES },
  websocket: { grammar: websocket, reader: null, failingMs: FAILING_MS, maxBytes: SERVER_BYTES },
  texts: { grammar: texts, reader: null, failingMs: FAILING_MS, maxBytes: SERVER_BYTES },
  bodies: { grammar: bodies, reader: null, failingMs: FAILING_MS, maxBytes: SERVER_BYTES },
};
