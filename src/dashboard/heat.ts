/** The rows of the heat map: the null rate of a field in each batch, oldest batch first. */
import { type Batch, lookup } from './contract.ts';

export interface HeatRow {
  name: string;
  /** 0..1 by batch; null if the batch lacks the field. */
  rates: (number | null)[];
}

/** Sorted by the range of the null rate, then by its mean (both descending), then by name. */
export function heatRows(batches: readonly Batch[]): HeatRow[] {
  const rates = batches.map(({ null_rates }) => lookup(null_rates));
  const names = new Set(rates.flatMap(map => [...map.keys()]));
  const rows = [...names].map(name => ({ name, rates: rates.map(map => map.get(name) ?? null) }));
  const keyed = rows.map(row => ({ row, spread: spread(row), mean: mean(row) }));
  keyed.sort((a, b) => b.spread - a.spread || b.mean - a.mean || (a.row.name < b.row.name ? -1 : 1));
  return keyed.map(({ row }) => row);
}

const known = ({ rates }: HeatRow): number[] => rates.filter(rate => rate !== null);

function spread(row: HeatRow): number {
  const rates = known(row);
  return rates.reduce((a, b) => Math.max(a, b), 0) - rates.reduce((a, b) => Math.min(a, b), 1);
}

function mean(row: HeatRow): number {
  const rates = known(row);
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}

/** Number of shades. The first one is for a rate of 0 only. */
export const SHADES = 8;

/** The shade of a rate in 0..1. Low rates get more shades: a rise from 0 to 2% matters more than one from 60 to 62%. */
export const shadeOf = (rate: number): number =>
  rate <= 0 ? 0 : Math.min(SHADES - 1, 1 + Math.floor(Math.sqrt(rate) * (SHADES - 1)));
