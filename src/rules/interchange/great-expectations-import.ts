/** Suites of Great Expectations, as its files and its cloud hold them → rules. */
import { shortened } from '../../terms/wording.ts';
import { type Draft, type Imported, shortText } from './draft.ts';
import { translate } from './expectations.ts';
import { invalid, isMembers, isSet, listOf, type Members, membersOf, named, textOf } from './members.ts';

/** Members for people and for how expectations are run. */
const OF_SUITE = named(
  'name expectation_suite_name data_asset_type id ge_cloud_id suite_parameters evaluation_parameters notes',
);
const OF_EXPECTATION = named('id ge_cloud_id notes expectation_context rendered_content success_on_last_run');
const OF_KWARGS = named(
  'batch_id result_format catch_exceptions include_config meta condition_parser auto profiler_config',
);

export function importGreatExpectations(document: unknown, draft: Draft): Imported {
  const suite = Array.isArray(document) ? { expectations: document } : document;
  if (!Array.isArray(membersOf(suite).expectations))
    throw invalid('rules: a suite must have a list of expectations; is the format right?');
  draft.object('', suite, OF_SUITE, ({ meta, expectations }) => {
    draft.description(contentOf(membersOf(meta).notes));
    for (const [i, each] of listOf(expectations).entries()) {
      const { expectation_type, type = expectation_type } = membersOf(each);
      const path = `expectations[${i}]`;
      if (typeof type !== 'string') draft.unsupported(path, 'An expectation without a type');
      else {
        const at = `${path} (${shortened(type, 100)})`;
        draft.object(at, each, OF_EXPECTATION, given => expectation(at, type.toLowerCase(), given, draft));
      }
    }
  });
  return draft.finish();
}

function expectation(path: string, type: string, given: Members, draft: Draft): void {
  const { type: _, expectation_type: __, kwargs, meta, severity, description } = given;
  if (isSet(severity) && !['critical', 'warning', 'info'].includes(textOf(severity)))
    draft.unsupported(`${path}.severity`, 'It is critical, warning or info');
  const note = contentOf(description ?? membersOf(meta).notes);
  const modifiers = {
    severity: severity === 'warning' || severity === 'info' ? ('warn' as const) : undefined,
    description: note === undefined ? undefined : shortText(note),
  };
  draft.object(`${path}.kwargs`, kwargs ?? {}, OF_KWARGS, args =>
    translate({ path, type, args, modifiers }, draft),
  );
}

/** Notes are a text, a list of texts, or an object with either. */
function contentOf(notes: unknown): string | undefined {
  const content = isMembers(notes) ? notes.content : notes;
  const text = Array.isArray(content) ? content.map(textOf).join(' ') : content;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}
