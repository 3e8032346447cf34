/** Runs an engine on made-up batches until the runtime has optimised its code: the first call is several times slower. */
import { Format, Status } from '../../assembly/abi.ts';
import type { Engine } from './engine.ts';

const ROWS = 500;
const ROUNDS = 10;

/** Takes about 20 ms. All engines of the module share the optimised code. */
export function warmUp(engine: Engine): void {
  const salt = new Uint8Array(32);
  const json = new TextEncoder().encode(
    JSON.stringify({ rows: Array.from({ length: ROWS }, (_, i) => row(i)) }),
  );
  const csv = new TextEncoder().encode(csvOf(Array.from({ length: ROWS }, (_, i) => row(i))));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [format, body] of [
      [Format.JSON, json],
      [Format.CSV, csv],
    ] as const) {
      engine.begin({ format, delimiter: 0x2c, salt });
      engine.write(body);
      if (engine.end() !== Status.DONE)
        throw new Error(`the warm-up batch was refused: ${JSON.stringify(engine.refusal())}`);
      engine.measure(ROWS);
    }
  }
}

/** A row with a cell for each code path. */
function row(i: number): Record<string, unknown> {
  return {
    id: i,
    amount: i * 1.37 + 0.123,
    precise: Math.sqrt(i + 0.5),
    status: ['open', 'paid', 'refunded'][i % 3],
    note: `line "${i}"\nof a longer text that fills more than one vector`,
    active: i % 2 === 0,
    tags: ['a', { b: i }],
    gap: i % 5 === 0 ? null : '',
  };
}

function csvOf(rows: Record<string, unknown>[]): string {
  const cell = (value: unknown): string => `"${String(value ?? '').replaceAll('"', '""')}"`;
  const lines = rows.map((each, i) =>
    Object.values(each)
      .map(value => (i % 2 === 0 ? cell(value) : cell(value).replaceAll(/["\n,]/g, '')))
      .join(','),
  );
  return [Object.keys(rows[0]!).join(','), ...lines].join('\n');
}
