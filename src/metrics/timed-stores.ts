/** Wraps stores to time their operations. */

/** Records the duration of an operation in ms, and whether it failed. */
type RecordOutcome = (ms: number, failed: boolean) => void;

interface StoreMeter {
  ofStore(store: string, operation: string): RecordOutcome;
}

/** Stores to time, with their names in the label `store`. */
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
  alerts: 'alerts',
  batches: 'batches',
  changes: 'changes',
  idempotency: 'idempotency',
  windows: 'windows',
} as const;

type TimedStores = Record<keyof typeof TIMED, object>;

/** The same stores, timed. */
export function timedStores<Stores extends TimedStores>(stores: Stores, meter: StoreMeter): Stores {
  const names = Object.entries(TIMED) as [keyof typeof TIMED, string][];
  const timed = names.map(([member, name]) => [member, timedStore(stores[member], name, meter)] as const);
  return { ...stores, ...Object.fromEntries(timed) };
}

/** Times the store's methods when others call them, not its calls to itself. */
export function timedStore<Store extends object>(store: Store, name: string, meter: StoreMeter): Store {
  const methods = [...methodsOf(store)].map(([operation, method]) => {
    const record = meter.ofStore(name, operation);
    return [operation, (...args: unknown[]) => timing(() => method.apply(store, args), record)] as const;
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

function timing(run: () => unknown, record: RecordOutcome): unknown {
  const since = performance.now();
  const ended = (failed: boolean) => record(performance.now() - since, failed);
  try {
    const result = run();
    if (result instanceof Promise) return settle(result, ended);
    ended(false);
    return result;
  } catch (error) {
    ended(true);
    throw error;
  }
}

async function settle(result: Promise<unknown>, ended: (failed: boolean) => void): Promise<unknown> {
  try {
    const value = await result;
    ended(false);
    return value;
  } catch (error) {
    ended(true);
    throw error;
  }
}
