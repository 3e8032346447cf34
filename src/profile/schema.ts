/** What type each field has, how surely, and the hash of it all. */
import { byName } from '../names/by-name.ts';
import { dominantType, mostFrequentType, valuesIn } from './field-type.ts';
import type { FieldProfile, FieldType, Profile } from './profile.ts';

export interface SchemaField {
  type: FieldType;
  /** Share of the non-null values that have the dominant (for mixed, the most frequent) type. */
  confidence: number;
}

export type Schema = Record<string, SchemaField>;

export function inferSchema(profile: Profile): Schema {
  return byName(profile.fields.map(field => [field.name, schemaField(field)] as const));
}

export function schemaField(field: FieldProfile): SchemaField {
  const values = valuesIn(field.counts);
  const confidence = values === 0 ? 1 : field.counts[mostFrequentType(field.counts)] / values;
  return { type: dominantType(field.counts), confidence };
}

/**
 * SHA-256, lower-case hex, of the UTF-8 JSON text of the `[name, type]` pairs, sorted by name in code-point
 * order, without spaces. It depends on neither row order, field order nor values.
 */
export function fingerprint(schema: Schema): string {
  const names = Object.keys(schema).toSorted(byCodePoints);
  const pairs = names.map(name => [name, schema[name]!.type]);
  return Bun.SHA256.hash(JSON.stringify(pairs), 'hex');
}

const BLOCK = 64;

/** JavaScript's own order is by UTF-16 units, in which U+1F600 comes before U+E000. */
function byCodePoints(a: string, b: string): number {
  let at = 0;
  // Hostile names share long beginnings: those are skipped block by block, at the speed of memory.
  while (at + BLOCK < a.length && a.slice(at, at + BLOCK) === b.slice(at, at + BLOCK)) at += BLOCK;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at > 0 && isPairAt(a, at - 1) !== isPairAt(b, at - 1)) at -= 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

/** Whether a surrogate pair (and not a lone half) begins at an index. */
const isPairAt = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;
