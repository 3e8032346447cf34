/**
 * Cuts a file in a thread of its own, one batch ahead of the screening: two cores work on it.
 *
 * Cutting takes as long as parsing, some 40% of the whole, and needs nothing that the screening makes. The thread has its own
 * engine (some 40 MB).
 */
import type { FileBatch } from './batches.ts';
import { Failure } from './failure.ts';
import type { Reading } from './reading.ts';
import type { CutFile } from './cut-file.ts';

export interface CutOrder {
  file: string;
  reading: Reading;
}

/** A file to open; then `next` for a batch; at last `end`, which closes the file and removes copies. */
export type CutMessage = CutOrder | 'next' | 'end';

interface Opened {
  opened: Omit<CutFile, 'batches'>;
}

interface Cut {
  batch: FileBatch | null;
  /** Read from the file since the last reply. */
  bytes: number;
}

export type CutReply =
  | Opened
  | Cut
  | { ended: true }
  | { failure: Pick<Failure, 'message' | 'file' | 'line'> }
  | { bug: unknown };

const THREAD = new URL('cutting-thread.ts', import.meta.url);

/** As `cutFile`, for a file on disk. The thread ends with the batches. */
export async function cutAhead(order: CutOrder, onBytes: (bytes: number) => void): Promise<CutFile> {
  const worker = new Worker(THREAD);
  try {
    const { opened } = await replyTo<Opened>(worker, order);
    return { ...opened, batches: batchesFrom(worker, onBytes) };
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

async function* batchesFrom(worker: Worker, onBytes: (bytes: number) => void): AsyncGenerator<FileBatch> {
  const ask = () => {
    const reply = replyTo<Cut>(worker, 'next');
    // Handled when the batch is wanted.
    reply.catch(() => {});
    return reply;
  };
  let asked = ask();
  try {
    for (;;) {
      const { batch, bytes } = await asked;
      onBytes(bytes);
      if (batch === null) return;
      asked = ask();
      yield batch;
    }
  } finally {
    // A thread that failed has cleaned up.
    await asked.then(
      () => replyTo(worker, 'end'),
      () => {},
    );
    worker.terminate();
  }
}

/** Throws what the thread has thrown. */
function replyTo<Reply extends CutReply>(worker: Worker, message: CutMessage): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  worker.onmessage = ({ data }: MessageEvent<CutReply>) => {
    if ('bug' in data) reject(data.bug);
    else if ('failure' in data)
      reject(new Failure(data.failure.message, data.failure.file, data.failure.line));
    else resolve(data as Reply);
  };
  worker.onerror = ({ message: error }) => reject(new Error(error));
  worker.postMessage(message);
  return promise;
}
