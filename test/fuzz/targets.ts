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
  /** Most resident memory of the process. */
  maxBytes: number;
}

/** No piece of work shall hold the thread for longer, in ms of processor time. */
export const TARGET_MS = 50;
/** Failing: far enough from the target that a collection of garbage, or a processor that is shared, does not reach it three times. */
export const FAILING_MS = 250;

/** One engine, what is decoded, and the program. */
const READER_BYTES = 768 * MIB;
const SERVER_BYTES = 1024 * MIB;

export const TARGETS: Record<string, Target> = {
  parquet: { grammar: parquet, reader: 'parquet', maxBytes: READER_BYTES },
  arrow: { grammar: arrow, reader: 'arrow', maxBytes: READER_BYTES },
  yaml: { grammar: yaml, reader: 'yaml', maxBytes: READER_BYTES },
  kafka: { grammar: kafka, reader: 'kafka', maxBytes: READER_BYTES },
  http: { grammar: http, reader: null, maxBytes: SERVER_BYTES },
  websocket: { grammar: websocket, reader: null, maxBytes: SERVER_BYTES },
  texts: { grammar: texts, reader: null, maxBytes: SERVER_BYTES },
  bodies: { grammar: bodies, reader: null, maxBytes: SERVER_BYTES },
};
