/** Suites of Great Expectations, as its files and its cloud hold them → rules. */
import type { Draft, Imported } from './draft.ts';
import { translate } from './expectations.ts';
import { invalid, isMembers, listOf, membersOf } from './members.ts';

export function importGreatExpectations(document: unknown, draft: Draft): Imported {
  const expectations = Array.isArray(document) ? document : membersOf(document).expectations;
  if (!Array.isArray(expectations))
    throw invalid('rules: a suite must have a list of expectations; is the format right?');
  const notes = membersOf(membersOf(document).meta).notes;
  draft.description(contentOf(notes));
  for (const [i, each] of listOf(expectations).entries()) {
    const {
      expectation_type,
      type = expectation_type,
      kwargs,
      meta,
      severity,
      description,
    } = membersOf(each);
    const path = `expectations[${i}]`;
    if (typeof type !== 'string') draft.unsupported(path, 'An expectation without a type');
    else
      translate(
        {
          path: `${path} (${type.slice(0, 100)})`,
          type: type.toLowerCase(),
          args: membersOf(kwargs),
          modifiers: {
            severity: severity === 'warning' || severity === 'info' ? 'warn' : undefined,
            description: contentOf(description ?? membersOf(meta).notes)?.slice(0, 1000),
          },
        },
        draft,
      );
  }
  return draft.finish();
}

/** Notes are a text, a list of texts, or an object with either. */
function contentOf(notes: unknown): string | undefined {
  const content = isMembers(notes) ? notes.content : notes;
  const text = listOf(content).length > 0 ? listOf(content).join(' ') : content;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
