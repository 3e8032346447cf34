/** Reads the body of a small JSON request, such as the name of a key. */
import { checkSize, DocumentError } from '../documents/document-text.ts';
import { type ErrorCode, Rejection } from '../terms/errors.ts';
import { contentCoding } from '../intake/content-coding.ts';
import type { Upload, UploadLimits } from '../intake/upload.ts';
import { isJsonObject, type JsonObject } from '../documents/json-object.ts';
import { factsOf } from './request-facts.ts';
import { uploadOf } from './upload-of.ts';

/** Larger than any of these requests. */
export const MAX_JSON_BYTES = 64 * 1024;

interface JsonText {
  value: unknown;
  text: string;
}

/** The members of the body; none for an empty body. Throws `Rejection` as `jsonText` does, and with `code` if the body is not an object. */
export async function jsonBody(
  request: Request,
  limits: UploadLimits,
  code: ErrorCode = 'INVALID_PARAMETER',
): Promise<JsonObject> {
  const { value } = await jsonText(request, limits);
  if (isJsonObject(value)) return value;
  throw new Rejection(code, 'The body must be a JSON object');
}

/**
 * The parsed body and its text; `{}` and an empty text for an empty body. The route must have `{ parse: 'none' }`. The body must be complete
 * within `bodyStallSeconds`, because the connection's own timeout is not renewed.
 * Throws `Rejection` UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, INVALID_JSON.
 */
export async function jsonText(
  request: Request,
  limits: UploadLimits,
  maxBodyBytes = MAX_JSON_BYTES,
): Promise<JsonText> {
  const bytes = await bodyBytes(request, limits, maxBodyBytes);
  if (bytes.length === 0) return { value: {}, text: '' };
  checkType(request.headers);
  return parsed(bytes);
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
      'This body must not be compressed: send it without Content-Encoding',
    );
}

/** Reads all bytes of a small body, otherwise like `jsonBody`. Throws `Rejection` PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT. */
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

function parsed(bytes: Uint8Array): { value: unknown; text: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    // What follows goes through it level by level.
    checkSize(value);
    return { value, text };
  } catch (error) {
    const what = error instanceof DocumentError ? `: ${error.message}` : ' in UTF-8';
    throw new Rejection('INVALID_JSON', `The body must be one JSON text${what}`);
  }
}
