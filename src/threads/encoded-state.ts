import { encodeStateBytes, type PartsState, StateError } from '../states/bytes/state-bytes.ts';
import { Rejection } from '../terms/errors.ts';

/** A state for the store. Throws `Rejection` PAYLOAD_TOO_LARGE. */
export function encodedState(state: PartsState): Uint8Array {
  try {
    return encodeStateBytes(state);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new Rejection('PAYLOAD_TOO_LARGE', `Too large: ${error.message}`);
  }
}
