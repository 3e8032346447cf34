/** Screens a file or pasted rows. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, job } from '../api.ts';
import { EXAMPLE, InvalidInput, screenRequest, sourceFrom } from '../batch.ts';
import type { Profile, Report } from '../contract.ts';
import { type Content, emptyContent, fileContent, textContent } from '../content.ts';
import { DropZone } from '../parts/controls/drop-zone.tsx';
import { FailureNote } from '../parts/frame/failure.tsx';
import {
  FIRST_SETTINGS,
  optionsOf,
  type Settings,
  SettingsFields,
} from '../parts/source/settings-fields.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/frame/panel.tsx';
import { Progress } from '../parts/controls/progress.tsx';
import { ReportView } from '../parts/report/report.tsx';
import { screen, type Upload } from '../upload.ts';
import { asFailure } from '../use-loaded.ts';

type Outcome =
  | { state: 'none' }
  | { state: 'sending'; share: number; upload: Upload | null }
  | { state: 'failed'; failure: Failure }
  | { state: 'invalid'; message: string }
  | { state: 'done'; report: Report; profile: Profile | null };

export function Try({ source: given }: { source: string | null }) {
  const [source, setSource] = useState(given ?? '');
  const [content, setContent] = useState<Content>(emptyContent);
  const [settings, setSettings] = useState(FIRST_SETTINGS);
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' });
  const isSending = outcome.state === 'sending';

  const choose = async (file: File) => {
    setOutcome({ state: 'none' });
    try {
      setContent(await fileContent(file));
      setSource(before => before || sourceFrom(file.name));
    } catch (error) {
      setOutcome(outcomeOf(error));
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void screenContent({ source: source.trim(), content, settings }, setOutcome);
  };
  return (
    <Page title="Try it">
      <form class="try" onSubmit={submit}>
        <Panel title="Rows">
          <DropZone content={content} choose={choose} clear={() => setContent(emptyContent)} />
          {content.file === null && <RowsField text={content.text} change={setContent} />}
        </Panel>
        <Panel title="Source">
          <label for="source">Name of the pipeline or table that the rows belong to</label>
          <input
            id="source"
            required
            maxLength={200}
            autocomplete="off"
            placeholder="orders"
            value={source}
            onInput={({ currentTarget }) => setSource(currentTarget.value)}
          />
          <SettingsFields content={content} settings={settings} change={setSettings} />
          <button type="submit" class="primary screen" disabled={isSending}>
            {isSending ? 'Screening…' : 'Screen'}
          </button>
        </Panel>
      </form>
      <Result outcome={outcome} />
    </Page>
  );
}

const RowsField = ({ text, change }: { text: string; change: (content: Content) => void }) => (
  <>
    <div class="label-line">
      <label for="rows">Or paste rows: CSV with a header line, JSON, or one JSON object on each line</label>
      <button type="button" class="quiet" onClick={() => change(textContent(EXAMPLE))}>
        Use an example
      </button>
    </div>
    <textarea
      id="rows"
      rows={8}
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => change(textContent(currentTarget.value))}
    />
  </>
);

function Result({ outcome }: { outcome: Outcome }) {
  const result = useRef<HTMLDivElement>(null);
  const isDone = outcome.state === 'done';
  // Readers wait for the verdict: move the focus there.
  useEffect(() => {
    if (!isDone) return;
    result.current?.focus({ preventScroll: true });
    result.current?.scrollIntoView({ block: 'start' });
  }, [isDone]);
  return (
    <>
      <div aria-live="polite" class="announcement">
        {outcome.state === 'sending' && (
          <Progress share={outcome.share} stop={outcome.upload?.stop ?? null} />
        )}
        {isDone && (
          <p class="unseen">
            {outcome.report.status}: {outcome.report.decision.reason}
          </p>
        )}
      </div>
      {outcome.state === 'invalid' && (
        <div class="note block" role="alert">
          <p>{outcome.message}</p>
        </div>
      )}
      {outcome.state === 'failed' && <FailureNote failure={outcome.failure} />}
      {isDone && (
        <div ref={result} tabIndex={-1} class="result">
          <ReportView report={outcome.report} profile={outcome.profile} />
        </div>
      )}
    </>
  );
}

interface Entered {
  source: string;
  content: Content;
  settings: Settings;
}

type SetOutcome = (next: Outcome | ((before: Outcome) => Outcome)) => void;

async function screenContent({ source, content, settings }: Entered, set: SetOutcome): Promise<void> {
  set({ state: 'sending', share: 0, upload: null });
  try {
    const options = optionsOf(settings);
    const { blob, format, delimiter, charset, coding } = await content.ready(settings.charset);
    const choices = {
      ...{ options, source, charset, coding },
      delimiter: settings.delimiter ?? delimiter,
      headerLine: settings.headerLine === '' ? null : Number(settings.headerLine),
      escapeCharacter: settings.escape || null,
    };
    const upload = screen(await screenRequest(blob, format, choices), share =>
      set(before => (before.state === 'sending' ? { ...before, share } : before)),
    );
    set({ state: 'sending', share: 0, upload });
    const report = await upload.report;
    set({ state: 'done', report, profile: null });
    if (!report.stats.dry_run) set({ state: 'done', report, profile: await profileOf(report) });
  } catch (error) {
    set(outcomeOf(error));
  }
}

/** Null if it cannot be loaded: the report is complete without it. */
async function profileOf({ request_id }: Report): Promise<Profile | null> {
  try {
    return (await job(request_id)).profile;
  } catch {
    return null;
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof InvalidInput) return { state: 'invalid', message: error.message };
  if (error instanceof DOMException && error.name === 'AbortError') return { state: 'none' };
  return { state: 'failed', failure: asFailure(error) };
}
