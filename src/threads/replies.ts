/** What a thread answers: the result of a task, or what it threw. */
import { DamagedBytes } from '../baseline/bytes.ts';
import { RefusedBody, type WhyRefused } from '../intake/refusals.ts';
import { type ErrorCode, Rejection } from '../terms/errors.ts';

/** In the order of what was asked. */
export type Reply =
  | { result: unknown }
  | { refused: WhyRefused }
  | { rejection: { code: ErrorCode; message: string; headers: Record<string, string> } }
  | { damaged: string }
  | { bug: unknown };

/** What a task threw. */
export type Failure = Exclude<Reply, { result: unknown }>;

export function failedWith(error: unknown): Failure {
  if (error instanceof RefusedBody) return { refused: error.why };
  if (error instanceof Rejection) {
    const { code, message, headers } = error;
    return { rejection: { code, message, headers } };
  }
  if (error instanceof DamagedBytes) return { damaged: error.message };
  return { bug: error };
}

/** The error that a thread has thrown. */
export function errorIn(reply: Failure): unknown {
  if ('bug' in reply) return reply.bug;
  if ('refused' in reply) return new RefusedBody(reply.refused);
  if ('damaged' in reply) return new DamagedBytes(reply.damaged);
  const { code, message, headers } = reply.rejection;
  return new Rejection(code, message, headers);
}
