/** The source of a batch as it was when the batch was opened, as the store of batches keeps it: every part is compared with the same past, whichever process gets it. */
import type { StoredBaseline } from '../stores/ports.ts';

/** Bytes as base64. */
const asText = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;

function asBytes(_: string, value: unknown): unknown {
  const isBytes = value !== null && typeof value === 'object' && 'base64' in value;
  return isBytes ? new Uint8Array(Buffer.from(value.base64 as string, 'base64')) : value;
}

export function encodeBegun({ folded, tail, ...rest }: StoredBaseline): Uint8Array {
  // A buffer has a `toJSON` of its own, which is asked before the replacer.
  const plain = { ...rest, folded: folded && new Uint8Array(folded) };
  const states = tail.map(({ id, state }) => ({ id, state: new Uint8Array(state) }));
  return new TextEncoder().encode(JSON.stringify({ ...plain, tail: states }, asText));
}

export const decodeBegun = (bytes: Uint8Array): StoredBaseline =>
  JSON.parse(new TextDecoder().decode(bytes), asBytes) as StoredBaseline;
