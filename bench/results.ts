/** Writes the results of docs/speed.md between two markers, from a run of every bench, each in its own process. */
import { join } from 'node:path';
import { writeCharts } from './charts.ts';
import type { Run } from './benches.ts';
import { BESIDE, isMet, type ReadmeBench, type Runs, TARGETS, type Target } from './targets.ts';

const PAGE = join(import.meta.dir, '../docs/speed.md');
const MAIN = join(import.meta.dir, 'main.ts');
/** A record, so that the compiler finds a missing one. */
const RUN: Record<ReadmeBench, true> = {
  engine: true,
  http: true,
  load: true,
  throughput: true,
  memory: true,
  cold: true,
  guesses: true,
  statistics: true,
  cli: true,
};
const NAMES = Object.keys(RUN) as ReadmeBench[];
export const BEGIN = '<!-- bench: begin, written by `npm run bench -- readme` -->';
export const END = '<!-- bench: end -->';

/** Runs everything and writes the page and its charts. It takes minutes and needs an idle machine. */
export async function regenerate(seed: number): Promise<void> {
  const page = await Bun.file(PAGE).text();
  // Fails early if the page has no place for the results.
  replaceResults(page, '');
  const runs = Object.fromEntries(NAMES.map(name => [name, runAlone(name, seed)]));
  await Bun.write(PAGE, replaceResults(page, resultsText(runs as Runs)));
  await writeCharts();
}

function runAlone(name: ReadmeBench, seed: number): Run {
  const child = Bun.spawnSync([process.execPath, MAIN, name, '--json', '--seed', String(seed)], {
    stderr: 'inherit',
  });
  if (child.exitCode !== 0) throw new Error(`the bench ${name} has failed`);
  return JSON.parse(child.stdout.toString());
}

export const replaceResults = (page: string, text: string): string => replaceBetween(page, BEGIN, END, text);

/** Throws unless each marker is there once, in order. */
export function replaceBetween(page: string, begin: string, end: string, text: string): string {
  const [before, rest, ...others] = page.split(begin);
  const [, after, ...more] = rest?.split(end) ?? [];
  if (after === undefined || others.length + more.length > 0)
    throw new Error(`The page must hold once each, in this order, the lines ${begin} and ${end}`);
  return `${before}${begin}\n${text}\n${end}${after}`;
}

export function resultsText(runs: Runs): string {
  const [met, missed] = [true, false].map(wanted =>
    TARGETS.filter(target => {
      const figure = target.figure(runs);
      return figure !== null && isMet(target, figure) === wanted;
    }),
  );
  return [
    provenance(runs),
    table(
      ['Measure', 'Target', 'Measured'],
      met!.map(target => targetRow(target, runs)),
    ),
    ...(missed!.length > 0
      ? [
          'What is not reached, and what stands in the way:',
          missed!.map(each => missedLine(each, runs)).join('\n'),
        ]
      : []),
    'Beside the targets:',
    table(
      ['Measure', 'Measured'],
      BESIDE.map(target => [target.measure, withUnit(target, target.figure(runs)!)]),
    ),
    'The full screen in process on the ten shapes, as a share of the time of `JSON.parse` alone, and of decoding and `JSON.parse`:',
    table(['Shape', '`JSON.parse`', 'decode and parse', 'MB/s', 'rows/s'], shapeRows(runs)),
  ].join('\n\n');
}

function provenance({ engine }: Runs): string {
  const { cpu, cores, memory_gb, os, bun, papaparse, udsv } = engine.machine;
  return (
    `${engine.date.slice(0, 10)}, ${cores} cores of ${cpu}, ${memory_gb} GB, ${os}; Bun ${bun}, papaparse ${papaparse}, ` +
    `udsv ${udsv}; seed ${engine.seed}. Medians of interleaved runs, warm, on the same bytes; where the target is a maximum, a ratio below 1 is in our favour.`
  );
}

function targetRow(target: Target, runs: Runs): string[] {
  const { atMost, atLeast } = target;
  const bound = atMost === undefined ? `≥ ${withUnit(target, atLeast!)}` : `≤ ${withUnit(target, atMost)}`;
  return [target.measure, bound, withUnit(target, target.figure(runs)!)];
}

function missedLine(target: Target, runs: Runs): string {
  const [measure, bound, figure] = targetRow(target, runs);
  return `- ${measure}: ${figure} instead of ${bound}. ${target.limit ?? 'The cause is not known.'}`;
}

const withUnit = ({ unit }: Target, value: number): string => `${shown(value)} ${unit}`.trimEnd();

const shapeRows = ({ engine: { ratios, figures } }: Runs): string[][] =>
  Object.entries(ratios.shapes_decode).map(([name, decoded]) => {
    const { mb_per_s, rows_per_s } = figures[name]!.sluice!;
    return [
      name.replaceAll('_', ' '),
      shown(ratios.shapes_json[name]!),
      shown(decoded),
      shown(mb_per_s),
      rows_per_s.toLocaleString('en-US'),
    ];
  });

const shown = (value: number): string =>
  String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
