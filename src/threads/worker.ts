/** A thread: opens its engine, then answers one message after the other. What nobody waits for is done when there is no message. */
import { setPriority } from 'node:os';
import { Collector } from '../engine/collector.ts';
import { Engine } from '../engine/engine.ts';
import { warmUp } from '../engine/warm.ts';
import type { Asked, Opening } from './messages.ts';
import { failedWith, type Reply } from './replies.ts';
import { Tasks } from './tasks.ts';

declare const self: Worker;

const TRIM_MS = 10_000;

let tasks: Tasks;
const collector = new Collector();
let isIdling = false;
/** Whether something was asked since the last `trim`. */
let isUsed = false;

self.onmessage = ({ data }: MessageEvent<Opening | Asked>) => {
  if ('module' in data) open(data);
  else answer(data);
};

function open({ module, maxBodyBytes, settings, niceness, isWithoutEngine }: Opening): void {
  standBack(niceness);
  const makeEngine = () => {
    const engine = new Engine(module, maxBodyBytes);
    warmUp(engine);
    return engine;
  };
  tasks = new Tasks(makeEngine, settings);
  if (!isWithoutEngine) tasks.open();
  setInterval(trim, TRIM_MS);
  collector.start();
  send({ result: null });
}

/** Lets other threads go first where processors are few. */
function standBack(niceness: number): void {
  // Elsewhere 0 is not the calling thread, but the whole process.
  if (process.platform !== 'linux' || niceness === 0) return;
  try {
    setPriority(0, niceness);
  } catch {
    // A sandbox may forbid it: then all threads are alike.
  }
}

function answer({ name, order }: Asked): void {
  isUsed = true;
  try {
    const result = (tasks[name] as (order: unknown) => unknown).call(tasks, order);
    send({ result });
  } catch (error) {
    send(failedWith(error));
  }
  // Timers wait while there are messages.
  collector.checkIfDue();
  if (isIdling) return;
  isIdling = true;
  setImmediate(idle);
}

/** An engine that a wide batch has enlarged is kept while batches come. */
function trim(): void {
  if (!isUsed) tasks.trim();
  isUsed = false;
}

/** Messages that have arrived meanwhile come first. */
function idle(): void {
  isIdling = tasks.idle();
  if (isIdling) setImmediate(idle);
}

const send = (reply: Reply): void => self.postMessage(reply);
