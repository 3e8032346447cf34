/** Rules from the documents of other programs. */
import type { CheckPattern } from '../declared/pattern.ts';
import { Draft, type Imported } from './draft.ts';
import { importDbt } from './dbt-import.ts';
import { importFrictionless } from './frictionless-import.ts';
import { importGreatExpectations } from './great-expectations-import.ts';
import { importJsonSchema } from './json-schema-import.ts';
import { importOdcs } from './odcs-import.ts';

/** `table`: which one, of a document that describes several. Throws `Rejection` INVALID_RULES. */
type Import = (document: unknown, draft: Draft, table?: string) => Imported;

const IMPORTS = {
  'json-schema': importJsonSchema,
  odcs: importOdcs,
  dbt: importDbt,
  frictionless: importFrictionless,
  'great-expectations': importGreatExpectations,
} as const satisfies Record<string, Import>;

export type ImportFormat = keyof typeof IMPORTS;
export const IMPORT_FORMATS = Object.keys(IMPORTS) as ImportFormat[];

export const importRules = (
  format: ImportFormat,
  document: unknown,
  table?: string,
  checkPattern?: CheckPattern,
): Imported => (IMPORTS[format] as Import)(document, new Draft(checkPattern), table);
