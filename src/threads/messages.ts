/** What goes between a thread and the one that asks it. */
import { DamagedBytes } from '../baseline/bytes.ts';
import type { CompiledEngine } from '../engine/engine.ts';
import { type ErrorCode, Rejection } from '../terms/errors.ts';
import { RefusedBody, type WhyRefused } from '../intake/refusals.ts';
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

/** In the order of what was asked. */
export type Reply =
  | { result: unknown }
  | { refused: WhyRefused }
  | { rejection: { code: ErrorCode; message: string; headers: Record<string, string> } }
  | { damaged: string }
  | { bug: unknown };

export function failedWith(error: unknown): Reply {
  if (error instanceof RefusedBody) return { refused: error.why };
  if (error instanceof Rejection) {
    const { code, message, headers } = error;
    return { rejection: { code, message, headers } };
  }
  if (error instanceof DamagedBytes) return { damaged: error.message };
  return { bug: error };
}

/** The error that a thread has thrown. */
export function errorIn(reply: Exclude<Reply, { result: unknown }>): unknown {
  if ('bug' in reply) return reply.bug;
  if ('refused' in reply) return new RefusedBody(reply.refused);
  if ('damaged' in reply) return new DamagedBytes(reply.damaged);
  const { code, message, headers } = reply.rejection;
  return new Rejection(code, message, headers);
}
