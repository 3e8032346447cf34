/** Faults that are planted between a gate and its stores, and what a run must say of each. */
import type { BrokerPlant } from './broker.ts';
import { changed } from './changed.ts';
import type { Stores } from './stores.ts';

export interface StorePlant {
  plant(stores: Stores): void;
  /** A violation that shows it. */
  shows: RegExp;
}

export const STORE_PLANTS: Record<string, StorePlant> = {
  'each gate has claims of its own': {
    plant: stores => {
      const { idempotency, jobs } = stores;
      const own = (key: string) => `${key} ${suffix}`;
      const suffix = Math.random();
      stores.idempotency = changed(idempotency, {
        claim: (account, key, claim) => idempotency.claim(account, own(key), claim),
        renew: (account, key, claim, expiresAt) => idempotency.renew(account, own(key), claim, expiresAt),
        forgetUnfinished: (account, key, claim) => idempotency.forgetUnfinished(account, own(key), claim),
        unclaim: (account, key, claim) => idempotency.unclaim(account, own(key), claim),
      });
      const complete: typeof jobs.complete = ({ answer, ...completion }) =>
        jobs.complete({ ...completion, answer: answer && { ...answer, key: own(answer.key) } });
      stores.jobs = changed(jobs, { complete });
    },
    shows: /has \d+ jobs/,
  },
  'the answer is not kept with the job': {
    plant: stores => {
      const { jobs } = stores;
      stores.jobs = changed(jobs, { complete: completion => jobs.complete({ ...completion, answer: null }) });
    },
    shows: /has \d+ jobs|two different answers/,
  },
  'rows count in another period than their job': {
    plant: stores => {
      const { jobs } = stores;
      const complete: typeof jobs.complete = completion =>
        jobs.complete({ ...completion, periodStart: completion.periodStart + 1 });
      stores.jobs = changed(jobs, { complete });
    },
    shows: /the ledger has/,
  },
  'a repeat gets another body': {
    plant: stores => {
      const { idempotency } = stores;
      const claim: typeof idempotency.claim = async (...asked) => {
        const found = await idempotency.claim(...asked);
        if (typeof found === 'object' && 'answer' in found && typeof found.answer === 'object')
          if (found.answer !== null) found.answer.body += ' ';
        return found;
      };
      stores.idempotency = changed(idempotency, { claim });
    },
    shows: /another report than is kept|two different answers/,
  },
  'a batch is learned under two ids': {
    plant: stores => {
      const { baselines } = stores;
      const append: typeof baselines.append = async (account, source, entry, bounds) => {
        const isAdded = await baselines.append(account, source, entry, bounds);
        await baselines.append(
          account,
          source,
          { ...entry, id: `req_7${entry.id.slice('req_7'.length)}` },
          bounds,
        );
        return isAdded;
      };
      stores.baselines = changed(baselines, { append });
    },
    shows: /was learned 2 times/,
  },
  'a batch is answered before it is learned': {
    plant: stores => {
      stores.baselines = changed(stores.baselines, { append: async () => true });
    },
    shows: /was answered and not learned/,
  },
  'a request that fails stays learned': {
    plant: stores => {
      stores.baselines = changed(stores.baselines, { callOff: async () => true });
    },
    shows: /was learned and has no job/,
  },
  'rows are reserved without a bound': {
    plant: stores => {
      const { allowance } = stores;
      const reserve: typeof allowance.reserve = async (account, start, rows, allowed) => {
        const reserved = await allowance.reserve(account, start, rows, 2 * allowed);
        return reserved && { ...reserved, left: Math.max(0, reserved.left - allowed) };
      };
      stores.allowance = changed(allowance, { reserve });
    },
    shows: /rows were written, and the plan has/,
  },
  'rows of a request that fails stay counted': {
    plant: stores => {
      stores.allowance = changed(stores.allowance, { release: async () => {} });
    },
    shows: /rows are counted/,
  },
  'rows are released twice': {
    plant: stores => {
      const { allowance } = stores;
      const release: typeof allowance.release = async (...asked) => {
        await allowance.release(...asked);
        await allowance.release(...asked);
      };
      stores.allowance = changed(allowance, { release });
    },
    shows: /rows are counted/,
  },
  'an accept replaces what came in between': {
    plant: stores => {
      const { baselines } = stores;
      const fold: typeof baselines.fold = async (account, source, _, ...rest) => {
        const now = await baselines.read(account, source);
        return baselines.fold(account, source, now, ...rest);
      };
      stores.baselines = changed(baselines, { fold });
    },
    shows: /has no order/,
  },
  'a withdrawal of another batch': {
    plant: stores => {
      const { baselines } = stores;
      const withdraw: typeof baselines.withdraw = async (account, source, id) => {
        const { tail } = await baselines.read(account, source);
        return baselines.withdraw(account, source, tail.at(-1)?.id ?? id);
      };
      stores.baselines = changed(baselines, { withdraw });
    },
    shows: /has no order/,
  },
  'a rollback is not written': {
    plant: stores => {
      stores.baselines = changed(stores.baselines, { restore: async () => true });
    },
    shows: /has no order/,
  },
};

/** Of a broker. */
export const BROKER_PLANTS: Record<Exclude<BrokerPlant, null>, RegExp> = {
  'offset apart': /came out 2 times/,
  'offset first': /was lost/,
  unfenced: /came out \d times|was lost/,
  'cut unseen': /was lost/,
};

/** Name of a planted fault. */
export type Plant = string;
