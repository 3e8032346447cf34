/** GET requests to the application, with a key of its test accounts. */
import { type Answer, answerOf, KEY, type Service } from './service.ts';

/** Rates are by time, and a test's time may stand still: a caller of many requests moves it. */
export class Clock {
  constructor(public now: number) {}

  readonly read = (): number => this.now;
}

export async function get(service: Service, path: string, key = KEY): Promise<Answer> {
  return answerOf(await asked(service, path, key));
}

export const asked = (service: Service, path: string, key = KEY, method = 'GET'): Promise<Response> =>
  Promise.resolve(
    service.app.handle(new Request(`http://localhost${path}`, { method, headers: { 'X-API-Key': key } })),
  );
