/** Rules as documents of other programs. */
import type { DeclaredRules } from '../declared/constraint.ts';
import type { RulesDocument } from '../declared/document.ts';
import { parseRules } from '../declared/parse.ts';
import { exportGreatExpectations } from './great-expectations-export.ts';
import { exportJsonSchema } from './json-schema-export.ts';
import { exportOdcs } from './odcs-export.ts';
import type { Unsupported } from './draft.ts';

export interface Exported {
  document: object;
  /** What the format cannot say, by its path in the rules. */
  unsupported: Unsupported[];
}

const EXPORTS = {
  odcs: exportOdcs,
  'json-schema': exportJsonSchema,
  'great-expectations': exportGreatExpectations,
} as const;

export type ExportFormat = keyof typeof EXPORTS;
export const EXPORT_FORMATS = Object.keys(EXPORTS) as ExportFormat[];

/** `name`: of the source. */
export function exportRules(format: ExportFormat, rules: RulesDocument, name: string): Exported {
  const declared: DeclaredRules = parseRules(rules);
  const { document, say } = EXPORTS[format](declared, name);
  const unsupported = declared.constraints.flatMap(constraint => {
    const reason = say(constraint);
    return reason === null ? [] : [{ path: constraint.rule, reason }];
  });
  return { document: document(), unsupported };
}
