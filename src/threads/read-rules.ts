/** Rules as a document in JSON or YAML. */
import { DocumentError, readDocument } from '../documents/document-text.ts';
import { Rejection } from '../terms/errors.ts';

/** Throws `Rejection` INVALID_RULES with the line. */
export function readRules(bytes: Uint8Array): unknown {
  try {
    return readDocument(bytes).value;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const line = error.line === null ? '' : ` (line ${error.line})`;
    throw new Rejection('INVALID_RULES', `rules: ${error.message}${line}`);
  }
}
