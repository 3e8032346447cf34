/** The second thread of `turns.ts`. */
import type { Position } from './file-batch.ts';
import { localScreener } from './local-screener.ts';
import { noMemory } from './local-store.ts';
import type { Screener } from './named-batch.ts';
import { failedBy, type Failed } from './thread.ts';
import { type Shared, takeTurn } from './turn.ts';
import type { TurnOrder, TurnReply } from './turns.ts';

declare const self: Worker;

let shared: Shared;
let screener: Screener;

self.onmessage = async ({ data }: MessageEvent<TurnOrder | Position>) => {
  try {
    if ('shared' in data) await begin(data);
    else await take(data);
  } catch (error) {
    send(failedBy(error));
  }
};

async function begin(order: TurnOrder): Promise<void> {
  shared = order.shared;
  screener = await localScreener(noMemory(), order.module);
  send({ ready: true });
}

async function take(from: Position): Promise<void> {
  const { screened, ...cut } = await takeTurn(shared, from, screener);
  send({ cut });
  send({ result: await screened() });
}

const send = (reply: TurnReply | Failed): void => self.postMessage(reply);
