/** Asks an application of its own for one answer. */
import type { AppDependencies } from '../../../src/http/app.ts';
import { SCALE_KEY, Service } from '../service.ts';

export type Headers = Record<string, string>;
export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
export type Change = Partial<AppDependencies>;

/** Gives the answers; several where one does not show all that the schema has. */
export type Provoke = () => Promise<Response[]>;
/** By status of a success or code of a refusal. */
export type Answers = Record<string, Provoke>;

export const AS_JSON = { 'Content-Type': 'application/json' };
export const AS_KEY = { 'X-API-Key': SCALE_KEY };

/** A request, apart from what differs by the answer that is wanted. */
export interface Call {
  method: string;
  path: string;
  headers?: Headers;
  body?: Body;
}

export async function send(service: Service, call: Call, more: Headers = {}, body = call.body ?? null) {
  const headers = { ...AS_JSON, ...AS_KEY, ...call.headers, ...more };
  const { method, path } = call;
  const request = new Request(`http://localhost${path}`, { method, body, headers });
  return service.app.handle(request);
}

/** One answer of a new application. */
export const once =
  (call: Call, more: Headers = {}, body?: Body, change: Change = {}): Provoke =>
  async () => [await send(new Service(change), call, more, body)];

export const fault = (): never => {
  throw new Error('a bug');
};
export const denied = async () =>
  ({ allowed: false, waitSeconds: 1, remaining: 0, resetSeconds: 2 }) as const;
export const unhurried = async () =>
  ({ allowed: true, waitSeconds: 0, remaining: 9, resetSeconds: 1 }) as const;
/** A body that begins and never goes on. */
export const stalled = () =>
  new ReadableStream({ start: controller => controller.enqueue(new Uint8Array([0x7b])) });
/** Waits for little of a body, also after its refusal. */
export const QUICK = { bodyStallSeconds: 0.02, bodySeconds: 0.05 };

export const faulty = (call: Call, broken: Change): Answers => ({
  INTERNAL: once(call, {}, call.body, broken),
  SERVICE_UNAVAILABLE: once(call, {}, call.body, { draining: () => true }),
});
