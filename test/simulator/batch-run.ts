/** A run of clients that send batches to gates, while stores fail and gates are killed. */
import { PLANS } from '../../src/account/plans.ts';
import { Clients } from './batches.ts';
import { violationsOfBaselines, violationsOfBatches } from './checks.ts';
import { CalledOff } from './called-off.ts';
import { Counter } from './counter.ts';
import { ACCOUNT } from './files.ts';
import { Gate } from './gate.ts';
import { type Held, heldBy, PERIOD } from './held.ts';
import { type Plant, STORE_PLANTS } from './plants.ts';
import { People } from './people.ts';
import type { Connect } from './process.ts';
import { now, type Outcome, type Simulator } from './simulator.ts';
import type { Deployment } from './stores.ts';
import { type Faults, Wire } from './wire.ts';
import { START, type World } from './world.ts';

const PLAN_ROWS = PLANS[ACCOUNT.plan].rowsPerPeriod;
/** All clients are done by then, in ms of virtual time. */
const MOST_MS = 15 * 60_000;
/** Work in the background ends within this time after the last fault, in ms. */
const SETTLED_MS = 70_000;
const DEPLOYMENTS: readonly Deployment[] = ['alone', 'shared', 'servers'];

export function runBatches(world: World, simulator: Simulator, plant: Plant | null): Outcome {
  const { random } = world;
  const deployment = random.pick(DEPLOYMENTS);
  const faults: Faults = { left: random.int(0, 5), chance: random.pick([0.01, 0.03, 0.1]) };
  const mostFaults = faults.left;
  // Now and then the rows of the plan are nearly used up.
  const usedRows = random.chance(0.2) ? PLAN_ROWS - random.int(5, 25) : 0;
  simulator.files.empty(PERIOD, usedRows);
  const connect = connecting(world, simulator, { deployment, faults, plant });
  const gateCount = deployment === 'alone' ? 1 : random.int(2, 3);
  const gates = Array.from({ length: gateCount }, (_, i) => new Gate(world, `gate ${i}`, connect));
  const clients = new Clients(world, gates, random.chance(0.7) ? ['orders'] : ['orders', 'visits']);
  const people = new People(world, clients, simulator);
  const hasFeedback = random.chance(0.4);
  if (hasFeedback) for (let i = random.int(2, 3); i > 0; i--) people.add(random.int(1, 5));
  const count = random.int(3, 9);
  for (let i = 0; i < count; i++) clients.send(clients.add(), random.next() * random.pick([20, 300, 3000]));
  const isDone = world.run(() => clients.areDone && people.areDone, START + MOST_MS);
  const faultsDone = mostFaults - faults.left;
  faults.left = 0;
  world.run(() => false, world.now + SETTLED_MS);
  const kills = gates.reduce((sum, gate) => sum + gate.kills, 0);
  const held = heldBy(simulator, clients.sources, usedRows, kills);
  const violations = [
    ...clients.bugs,
    ...(isDone ? [] : ['clients wait for ever']),
    ...violationsOfBatches(clients, held),
    ...(hasFeedback ? people.violations(held) : violationsOfBaselines(clients, held)),
    ...violationsOfAllowance(clients, held, usedRows, countedAt(gates[0]!, world)),
  ];
  const facts = `${hasFeedback ? 'feedback ' : ''}${deployment}, gates ${gates.length}, batches ${count}, faults ${faultsDone}, kills ${kills}`;
  return { facts, violations };
}

/** How the processes of a run are connected to its stores. */
export interface Connecting {
  deployment: Deployment;
  faults: Faults;
  plant: Plant | null;
}

export function connecting(
  world: World,
  simulator: Simulator,
  { deployment, faults, plant }: Connecting,
): Connect {
  const shared = { counter: new Counter(simulator.ledger), calledOff: new CalledOff() };
  const kind = deployment === 'servers' ? 'server' : 'file';
  now(simulator.allowance.recount());
  return caller => {
    const wire = new Wire(world, caller, kind, faults);
    const stores = simulator.connect().stores(wire, deployment, shared);
    if (plant !== null) STORE_PLANTS[plant]?.plant(stores);
    return stores;
  };
}

/** Rows counted against the allowance, as a gate sees it when nothing is in progress. */
function countedAt(gate: Gate, world: World): number {
  let counted: number | null = null;
  void gate.deps.allowance.counted(ACCOUNT.id, PERIOD).then(rows => {
    counted = rows;
  });
  world.run(() => counted !== null, world.now + SETTLED_MS);
  return counted!;
}

/** Rows that a killed gate had reserved may stay counted until all gates start again. */
function* violationsOfAllowance(
  { batches }: Clients,
  held: Held,
  usedRows: number,
  counted: number,
): Generator<string> {
  const { rows } = held.ledger;
  const written = usedRows + rows;
  if (written > PLAN_ROWS) yield `${written} rows were written, and the plan has ${PLAN_ROWS}`;
  const sent = batches.reduce((sum, batch) => sum + batch.rows * (batch.failures + batch.answers.length), 0);
  const isExact = held.kills === 0;
  if (counted < written || counted > written + (isExact ? 0 : sent))
    yield `${counted} rows are counted, and the ledger has ${written}`;
  if (batches.some(({ isRefused }) => isRefused) && usedRows + sent <= PLAN_ROWS)
    yield 'a batch was refused though the plan had rows left';
}
