/**
 * A process that reads what the fuzzer sends: `host.ts TARGET`. Prints its port. Answers each body with the longest of its steps, in ms of
 * processor time, and with what was thrown.
 */
import { type Played, PLAYS, type Step } from './plays.ts';
import { processorMs } from './processor-time.ts';

/** When the step began, on this thread's clock: the fuzzer reads it while a step does not end. */
/** Set by the process that starts this one. */
const { FUZZ_STEP } = process.env as { FUZZ_STEP: string };
const begun = new Float64Array(Bun.mmap(FUZZ_STEP, { shared: true }).buffer);
const play = await PLAYS[process.argv[2]!]!();

async function played(bytes: Uint8Array<ArrayBuffer>): Promise<Played> {
  let ms = 0;
  const note = (since: number) => {
    ms = Math.max(ms, processorMs() - since);
  };
  /** The turns of the event loop until the promise is settled: others wait for each of them. */
  const watch = (promise: Promise<unknown>, since: number) => {
    let [turnBegan, isSettled] = [since, false];
    const tick = () => {
      if (isSettled) return;
      note(turnBegan);
      turnBegan = processorMs();
      begun[0] = turnBegan;
      setTimeout(tick, 1);
    };
    const end = () => {
      isSettled = true;
      note(turnBegan);
    };
    setTimeout(tick, 0);
    promise.then(end, end);
  };
  const step: Step = work => {
    const since = processorMs();
    begun[0] = since;
    try {
      const result = work();
      if (result instanceof Promise) watch(result, since);
      return result;
    } finally {
      note(since);
    }
  };
  try {
    await play(bytes, step);
    return { ms, problem: null };
  } catch (error) {
    const [first, ...stack] = ((error as Error).stack ?? String(error)).split('\n');
    const at = stack.find(line => line.includes('/src/'))?.match(/src\/[^:)]*/)?.[0] ?? '';
    return { ms, problem: `throws ${first!.slice(0, 200)} ${at}`.trimEnd() };
  }
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  maxRequestBodySize: 512 * 1024 * 1024,
  fetch: async request => Response.json(await played(new Uint8Array(await request.arrayBuffer()))),
});
console.log(`"url":"http://127.0.0.1:${server.port}"`);
