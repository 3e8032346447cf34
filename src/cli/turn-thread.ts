/** A thread of `parallel-screening.ts`. */
import type { Position } from './file-batch.ts';
import { localScreener } from './local-screener.ts';
import { noMemory } from './local-store.ts';
import type { Screener } from './named-batch.ts';
import { failedBy, type Failed } from './thread.ts';
import { type Shared, takeTurn } from './turn.ts';
import type { TurnMessage, TurnOrder, TurnReply } from './turn-takers.ts';

declare const self: Worker;

let shared: Shared;
let opened: Promise<Screener>;
/** Turns run one after the other, because the engine holds only one batch. */
let done = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<TurnMessage>) => {
  done = done.then(() => ('shared' in data ? reply(begin(data)) : take(data.from)));
};

async function begin(order: TurnOrder): Promise<TurnReply> {
  shared = order.shared;
  opened = localScreener(noMemory(), order.module);
  await opened;
  return { ready: true };
}

/** If the thread could not open its engine, each turn fails with that error. */
async function take(from: Position | null): Promise<void> {
  const turn = opened.then(screener => takeTurn(shared, from, screener));
  await reply(turn.then(({ screened: _, ...cut }) => ({ cut })));
  await reply(turn.then(async ({ screened }) => ({ result: await screened() })));
}

const reply = (made: Promise<TurnReply>): Promise<void> => made.then(send, error => send(failedBy(error)));

const send = (message: TurnReply | Failed): void => self.postMessage(message);
