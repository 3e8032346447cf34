/** What must hold when all clients are done: answered = ledger = jobs = baseline, each batch once. */
import type { Batch, Clients } from './batches.ts';
import type { Held } from './held.ts';

/** Each violation in a line. */
export function* violationsOfBatches(clients: Clients, held: Held): Generator<string> {
  const jobs = grouped(held.jobs, ({ job }) => clients.batchOf(job.id));
  for (const batch of clients.batches) yield* violationsOf(batch, jobs.get(batch) ?? []);
  const rows = held.jobs.reduce((sum, { job }) => sum + job.rowsReceived, 0);
  if (rows !== held.ledger.rows || held.jobs.length !== held.ledger.requests)
    yield `the ledger has ${held.ledger.rows} rows of ${held.ledger.requests} requests, the jobs ${rows} of ${held.jobs.length}`;
}

function* violationsOf(batch: Batch, jobs: Held['jobs']): Generator<string> {
  const name = `batch ${batch.number}`;
  if (jobs.length > 1) yield `${name} has ${jobs.length} jobs`;
  const [first, ...others] = batch.answers;
  if (first === undefined) return;
  if (jobs.length === 0) yield `${name} was answered and has no job`;
  for (const { job, report } of jobs)
    if (job.id !== first.report.request_id || report !== first.body)
      yield `${name} was answered with another report than is kept`;
  for (const other of others) if (other.body !== first.body) yield `${name} got two different answers`;
  if (first.report.stats.rows_received !== batch.rows) yield `${name} was answered for other rows`;
}

/** Of a run without feedback: each baseline holds each batch that was answered, once. */
export function* violationsOfBaselines(clients: Clients, held: Held): Generator<string> {
  const jobs = grouped(held.jobs, ({ job }) => clients.batchOf(job.id));
  for (const source of clients.sources) {
    const learned = grouped(held.baselines.get(source) ?? [], ({ id }) => clients.batchOf(id));
    for (const batch of clients.batches) {
      if (batch.source !== source) continue;
      const times = learned.get(batch)?.length ?? 0;
      const [kept] = jobs.get(batch) ?? [];
      if (times > 1) yield `batch ${batch.number} was learned ${times} times`;
      if (kept !== undefined && kept.job.status !== 'BLOCK' && times === 0)
        yield `batch ${batch.number} was answered and not learned`;
      if (kept?.job.status === 'BLOCK' && times > 0)
        yield `batch ${batch.number} was learned in spite of a BLOCK`;
      if (kept === undefined && times > 0 && !mayBeCut(batch, held))
        yield `batch ${batch.number} was learned and has no job`;
    }
  }
}

/** A batch may be learned and have no job if a gate was killed and nobody got an answer to it afterwards. */
const mayBeCut = ({ answers }: Batch, { kills }: Held): boolean => answers.length === 0 && kills > 0;

export function grouped<T, Key>(list: readonly T[], keyOf: (each: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const each of list) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}
