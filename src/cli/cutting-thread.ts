/** The thread of `cut-ahead.ts`: cuts one file. */
import type { FileBatch } from './file-batch.ts';
import type { CutMessage, CutOrder, CutReply } from './cut-ahead.ts';
import { openEngine } from './open-engine.ts';
import { type Failed, failedBy } from './thread.ts';
import { openInput } from './input.ts';
import { cutFile } from './cut-file.ts';

declare const self: Worker;

let batches: AsyncIterator<FileBatch> | null = null;
/** Read from the file since the last batch was sent. */
let bytes = 0;

self.onmessage = async ({ data }: MessageEvent<CutMessage>) => {
  try {
    if (data === 'next') await sendNext();
    else if (data === 'end') await end();
    else await open(data);
  } catch (error) {
    send(failedBy(error));
  }
};

async function open({ file, reading, module }: CutOrder): Promise<void> {
  const onBytes = (more: number) => {
    bytes += more;
  };
  // Nothing is screened here, so nothing of the salt shows.
  const cutters = { ...(await openEngine(module)), salt: new Uint8Array(32) };
  const cut = await cutFile(await openInput(file), reading, cutters, onBytes);
  const { batches: all, ...opened } = cut;
  batches = all[Symbol.asyncIterator]();
  send({ opened });
}

async function sendNext(): Promise<void> {
  const { value, done } = await batches!.next();
  send({ batch: done ? null : { ...value, held: null }, bytes }, value?.body);
  bytes = 0;
}

async function end(): Promise<void> {
  await batches!.return?.();
  send({ ended: true });
}

/** Bytes that are all of their buffer go to the other thread without a copy. */
function send(reply: CutReply | Failed, body?: Uint8Array): void {
  const isAlone = body && body.byteLength === body.buffer.byteLength;
  self.postMessage(reply, isAlone ? [body.buffer as ArrayBuffer] : []);
}
