/** A request that is not valid HTTP/1.1, or that no route can answer. It is answered on the connection, which then closes. */
import type { ErrorCode } from '../../terms/errors.ts';
import { addHeaders } from '../answer-headers.ts';

export class WireFault extends Error {
  constructor(
    readonly status: 400 | 405 | 408 | 417 | 431 | 501 | 505,
    message: string,
    readonly code: ErrorCode = 'INVALID_PARAMETER',
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

export const malformed = (message: string): WireFault => new WireFault(400, message);

/** The response to an error that the application did not handle, or to a fault. */
export function errorResponse(error: unknown): Response {
  const { status, code, message, headers } = error instanceof WireFault ? error : INTERNAL;
  const response = Response.json(
    { message, code },
    { status, headers: { 'Cache-Control': 'no-store', ...headers } },
  );
  addHeaders(response.headers);
  return response;
}

const INTERNAL = {
  status: 500,
  code: 'INTERNAL',
  message: 'Something went wrong on our side',
  headers: {},
} as const;
