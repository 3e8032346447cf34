/** Stores whose operations are timed. */

/** Notes what an operation took, in ms, and whether it failed. */
type Note = (ms: number, failed: boolean) => void;

interface StoreMeter {
  ofStore(store: string, operation: string): Note;
}

/** Of these the operations are timed; the names are a label's values. */
const TIMED = {
  baselineStore: 'baselines',
  rates: 'rates',
  allowance: 'allowance',
  ledger: 'ledger',
  billing: 'billing',
  identities: 'identities',
  keys: 'keys',
  signIn: 'sign_in',
  jobs: 'jobs',
  idempotency: 'idempotency',
} as const;

type TimedStores = Record<keyof typeof TIMED, object>;

/** The same stores, timed. */
export function timedStores<Stores extends TimedStores>(stores: Stores, meter: StoreMeter): Stores {
  const names = Object.entries(TIMED) as [keyof typeof TIMED, string][];
  const timed = names.map(([member, name]) => [member, timedStore(stores[member], name, meter)] as const);
  return { ...stores, ...Object.fromEntries(timed) };
}

/** The store with its methods timed, its own calls of them aside. */
export function timedStore<Store extends object>(store: Store, name: string, meter: StoreMeter): Store {
  const methods = [...methodsOf(store)].map(([operation, method]) => {
    const note = meter.ofStore(name, operation);
    return [operation, (...args: unknown[]) => timing(() => method.apply(store, args), note)] as const;
  });
  return Object.assign(Object.create(store), Object.fromEntries(methods));
}

// biome-ignore lint/suspicious/noExplicitAny: of any store
type Method = (...args: any[]) => unknown;

function methodsOf(store: object): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  for (let owner = store; owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
      if (typeof value === 'function' && name !== 'constructor' && !methods.has(name))
        methods.set(name, value);
  return methods;
}

function timing(run: () => unknown, note: Note): unknown {
  const since = performance.now();
  const ended = (failed: boolean) => note(performance.now() - since, failed);
  try {
    const result = run();
    if (result instanceof Promise) return settling(result, ended);
    ended(false);
    return result;
  } catch (error) {
    ended(true);
    throw error;
  }
}

async function settling(result: Promise<unknown>, ended: (failed: boolean) => void): Promise<unknown> {
  try {
    const value = await result;
    ended(false);
    return value;
  } catch (error) {
    ended(true);
    throw error;
  }
}
