/** Verdicts over time as stacked bars. */
import { useMemo, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { type Verdict, VERDICTS } from '../../verdict.ts';
import type { Job } from '../contract.ts';
import { type Span, spansOf, widthFor } from '../time-line.ts';
import { colour } from '../use-scheme.ts';
import { compact, grouped } from '../../wording.ts';
import { addressOf, jobsOf } from '../route.ts';
import { date, dateTime } from '../times.ts';
import { axis, type Drawing, Plot, timeAxis } from './plot.tsx';

const HEIGHT = 200;

interface Props {
  jobs: readonly Job[];
  /** In ms. */
  from: number;
  to: number;
}

export function VerdictChart({ jobs, from, to }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const { spans, width, data } = useMemo(() => {
    const span = widthFor(from, to);
    const all = spansOf(jobs, from, to, span);
    return { spans: all, width: span, data: stacked(all) };
  }, [jobs, from, to]);
  const shown = at === null ? totalOf(spans) : spans[at]!.verdicts;
  return (
    <>
      <p class="readout">
        <span>{at === null ? 'Total' : dateTime(new Date(spans[at]!.at).toISOString())}</span>
        {VERDICTS.map(verdict => (
          <span key={verdict} class={`key ${verdict.toLowerCase()}`}>
            {verdict} <b>{grouped(shown[verdict])}</b>
          </span>
        ))}
      </p>
      <Plot
        label={described(spans)}
        height={HEIGHT}
        data={data}
        drawing={() => drawing(spans[0]!.at, to, width)}
        hover={setAt}
        pick={index => {
          location.hash = jobsIn(spans[index]!, width);
        }}
      />
      <Days spans={spans} width={width} />
    </>
  );
}

/** The jobs of the days that a bar stands for. */
const jobsIn = ({ at }: Span, width: number): string =>
  addressOf(jobsOf(null, { from: dayOf(at), to: dayOf(at + width - 1) }));
/** `2026-11-23`, in the reader's time zone: so Sweden writes dates. */
const dayOf = (ms: number): string => new Date(ms).toLocaleDateString('sv');

/** What the bars show, for keyboards and screen readers: newest first, without days that had no job. */
function Days({ spans, width }: { spans: readonly Span[]; width: number }) {
  const known = spans.filter(({ verdicts: { PASS, WARN, BLOCK } }) => PASS + WARN + BLOCK > 0).toReversed();
  if (known.length === 0) return null;
  return (
    <details class="settings">
      <summary>{width < DAY_MS ? 'By time' : 'By day'}: press a bar, or choose here, to see its jobs</summary>
      <ul class="said">
        {known.map(span => (
          <li key={span.at}>
            <a href={jobsIn(span, width)}>
              {width < DAY_MS
                ? dateTime(new Date(span.at).toISOString())
                : date(new Date(span.at).toISOString())}
            </a>
            : {VERDICTS.map(verdict => `${grouped(span.verdicts[verdict])} ${verdict}`).join(', ')}
          </li>
        ))}
      </ul>
    </details>
  );
}

const DAY_MS = 86_400_000;

const totalOf = (spans: readonly Span[]): Record<Verdict, number> => {
  const sum = (verdict: Verdict) => spans.reduce((total, { verdicts }) => total + verdicts[verdict], 0);
  return { PASS: sum('PASS'), WARN: sum('WARN'), BLOCK: sum('BLOCK') };
};

function described(spans: readonly Span[]): string {
  const total = totalOf(spans);
  return `Verdicts over time: ${VERDICTS.map(verdict => `${grouped(total[verdict])} ${verdict}`).join(', ')}`;
}

/** The tallest bars are drawn first, the others over them. */
const stacked = (spans: readonly Span[]): uPlot.AlignedData => [
  spans.map(({ at }) => at / 1000),
  spans.map(({ verdicts: { PASS, WARN, BLOCK } }) => PASS + WARN + BLOCK),
  spans.map(({ verdicts: { WARN, BLOCK } }) => WARN + BLOCK),
  spans.map(({ verdicts: { BLOCK } }) => BLOCK),
];

function drawing(from: number, to: number, width: number): Drawing {
  const bars = uPlot.paths.bars!({ size: [0.75, 28], align: 1 });
  const series = VERDICTS.map(verdict => ({
    fill: colour(`--${verdict.toLowerCase()}-fill`),
    width: 0,
    paths: bars,
    points: { show: false },
  }));
  return {
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: true, range: [from / 1000, (to + width) / 1000] },
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
