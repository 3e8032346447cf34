/** What goes between a thread and the one that asks it. */
import type { CompiledEngine } from '../engine/engine.ts';
import type { TaskSettings } from './source-tasks.ts';
import type { Tasks } from './tasks.ts';

/** What threads are asked for. */
export type TaskName = Exclude<keyof Tasks, 'idle' | 'trim' | 'open'>;
export type OrderOf<Name extends TaskName> =
  Parameters<Tasks[Name]> extends [infer Order] ? Order : undefined;
export type ResultOf<Name extends TaskName> = ReturnType<Tasks[Name]>;

/** The first message to a thread. */
export interface Opening {
  module: CompiledEngine;
  maxBodyBytes: number;
  settings: TaskSettings;
  /** On Linux, how far it stands back where processors are few; at least 0. */
  niceness: number;
  /** It is asked for no batch, only to put batches together. */
  isWithoutEngine?: boolean;
}

export interface Asked {
  name: TaskName;
  order: unknown;
}
