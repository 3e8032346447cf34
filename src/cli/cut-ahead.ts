/**
 * Cuts a file in a thread of its own, one batch ahead of the screening: two cores work on it.
 *
 * Cutting parses the whole file and needs no result of the screening. The thread has its own engine (about 40 MB).
 */
import type { CompiledEngine } from '../engine/engine.ts';
import type { FileBatch } from './file-batch.ts';
import type { Reading } from './reading.ts';
import type { CutFile } from './cut-file.ts';
import { Thread } from './thread.ts';

export interface CutOrder {
  file: string;
  reading: Reading;
  module: CompiledEngine;
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

export type CutReply = Opened | Cut | { ended: true };

type CuttingThread = Thread<CutMessage, CutReply>;

const THREAD = new URL('cutting-thread.ts', import.meta.url);

/** As `cutFile`, for a file on disk. The thread ends with the batches. */
export async function cutAhead(
  order: CutOrder,
  onBytes: (bytes: number) => void,
  program = THREAD,
): Promise<CutFile> {
  const thread: CuttingThread = new Thread(program);
  try {
    thread.send(order);
    const { opened } = await thread.reply<Opened>();
    return { ...opened, batches: batchesFrom(thread, onBytes) };
  } catch (error) {
    thread.end();
    throw error;
  }
}

async function* batchesFrom(
  thread: CuttingThread,
  onBytes: (bytes: number) => void,
): AsyncGenerator<FileBatch> {
  const ask = () => {
    thread.send('next');
    return thread.reply<Cut>();
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
      () => {
        thread.send('end');
        return thread.reply();
      },
      () => {},
    );
    thread.end();
  }
}
