/** A source as the API describes it. */
import type { Baseline } from '../baseline/baseline.ts';
import { describeBaseline } from '../baseline/describe.ts';
import type { Advice } from '../report-schema/report.ts';
import { advise } from '../judge/advice.ts';
import { settledMode } from '../judge/auto-mode.ts';
import { type BlockedRun, type Cause, isOver } from '../judge/blocked-run.ts';
import { type AskedMode, askedOf } from '../options/options.ts';
import { settingsIn, settledOptions } from '../options/settings.ts';
import type { SourceNotes } from '../stores/ports.ts';

export interface DescribedSource {
  batches: number;
  rows: number;
  provisional: boolean;
  mode: AskedMode;
  pinned: boolean;
  /** The current run of BLOCKed batches. */
  run: BlockedRun | null;
  advice: Advice[];
  /** A JSON object of all fields: there may be thousands. */
  fields: string;
}

export function describeSource(
  baseline: Baseline,
  notes: SourceNotes,
  { defaultMode }: { defaultMode: AskedMode },
): DescribedSource {
  const { fields, ...facts } = describeBaseline(baseline);
  const asked = settledOptions(settingsIn(notes.settings), defaultMode);
  const { mode, thresholds } = settledMode(asked, baseline, notes.run);
  const run = runIn(notes, baseline);
  const names = new Set([...baseline.fields.keys(), ...(run?.causes.map(({ field }) => field) ?? [])]);
  const advice = mode === 'contract' ? advise(names, baseline, run, thresholds) : [];
  return {
    ...facts,
    mode: askedOf(asked),
    pinned: notes.pinned,
    run,
    advice,
    fields: JSON.stringify(fields),
  };
}

function runIn({ run }: SourceNotes, baseline: Baseline): BlockedRun | null {
  if (run === null || isOver(run, baseline)) return null;
  return { ...run, causes: JSON.parse(run.causes) as Cause[] };
}
