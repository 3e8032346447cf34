/** The rules of a source: what holds, suggestions to accept, an editor, and who changed them. */
import { useState } from 'preact/hooks';
import {
  deleteRules,
  Failure,
  putRules,
  ruleChanges,
  rules as readRules,
  suggestedRules,
} from '../../api.ts';
import type { Answer, RulesDocument, SourceRules } from '../../contract.ts';
import { linesOf, shownJson, type Suggestion, suggestionsIn, withSuggestion } from '../../rules.ts';
import { dateTime } from '../../times.ts';
import { useAction } from '../../use-action.ts';
import { useLoaded } from '../../use-loaded.ts';
import { escaped, plural, quoted } from '../../../terms/wording.ts';
import { Confirm } from '../controls/confirm.tsx';
import { FailureNote } from '../frame/failure.tsx';
import { Panel } from '../frame/panel.tsx';
import { WhenLoaded } from '../frame/when-loaded.tsx';

interface Props {
  source: string;
  /** Loads again when this number changes. */
  changes: number;
  report: (message: string) => void;
}

export function Rules({ source, changes, report }: Props) {
  const [loaded, again] = useLoaded(
    async signal => {
      const [suggested, rules] = await Promise.all([
        suggestedRules(source, signal),
        rulesWithHistory(source, signal),
      ]);
      return { ...rules, suggestions: suggestionsIn(suggested) };
    },
    [source, changes],
  );
  const done = (message: string) => {
    report(message);
    again();
  };
  return (
    <Panel title="Rules">
      <WhenLoaded what="the rules of the source" loaded={loaded} again={again}>
        {({ current, version, suggestions, past }) => (
          <div class="judging">
            <Current current={current} />
            <Suggestions source={source} suggestions={suggestions} done={done} />
            <Editor key={version} source={source} current={current} version={version} done={done} />
            <Changes past={past} />
          </div>
        )}
      </WhenLoaded>
    </Panel>
  );
}

/** The rules are asked for only where there are some: browsers note every 404 in their console. */
async function rulesWithHistory(source: string, signal?: AbortSignal) {
  const past = await ruleChanges(source, signal);
  const isRuled = past[0] !== undefined && past[0].count > 0;
  const current = isRuled ? await readRules(source, signal) : null;
  return { current, version: current?.version ?? past[0]?.version ?? 0, past };
}

function Current({ current }: { current: SourceRules | null }) {
  if (current === null) return <p>This source has no rules.</p>;
  const lines = linesOf(current.rules);
  return (
    <>
      {current.rules.description && <p>{escaped(current.rules.description)}</p>}
      <ul aria-label="Rules that hold">
        {lines.map(({ path, value }) => (
          <li key={path} class="line">
            <code>{path}</code> <code>{value}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

interface SuggestionsProps {
  source: string;
  suggestions: readonly Suggestion[];
  done: (message: string) => void;
}

function Suggestions({ source, suggestions, done }: SuggestionsProps) {
  const { isActing, failure, run } = useAction();
  if (suggestions.length === 0) return null;
  const accept = (suggestion: Suggestion) =>
    run(async () => {
      // Somebody else, or a suggestion accepted a moment ago, may have changed the rules since the page was loaded.
      const { current, version } = await rulesWithHistory(source);
      await putRules(source, version, withSuggestion(current?.rules ?? null, suggestion));
      done(`${escaped(suggestion.rule)} holds from the next batch on.`);
    });
  return (
    <details class="settings">
      <summary>{plural(suggestions.length, 'suggested rule')}</summary>
      {failure && <FailureNote failure={failure} />}
      <ul>
        {suggestions.map(each => (
          <li key={each.rule} class="line">
            <span>
              <code>{escaped(each.rule)}</code> <code>{shownJson(each.value)}</code>
              <br />
              <bdi>{each.reason}</bdi>
            </span>
            <button type="button" disabled={isActing} onClick={() => accept(each)}>
              Accept<span class="unseen"> {escaped(each.rule)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface EditorProps {
  source: string;
  current: SourceRules | null;
  version: number;
  done: (message: string) => void;
}

const EXAMPLE: RulesDocument = { fields: { id: { nullable: false, unique: true } }, rows: { min: 1 } };

function Editor({ source, current, version, done }: EditorProps) {
  const [text, setText] = useState(JSON.stringify(current?.rules ?? EXAMPLE, null, 2));
  const [isAsked, setAsked] = useState(false);
  const { isActing, failure, run } = useAction();
  const save = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const { unknown_fields: unknown } = await putRules(source, version, parsed(text));
      done(`The rules are saved. They apply to the next batch.${unknownText(unknown)}`);
    });
  };
  return (
    <details class="settings">
      <summary>{current === null ? 'Write rules' : 'Edit the rules'}</summary>
      <form onSubmit={save}>
        <label>
          Rules as JSON
          <textarea
            rows={12}
            spellcheck={false}
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
        </label>
        {failure && <FailureNote failure={failure} />}
        <div class="dialog-actions">
          {current && (
            <button type="button" class="danger" onClick={() => setAsked(true)}>
              Delete all rules
            </button>
          )}
          <button type="submit" disabled={isActing}>
            Save rules
          </button>
        </div>
      </form>
      {isAsked && (
        <Confirm
          title="Delete all rules?"
          verb="Delete"
          act={() => deleteRules(source, version)}
          done={() => {
            setAsked(false);
            done('The rules are deleted.');
          }}
          close={() => setAsked(false)}
        >
          <p>The source is judged without them from the next batch on.</p>
        </Confirm>
      )}
    </details>
  );
}

function unknownText(unknown: Answer<'putRules'>['unknown_fields'] = []): string {
  if (unknown.length === 0) return '';
  const names = unknown.map(({ field, meant }) =>
    meant === undefined ? quoted(field) : `${quoted(field)} (is it ${quoted(meant)}?)`,
  );
  return ` No batch had ${names.slice(0, NAMES_SHOWN).join(', ')}${names.length > NAMES_SHOWN ? ', …' : ''}: the rules about such a field check nothing.`;
}

const NAMES_SHOWN = 5;

/** The server says what is wrong with rules; only the page knows what is wrong with the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(`This is no JSON: ${(error as Error).message}`, 'INVALID_JSON', 0);
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['put', 'changed'],
  ['deleted', 'deleted'],
  ['imported', 'imported'],
  ['rolled_back', 'brought back'],
]);

function Changes({ past }: { past: Answer<'listRuleChanges'>['changes'] }) {
  if (past.length === 0) return null;
  return (
    <details class="settings">
      <summary>{plural(past.length, 'change')} of the rules</summary>
      <ul>
        {past.map(({ version, at, by, reason, added, removed, changed }) => (
          <li key={version}>
            {dateTime(at)}: version {version} {REASONS.get(reason) ?? reason} by{' '}
            {by === null ? 'a person who was signed in' : <code>{by}</code>}:
            {[...paths('added', added), ...paths('removed', removed), ...paths('changed', changed)].join(
              '; ',
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

const paths = (what: string, list: readonly string[]): string[] =>
  list.length === 0 ? [] : [` ${what} ${escaped(list.join(', '))}`];
