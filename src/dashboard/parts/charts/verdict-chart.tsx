/** Verdicts over time as stacked bars. */
import { useMemo, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { VERDICTS, type Verdict } from '../../../terms/verdict.ts';
import { compact, grouped } from '../../../terms/wording.ts';
import type { VerdictSpan } from '../../contract.ts';
import { addressOf, jobsOf } from '../../route.ts';
import { DAY } from '../../time-line.ts';
import { date, dateTime } from '../../times.ts';
import { colour } from '../../use-scheme.ts';
import { axis, type Drawing, Plot, timeAxis } from './plot.tsx';

const HEIGHT = 200;

interface Props {
  /** Oldest first. */
  spans: readonly VerdictSpan[];
  /** Of a span, in ms. */
  width: number;
}

export function VerdictChart({ spans, width }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const data = useMemo(() => stacked(spans), [spans]);
  const shown = at === null ? null : spans[at]!;
  return (
    <>
      <p class="readout">
        <span>{shown === null ? 'Press a bar to see its jobs' : dateTime(shown.start)}</span>
        {VERDICTS.map(verdict => (
          <span key={verdict} class={`key ${verdict.toLowerCase()}`}>
            {verdict} {shown && <b>{grouped(countOf(shown, verdict))}</b>}
          </span>
        ))}
      </p>
      <Plot
        label={`Verdicts over time: ${described(spans)}`}
        height={HEIGHT}
        data={data}
        drawing={() => drawing(spans, width)}
        hover={setAt}
        pick={index => {
          location.hash = jobsIn(spans[index]!, width);
        }}
      />
      <Days spans={spans} width={width} />
    </>
  );
}

const countOf = (span: VerdictSpan, verdict: Verdict): number =>
  ({ PASS: span.passCount, WARN: span.warnCount, BLOCK: span.blockCount })[verdict];
const jobsOfSpan = (span: VerdictSpan): number =>
  VERDICTS.reduce((sum, verdict) => sum + countOf(span, verdict), 0);

/** The jobs of the days that a bar stands for. */
function jobsIn({ start }: VerdictSpan, width: number): string {
  const at = Date.parse(start);
  return addressOf(jobsOf(null, { from: dayOf(at), to: dayOf(at + width - 1) }));
}
/** `2026-11-23`, in the reader's time zone: so Sweden writes dates. */
const dayOf = (ms: number): string => new Date(ms).toLocaleDateString('sv');

/** What the bars show, for keyboards and screen readers: newest first, without days that had no job. */
function Days({ spans, width }: Props) {
  const known = spans.filter(span => jobsOfSpan(span) > 0).toReversed();
  if (known.length === 0) return null;
  return (
    <details class="settings">
      <summary>{width < DAY ? 'By time' : 'By day'}</summary>
      <ul class="said">
        {known.map(span => (
          <li key={span.start}>
            <a href={jobsIn(span, width)}>{width < DAY ? dateTime(span.start) : date(span.start)}</a>:{' '}
            {described([span])}
          </li>
        ))}
      </ul>
    </details>
  );
}

const described = (spans: readonly VerdictSpan[]): string =>
  VERDICTS.map(verdict => {
    const total = spans.reduce((sum, span) => sum + countOf(span, verdict), 0);
    return `${grouped(total)} ${verdict}`;
  }).join(', ');

/** The tallest bars are drawn first, the others over them. */
const stacked = (spans: readonly VerdictSpan[]): uPlot.AlignedData => [
  spans.map(({ start }) => Date.parse(start) / 1000),
  spans.map(jobsOfSpan),
  spans.map(({ warnCount, blockCount }) => warnCount + blockCount),
  spans.map(({ blockCount }) => blockCount),
];

function drawing(spans: readonly VerdictSpan[], width: number): Drawing {
  const bars = uPlot.paths.bars!({ size: [0.75, 28], align: 1 });
  const series = VERDICTS.map(verdict => ({
    fill: colour(`--${verdict.toLowerCase()}-fill`),
    width: 0,
    paths: bars,
    points: { show: false },
  }));
  return {
    cursor: { points: { show: false } },
    scales: {
      x: {
        time: true,
        range: [Date.parse(spans[0]!.start) / 1000, (Date.parse(spans.at(-1)!.start) + width) / 1000],
      },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      timeAxis(),
      axis({
        size: 40,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        values: (_, ticks) => ticks.map(compact),
      }),
    ],
    series: [{}, ...series],
  };
}
