/**
 * Does parsing, checking and profiling every cell cost less than parsing alone?
 *
 * In process and warm. We always run the full screen. A ratio is our median / a peer's median on the same payloads, except for the
 * plain profile, where it is the peer's / ours. In `wide_json`, `narrow_json` and `geomean_json` (the mean over the ten shapes)
 * `JSON.parse` gets decoded text for free; in `shapes_decode` it must decode the bytes.
 */
import Papa from 'papaparse';
import { inferSchema, initParser } from 'udsv';
import type { Engine } from '../src/engine/engine.ts';
import { checkAgreement } from './agree.ts';
import { type Figure, figuresOf, mean } from './figures.ts';
import { newEngine, screenCsv, screenJson } from './in-process.ts';
import { peakRssMb } from './machine.ts';
import {
  type Check,
  csvText,
  fullScan,
  type Payload,
  payloadsOf,
  plainCsv,
  quotedCsv,
  type Table,
  type Write,
} from './payloads.ts';
import { plainProfile } from './plain-profile.ts';
import { type Contestants, ratioOf, rounded } from './race.ts';
import { SHAPES } from './shapes.ts';
import { narrowTable, type Row, wideTable } from './tables.ts';

export interface EngineEffort {
  rows: number;
  /** Payloads of each kind that take turns. */
  payloads: number;
  /** Time for the wide table as JSON and as CSV. Each other input gets a third of it. */
  budgetMs: number;
  rounds: number;
  warmRounds: number;
}

export const ENGINE_EFFORT: EngineEffort = {
  rows: 10_000,
  payloads: 3,
  budgetMs: 4200,
  rounds: 60,
  warmRounds: 4,
};

export interface EngineResult {
  ratios: {
    wide_json: number;
    narrow_json: number;
    geomean_json: number;
    csv_wide_udsv: number;
    csv_wide_udsv_typed: number;
    csv_wide_papaparse: number;
    plain_profile_wide: number;
    shapes_json: Record<string, number>;
    shapes_decode: Record<string, number>;
    csv_udsv: Record<string, number>;
  };
  /** By input, then by contestant. */
  figures: Record<string, Record<string, Figure>>;
  peak_rss_mb: number;
}

type Figures = Record<string, Figure>;
type Inputs = Record<string, Figures>;

export async function benchEngine(seed: number, effort = ENGINE_EFFORT): Promise<EngineResult> {
  const engine = await newEngine();
  const tables = await overTables(engine, seed, effort);
  const shapes = await overShapes(engine, seed, effort);
  const csv = await overCsv(engine, seed, effort);
  return {
    ratios: ratiosIn(tables, shapes, csv),
    figures: { ...tables, ...shapes, ...csv },
    peak_rss_mb: peakRssMb(),
  };
}

async function overTables(engine: Engine, seed: number, effort: EngineEffort): Promise<Inputs> {
  const wide = payloadsOf(seed, effort, wideTable, fullScan(), jsonCheck(engine));
  const narrow = payloadsOf(seed, effort, narrowTable, fullScan(), jsonCheck(engine));
  return {
    wide: await figuresOf(jsonContestants(engine), wide, effort),
    wide_plain_profile: await figuresOf(plainContestants(engine), wide, part(effort)),
    narrow: await figuresOf(jsonContestants(engine), narrow, part(effort)),
  };
}

async function overShapes(engine: Engine, seed: number, effort: EngineEffort): Promise<Inputs> {
  const inputs: Inputs = {};
  for (const [name, { rows, indent }] of Object.entries(SHAPES)) {
    const payloads = payloadsOf(seed, effort, rows, fullScan(indent), jsonCheck(engine));
    inputs[name] = await figuresOf(jsonContestants(engine), payloads, part(effort));
  }
  return inputs;
}

async function overCsv(engine: Engine, seed: number, effort: EngineEffort): Promise<Inputs> {
  const figures = (table: Table, write: Write, time: EngineEffort) =>
    figuresOf(csvContestants(engine), payloadsOf(seed, effort, table, write, csvCheck(engine)), time);
  return {
    csv_wide: await figures(wideTable, plainCsv, effort),
    csv_narrow: await figures(narrowTable, plainCsv, part(effort)),
    csv_quoted: await figures(wideTable, quotedCsv, part(effort)),
  };
}

const part = (effort: EngineEffort): EngineEffort => ({ ...effort, budgetMs: effort.budgetMs / 3 });

function ratiosIn(tables: Inputs, shapes: Inputs, csv: Inputs): EngineResult['ratios'] {
  const shapesJson = ratiosTo('json_parse', shapes);
  const plain = tables.wide_plain_profile!;
  return {
    wide_json: against('json_parse', tables.wide!),
    narrow_json: against('json_parse', tables.narrow!),
    geomean_json: geometricMean(Object.values(shapesJson)),
    csv_wide_udsv: against('udsv_strings', csv.csv_wide!),
    csv_wide_udsv_typed: against('udsv_typed', csv.csv_wide!),
    csv_wide_papaparse: against('papaparse', csv.csv_wide!),
    plain_profile_wide: ratioOf(plain.parse_and_plain_profile!, plain.sluice!),
    shapes_json: shapesJson,
    shapes_decode: ratiosTo('decode_and_parse', shapes),
    csv_udsv: ratiosTo('udsv_strings', csv),
  };
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const jsonContestants = (engine: Engine): Contestants<Payload> => ({
  sluice: ({ bytes }) => screenJson(engine, bytes),
  json_parse: ({ text }) => JSON.parse(text),
  decode_and_parse: ({ bytes }) => JSON.parse(decode(bytes)),
});

const plainContestants = (engine: Engine): Contestants<Payload> => ({
  sluice: ({ bytes }) => screenJson(engine, bytes),
  parse_and_plain_profile: ({ text }) => plainProfile(JSON.parse(text).rows),
});

/** Peers get decoded text for free, and each knows the schema of the text in advance, as with its users. */
const udsvStrings = (text: string): string[][] => initParser(inferSchema(text)).stringArrs(text);
const udsvTyped = (text: string): unknown[][] => initParser(inferSchema(text)).typedArrs(text);
const papaObjects = (text: string): Row[] =>
  Papa.parse<Row>(text, { header: true, skipEmptyLines: true }).data;
const papaArrays = (text: string): string[][] => Papa.parse<string[]>(text, { skipEmptyLines: true }).data;

const csvContestants = (engine: Engine): Contestants<Payload> => ({
  sluice: ({ bytes }) => screenCsv(engine, bytes),
  udsv_strings: ({ text }) => udsvStrings(text),
  udsv_typed: ({ text }) => udsvTyped(text),
  papaparse: ({ text }) => papaObjects(text),
  papaparse_arrays: ({ text }) => papaArrays(text),
});

const jsonCheck =
  (engine: Engine): Check =>
  ({ bytes, text }) =>
    checkAgreement(screenJson(engine, bytes), plainProfile(JSON.parse(text).rows));

/** Our profile of the CSV must equal the plain profile of the rows it was written from; the peers must return the texts of the rows. */
const csvCheck =
  (engine: Engine): Check =>
  ({ bytes, text }, rows) => {
    checkAgreement(screenCsv(engine, bytes), plainProfile(rows));
    const written = JSON.stringify(rows.map(row => Object.values(row).map(csvText)));
    const read: Record<string, unknown> = {
      udsv: udsvStrings(text),
      papaparse: papaObjects(text).map(row => Object.values(row)),
      'papaparse arrays': papaArrays(text).slice(1),
    };
    for (const [peer, cells] of Object.entries(read))
      if (JSON.stringify(cells) !== written) throw new Error(`${peer} reads other cells than were written`);
    if (udsvTyped(text).length !== rows.length) throw new Error('udsv typed reads another number of rows');
  };

const against = (peer: string, figures: Figures): number => ratioOf(figures.sluice!, figures[peer]!);

const ratiosTo = (peer: string, inputs: Record<string, Figures>): Record<string, number> =>
  Object.fromEntries(Object.entries(inputs).map(([name, figures]) => [name, against(peer, figures)]));

const geometricMean = (values: number[]): number => rounded(Math.exp(mean(values.map(Math.log))));
