/** The body of a small JSON request, such as a name for a key. */
import { Rejection } from '../errors.ts';
import { contentCoding } from '../intake/content-coding.ts';
import type { Upload, UploadLimits } from '../intake/upload.ts';
import { factsOf } from './facts.ts';
import { uploadOf } from './upload-of.ts';

/** More than any of these requests has to say. */
export const MAX_JSON_BYTES = 64 * 1024;

export type JsonObject = Record<string, unknown>;

/**
 * The members of the body; none for an empty one. The route must be marked `{ parse: 'none' }`. So short a body has
 * `bodyStallSeconds` in all: nobody puts the connection's own timeout off for it.
 * Throws `Rejection` UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, INVALID_JSON.
 */
export async function jsonBody(request: Request, limits: UploadLimits): Promise<JsonObject> {
  const bytes = await bodyBytes(request, limits, MAX_JSON_BYTES);
  if (bytes.length === 0) return {};
  checkType(request.headers);
  const value = parsed(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Rejection('INVALID_JSON', 'The body must be a JSON object');
}

function checkType(headers: Headers): void {
  if (!/^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? ''))
    throw new Rejection(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON: send Content-Type: application/json',
    );
  if (contentCoding(headers) !== null)
    throw new Rejection(
      'UNSUPPORTED_MEDIA_TYPE',
      'So short a body is sent as it is, without Content-Encoding',
    );
}

/** All of a short body, as it was sent; the rest as with `jsonBody`. Throws `Rejection` PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT. */
export function bodyBytes(request: Request, limits: UploadLimits, maxBodyBytes: number): Promise<Uint8Array> {
  const bodySeconds = Math.min(limits.bodySeconds, limits.bodyStallSeconds);
  const upload = uploadOf(request, { ...limits, bodySeconds, maxBodyBytes });
  factsOf(request).upload = upload;
  return allOf(upload);
}

async function allOf(upload: Upload): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (;;) {
    const piece = await upload.next();
    if (piece === null) return Buffer.concat(pieces);
    if (piece instanceof Uint8Array) pieces.push(piece);
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Rejection('INVALID_JSON', 'The body is not one JSON text in UTF-8');
  }
}
