/**
 * A folder with three weeks of an example shop, for pictures: its service runs in this process, by a clock that is set back. Orders break on the last two
 * days: amounts are cents where they were euros, and addresses get lost.
 */
import { pino } from 'pino';
import { readConfig } from '../src/config/config.ts';
import { startService } from '../src/service/service.ts';
import { KEY, newFolder } from '../test/e2e/server.ts';

const DAY_MS = 86_400_000;
const DAYS = 24;
/** From this day on orders are broken. */
const BROKEN_FROM = DAYS - 2;

/** Numbers in 0..1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const NAMES = ['ann', 'bo', 'cleo', 'dirk', 'eva', 'finn', 'gus', 'hugo', 'ida', 'jon'];
const COUNTRIES = ['DE', 'DE', 'DE', 'FR', 'FR', 'AT', 'NL', 'PL'];
const STATUSES = ['new', 'paid', 'paid', 'sent', 'sent', 'sent'];

const pick = <Item>(items: readonly Item[], random: number): Item =>
  items[Math.floor(random * items.length)]!;

type Row = Record<string, unknown>;

function orders(day: number, at: number): Row[] {
  const next = numbers(day + 1);
  const isBroken = day >= BROKEN_FROM;
  return Array.from({ length: 420 + Math.floor(next() * 120) }, (_, i) => {
    const amount = Math.exp(3.4 + 0.7 * (next() + next() + next() - 1.5));
    const name = pick(NAMES, next());
    return {
      order_id: `ORD-${String(day * 1000 + i).padStart(6, '0')}`,
      amount: isBroken ? Math.round(amount * 100) : Math.round(amount * 100) / 100,
      email: next() < (isBroken ? 0.45 : 0.03) ? null : `${name}.${Math.floor(next() * 900)}@example.com`,
      country: pick(COUNTRIES, next()),
      status: pick(STATUSES, next()),
      items: 1 + Math.floor(next() * next() * 9),
      ordered_at: new Date(at - Math.floor(next() * DAY_MS)).toISOString(),
    };
  });
}

function customers(day: number): Row[] {
  const next = numbers(day + 101);
  return Array.from({ length: 120 + Math.floor(next() * 30) }, (_, i) => ({
    customer_id: day * 200 + i,
    name: `${pick(NAMES, next())} ${pick(NAMES, next())}`,
    country: day === DAYS - 1 && next() < 0.06 ? 'XX' : pick(COUNTRIES, next()),
    newsletter: next() < 0.4,
  }));
}

function payments(day: number, at: number): Row[] {
  const next = numbers(day + 201);
  return Array.from({ length: 380 + Math.floor(next() * 90) }, (_, i) => ({
    payment_id: `PAY-${day * 1000 + i}`,
    method: pick(['card', 'card', 'transfer', 'wallet'], next()),
    fee: Math.round(next() * 300) / 100,
    paid_at: new Date(at - Math.floor(next() * DAY_MS)).toISOString(),
  }));
}

/** The sources of the shop with the rows of a day, and who owns them. */
const SOURCES: { name: string; owner: string; tags: string[]; rows: (day: number, at: number) => Row[] }[] = [
  { name: 'shop/customers', owner: 'crm', tags: ['daily'], rows: customers },
  { name: 'shop/payments', owner: 'finance', tags: ['daily', 'billing'], rows: payments },
  { name: 'shop/orders', owner: 'checkout', tags: ['daily', 'billing'], rows: orders },
];

/** The folder. `now` in ms: when the last batch came. */
export async function exampleShop(now = Date.now()): Promise<string> {
  const folder = newFolder();
  const clock = Date.now;
  let set = now;
  Date.now = () => set;
  const environment = { DATA_DIR: folder, PORT: '0', BOOTSTRAP_API_KEY: KEY, BOOTSTRAP_PLAN: 'scale' };
  const service = await startService(readConfig(environment), pino({ level: 'silent' }));
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };
    const answer = await fetch(`${service.url}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  for (let day = 0; day < DAYS; day++)
    for (const { name: source, rows } of SOURCES) {
      set = now - (DAYS - 1 - day) * DAY_MS + 1000 * SOURCES.findIndex(({ name }) => name === source);
      await send('POST', '/v1/screen', { source, rows: rows(day, set), options: { full_scan: true } });
    }
  for (const { name, owner, tags } of SOURCES)
    await send('PUT', `/v1/schema/${encodeURIComponent(name)}/settings`, { owner, tags });
  Date.now = clock;
  await service.stop();
  return folder;
}
