/** duplicate_fields: names that are repeated, or that a careless reader takes for one. */
import { quoted } from '../terms/errors.ts';
import type { Kind } from './finding.ts';

export interface DuplicateFieldsEvidence {
  names: string[];
}

export const duplicateFields: Kind<'duplicate_fields', DuplicateFieldsEvidence> = {
  name: 'duplicate_fields',
  description: 'Field names are repeated, or differ only in case, spaces, `_` or `-`',
  comparesWithBaseline: false,
  healthGroup: null,
  penalty: () => 0,
  words: ({ evidence }) => `Duplicate fields: ${evidence.names.map(quoted).join(', ')}`,
  rowCode: null,
  rows: () => null,
  batchCode: () => null,
  listsInfo: true,
  issue({ evidence }, issues) {
    issues.duplicate_fields = evidence.names;
  },
};
