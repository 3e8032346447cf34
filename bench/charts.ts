/** Draws the charts of docs/speed.md and docs/accuracy.md from the tables of these pages, as SVG. */
import { join } from 'node:path';

const DOCS = join(import.meta.dir, '../docs');

export interface Bar {
  name: string;
  value: number;
  /** Drawn dark: ours. */
  isOurs: boolean;
}

export async function writeCharts(): Promise<void> {
  for (const [file, svg] of Object.entries(await charts())) await Bun.write(join(DOCS, 'images', file), svg);
}

/** The charts by their file names. */
export async function charts(): Promise<Record<string, string>> {
  const speed = await Bun.file(join(DOCS, 'speed.md')).text();
  const accuracy = await Bun.file(join(DOCS, 'accuracy.md')).text();
  const shapes = rowsBelow(speed, '| Shape |').map(([name, json]) => ({
    name: name!,
    value: Number(json),
    isOurs: true,
  }));
  const judges = rowsBelow(accuracy, '| Held-out sources |').map(row => ({
    name: row[0]!.replace(/[*`]/g, ''),
    value: Number(row[2]),
    isOurs: /adaptive|contract/.test(row[0]!),
  }));
  return {
    'speed.svg': barChart('Time of a full screen, where JSON.parse alone is 1', [
      ...shapes,
      { name: 'JSON.parse', value: 1, isOurs: false },
    ]),
    'accuracy.svg': barChart('F1 on held-out simulated sources (1 is perfect)', judges),
  };
}

/** The cells of the table whose head begins so. */
function rowsBelow(page: string, head: string): string[][] {
  const [, table] = page.split(`\n${head}`);
  if (table === undefined) throw new Error(`There is no table that begins with ${head}`);
  const lines = table.split('\n').slice(2);
  return lines
    .slice(
      0,
      lines.findIndex(line => !line.startsWith('|')),
    )
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    );
}

const ROW = 26;
const LEFT = 260;
const WIDTH = 420;

export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const height = 48 + bars.length * ROW;
  const drawn = bars.map(({ name, value, isOurs }, i) => {
    const [y, length] = [40 + i * ROW, Math.round((value / most) * WIDTH)];
    return [
      `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end">${escaped(name)}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${length}" height="18" fill="${isOurs ? '#14648a' : '#9aa5b1'}"/>`,
      `<text x="${LEFT + length + 6}" y="${y + 14}">${value}</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="${escaped(title)}">`,
    `<rect width="760" height="${height}" fill="#fff"/>`,
    `<text x="10" y="22" font-size="15" font-weight="600">${escaped(title)}</text>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
