/**
 * W3C Trace Context (www.w3.org/TR/trace-context): the trace that a request belongs to, so that it can be followed through a pipeline.
 * A header that is not valid is ignored, as the standard asks.
 */

export interface Trace {
  /** 32 hex digits, the same for all steps. */
  id: string;
  /** The caller's step, 16 hex digits. */
  parent: string;
  /** This request as a step. */
  span: string;
  /** 2 hex digits. */
  flags: string;
}

const SPAN_BYTES = 8;

/** Later versions may have more after the flags. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;

/** `random` makes the id of this step. Null without a valid header. */
export function traceOf(traceparent: string | null, random: (bytes: number) => Uint8Array): Trace | null {
  const [, version, id, parent, flags, more] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (id === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (ZEROS.test(id) || ZEROS.test(parent!)) return null;
  return { id, parent: parent!, span: Buffer.from(random(SPAN_BYTES)).toString('hex'), flags: flags! };
}

/** The header for the next step, with this request as its parent. */
export const traceparentOf = ({ id, span, flags }: Trace): string => `00-${id}-${span}-${flags}`;
