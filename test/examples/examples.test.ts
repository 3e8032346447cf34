/** The examples do what their README says: its tables are read here. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, Service } from '../http/service.ts';

const folder = join(import.meta.dir, '../../examples');
const tables = readFileSync(join(folder, 'README.md'), 'utf8').split('\n## ').map(rowsOf);
const [verdicts, issues, drift] = tables;

/** The body rows of the first table of a section, as texts without their code marks. */
function rowsOf(section: string): string[][] {
  const lines = section
    .split('\n')
    .filter(line => line.startsWith('|'))
    .slice(2);
  return lines.map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim().replaceAll('`', '')),
  );
}

const named = (mark: string): string[] =>
  readdirSync(folder)
    .filter(name => name.includes(mark))
    .sort();

function post(service: Service, file: string): Promise<Answer> {
  const body = readFileSync(join(folder, file));
  if (file.endsWith('.json')) return service.post(new Uint8Array(body));
  return service.csv(new Uint8Array(body), { 'X-Source': file.split('-')[0]! });
}

/** `kind field severity` of every issue, as the second table lists them; what has no severity or field shows none. */
function issuesOf({ body }: Answer): string[] {
  return Object.entries(body.issues ?? {}).flatMap(([kind, found]) => {
    if (kind === 'duplicate_fields') return [`${kind} ${(found as string[]).join(', ')} `];
    // The names of the field of outliers once more.
    if (kind === 'outlier_fields') return [];
    if (kind === 'ragged_rows') return [`${kind}  ${(found as { severity: string }).severity}`];
    return Object.entries(found as object).map(
      ([name, { field = name, severity = '' }]) => `${kind} ${field} ${severity}`,
    );
  });
}

const listed = (table: string[][], file: string): string[] =>
  table.filter(([name]) => name === file).map(row => row.slice(1, 4).join(' '));

describe('an example without a baseline', () => {
  for (const file of named('-clean.'))
    test(`${file} is PASS with nothing to report`, async () => {
      const { status, body } = await post(new Service(), file);
      expect([status, body.status, body.issues]).toEqual([200, 'PASS', undefined]);
    });

  for (const file of named('-broken.'))
    test(`${file} has the verdict and the issues of the README`, async () => {
      const answer = await post(new Service(), file);
      expect(answer.body.status).toBe(verdicts!.find(([name]) => name === file)?.[1]);
      expect(issuesOf(answer).sort()).toEqual(listed(issues!, file).sort());
    });
});

describe('an example after the clean batch of its source', () => {
  for (const [file, , after] of verdicts!.filter(row => row[2] !== ''))
    test(`${file} has the verdict and the drift of the README`, async () => {
      const service = new Service();
      await post(service, file!.replace('broken', 'clean'));
      const { body } = await post(service, file!);
      expect(body.status).toBe(after);
      const events: { kind: string; field: string; severity: string }[] = body.drift;
      const found = events.map(({ kind, field, severity }) => `${kind} ${field} ${severity}`);
      expect(found.sort()).toEqual(listed(drift!, file!).sort());
    });
});
