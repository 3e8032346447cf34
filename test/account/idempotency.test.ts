import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import {
  answerOf,
  type Claim,
  ClaimLost,
  type KeyedRequest,
  runOnce,
  requestHash,
} from '../../src/account/idempotency.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { SqlIdempotency } from '../../src/stores/sql/idempotency.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { newDatabase } from '../http/service.ts';

const REQUEST: KeyedRequest = { account: 'a', key: 'k', requestSha256: 'ab'.repeat(32) };
const OTHER: KeyedRequest = { ...REQUEST, requestSha256: 'cd'.repeat(32) };
const HOUR_MS = 3_600_000;

/** Requests over one database, with a manual clock. */
class Clients {
  now = Date.UTC(2027, 4, 17);
  slept = 0;
  readonly #database = newDatabase();
  readonly #jobs = new SqlJobs(this.#database.database);
  readonly idempotency = new SqlIdempotency(this.#database.database);
  #ids = 0;
  readonly #renewal = Promise.withResolvers<void>();

  /** Resolves when a request has renewed its claim. */
  renewed(): Promise<void> {
    return this.#renewal.promise;
  }

  /** `turn` is awaited before everything that a store is asked. */
  constructor(readonly turn: () => Promise<unknown> = async () => {}) {}

  /** The body of the request's answer; `work` comes before its job is written. */
  once(request: KeyedRequest, work: (claim: Claim) => Promise<void> = async () => {}): Promise<string> {
    return runOnce(request, this.#deps, {
      newId: () => `c${this.#ids++}`,
      run: claim => this.#run(request, claim, work),
      replay: answer => answer.body,
      wait: () => {},
    });
  }

  readonly #deps = {
    now: () => this.now,
    sleep: async (ms: number) => {
      await this.turn();
      this.now += ms;
      this.slept += ms;
    },
    idempotency: {
      claim: async (...asked: Parameters<SqlIdempotency['claim']>) => {
        await this.turn();
        return this.idempotency.claim(...asked);
      },
      forgetUnfinished: async (...asked: Parameters<SqlIdempotency['forgetUnfinished']>) => {
        await this.turn();
        return this.idempotency.forgetUnfinished(...asked);
      },
      renew: async (...asked: Parameters<SqlIdempotency['renew']>) => {
        await this.idempotency.renew(...asked);
        this.#renewal.resolve();
      },
      unclaim: async (...asked: Parameters<SqlIdempotency['unclaim']>) => {
        await this.turn();
        return this.idempotency.unclaim(...asked);
      },
    },
  };

  async #run(request: KeyedRequest, claim: Claim, work: (claim: Claim) => Promise<void>): Promise<string> {
    await this.turn();
    await work(claim);
    await this.turn();
    const id = `r${this.#ids++}`;
    const body = `${id} ${request.requestSha256}`;
    const done = await this.#jobs.complete({
      account: request.account,
      job: {
        id,
        source: 's',
        status: 'PASS',
        healthScore: 1,
        rowsReceived: 5,
        driftCount: 0,
        latencyMs: 1,
        createdAt: this.now,
      },
      document: { report: body, profile: '{"fields":{}}' },
      trend: { drift: '[]', nullRates: '{}' },
      periodStart: 0,
      answer: answerOf(claim, this.now, {}),
    });
    if (!done) throw new ClaimLost();
    return body;
  }

  get jobs(): string[] {
    const found = this.#database.client.query<{ id: string }, []>('SELECT id FROM jobs').all();
    return found.map(({ id }) => id);
  }

  get countedRows(): number {
    return this.#database.client
      .query<{ rows: number }, []>('SELECT coalesce(sum(rows), 0) AS rows FROM ledger')
      .get()!.rows;
  }
}

const refused = async (): Promise<void> => {
  throw new Rejection('SERVICE_UNAVAILABLE', 'away');
};

describe('a request with a key', () => {
  test('runs once, and repeats get its answer', async () => {
    const clients = new Clients();
    const first = await clients.once(REQUEST);
    clients.now += 23 * HOUR_MS;
    expect(await clients.once(REQUEST)).toBe(first);
    expect(clients.jobs).toHaveLength(1);
  });

  test('runs again 24 hours after its answer, and not a millisecond before', async () => {
    const clients = new Clients();
    const first = await clients.once(REQUEST);
    clients.now += 24 * HOUR_MS - 1;
    expect(await clients.once(REQUEST)).toBe(first);
    clients.now += 1;
    expect(await clients.once(REQUEST)).not.toBe(first);
    expect(clients.jobs).toHaveLength(2);
  });

  test('conflicts with another request under the same key, answered or running', async () => {
    const clients = new Clients();
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', status: 409, headers: {} };
    await clients.once(REQUEST, async () => {
      await expect(clients.once(OTHER)).rejects.toMatchObject(conflict);
    });
    await expect(clients.once(OTHER)).rejects.toMatchObject(conflict);
    expect(clients.slept).toBe(0);
  });

  test('that was rejected releases its key to the next request, which may differ', async () => {
    const clients = new Clients();
    await expect(clients.once(REQUEST, refused)).rejects.toThrow('away');
    expect(await clients.once(OTHER)).toEndWith(OTHER.requestSha256);
  });

  test('waits one second for the running request, then gets a conflict with Retry-After', async () => {
    const clients = new Clients();
    await clients.once(REQUEST, async () => {
      await expect(clients.once(REQUEST)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        headers: { 'Retry-After': '1' },
      });
    });
    expect(clients.slept).toBe(1000);
  });

  test('takes over from a vanished request when its lease has expired', async () => {
    const clients = new Clients();
    await new Promise<void>(begun => {
      clients.once(REQUEST, () => {
        begun();
        return new Promise(() => {});
      });
    });
    clients.now += 2_999 - 1000;
    await expect(clients.once(REQUEST)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    clients.now += 1;
    expect(await clients.once(REQUEST)).toEndWith(REQUEST.requestSha256);
  });

  test('gets the id of a killed holder, which may have learned its batch, until it forgets that id', async () => {
    const clients = new Clients();
    const vanished = await new Promise<Claim>(begun => {
      clients.once(REQUEST, claim => {
        begun(claim);
        return new Promise(() => {});
      });
    });
    expect(vanished.unfinished).toBeNull();
    const failed: Claim[] = [];
    const fails = async (claim: Claim) => {
      failed.push(claim);
      await refused();
    };
    clients.now += 3_000;
    await expect(clients.once(REQUEST, fails)).rejects.toThrow('away');
    await expect(clients.once(REQUEST, fails)).rejects.toThrow('away');
    expect(failed).toMatchObject([{ unfinished: vanished.id }, { unfinished: vanished.id }]);
    const forgets = async (claim: Claim) => {
      expect(claim.unfinished).toBe(vanished.id);
      expect(await clients.idempotency.forgetUnfinished('a', 'k', claim.id)).toBe(true);
      await fails(claim);
    };
    await expect(clients.once(REQUEST, forgets)).rejects.toThrow('away');
    const next = clients.once(REQUEST, async claim => expect(claim.unfinished).toBe(failed[2]!.id));
    expect(await next).toEndWith(REQUEST.requestSha256);
  });

  test('that fails after it may have learned its batch leaves its id to a repeat of the same request only, at once', async () => {
    const clients = new Clients();
    const ids: string[] = [];
    const learnsAndFails = async (claim: Claim) => {
      ids.push(claim.id);
      claim.mayHaveLearned = true;
      await refused();
    };
    await expect(clients.once(REQUEST, learnsAndFails)).rejects.toThrow('away');
    await expect(
      clients.once(REQUEST, async claim => {
        expect(claim.unfinished).toBe(ids[0]!);
        await refused();
      }),
    ).rejects.toThrow('away');
    await clients.once(OTHER, async claim => expect(claim.unfinished).toBeNull());
  });

  test('that runs longer than a lease renews it and keeps its key', async () => {
    const clients = new Clients();
    const end = Promise.withResolvers<void>();
    const first = clients.once(REQUEST, () => end.promise);
    clients.now += 2_500;
    await clients.renewed();
    clients.now += 1_900;
    await expect(clients.once(REQUEST)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    end.resolve();
    await first;
    expect(clients.jobs).toHaveLength(1);
  });

  test('that lost its claim writes nothing and gets the answer of the new holder', async () => {
    const clients = new Clients();
    let second = '';
    const first = await clients.once(REQUEST, async () => {
      clients.now += 3_000;
      second = await clients.once(REQUEST);
    });
    expect(first).toBe(second);
    expect(clients.jobs).toHaveLength(1);
  });

  test('that lost its claim never runs again, even if the new holder is rejected: the client repeats it', async () => {
    const clients = new Clients();
    let runs = 0;
    const loses = async () => {
      runs++;
      clients.now += 3_000;
      await expect(clients.once(REQUEST, refused)).rejects.toThrow('away');
    };
    await expect(clients.once(REQUEST, loses)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      headers: { 'Retry-After': '1' },
    });
    expect(runs).toBe(1);
    expect(clients.jobs).toEqual([]);
    expect(clients.slept).toBeLessThan(1000);
    expect(await clients.once(REQUEST)).toEndWith(REQUEST.requestSha256);
  });

  test('in any interleaving at most one request runs to an answer, and all others get that answer', async () => {
    const kind = fc.record({
      request: fc.constantFrom(REQUEST, REQUEST, REQUEST, OTHER),
      fails: fc.boolean(),
      workMs: fc.constantFrom(0, 10, 400, 2_900, 12_000),
    });
    const many = fc.array(kind, { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(many, fc.scheduler(), async (requests, scheduler) => {
        const clients = new Clients(() => scheduler.schedule(Promise.resolve()));
        const outcomes = requests.map(({ request, fails, workMs }) =>
          clients
            .once(request, async () => {
              clients.now += workMs;
              if (fails) await refused();
            })
            .catch((error: Rejection) => error.code),
        );
        const found = await scheduler.waitFor(Promise.all(outcomes));
        const { jobs } = clients;
        expect(jobs.length).toBeLessThanOrEqual(1);
        expect(clients.countedRows).toBe(5 * jobs.length);
        // Two that work for longer than a lease may lose the claim to each other, and then neither runs again.
        const long = requests.filter(({ workMs }) => workMs >= 2_900);
        if (requests.every(({ fails }) => !fails) && long.length < 2) expect(jobs).toHaveLength(1);
        for (const [i, outcome] of found.entries()) {
          if (outcome === 'IDEMPOTENCY_CONFLICT') continue;
          if (outcome === 'SERVICE_UNAVAILABLE') expect(requests[i]!.fails).toBe(true);
          else expect(outcome).toBe(`${jobs[0]} ${requests[i]!.request.requestSha256}`);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a request's hash", () => {
  const hash = (headers: Record<string, string>, ...pieces: string[]) => {
    const all = requestHash(new Headers(headers));
    for (const piece of pieces) all.update(new TextEncoder().encode(piece));
    return all.digest('hex');
  };

  test('does not depend on the pieces of the body or on unrelated headers', () => {
    const one = hash({ 'Content-Type': 'text/csv', 'X-Source': 's' }, 'a\n1\n');
    expect(
      hash({ 'x-source': 's', 'content-type': 'text/csv', 'X-API-Key': 'k', Date: 'now' }, 'a', '\n1\n'),
    ).toBe(one);
  });

  test('differs for every other header or body, and cannot confuse where one ends', () => {
    const hashes = [
      hash({}, ''),
      hash({}, 'a'),
      hash({ 'Content-Type': 'a' }),
      hash({ 'Content-Encoding': 'a' }),
      hash({ 'X-Source': 'a' }),
      hash({ 'X-Options': 'a' }),
      hash({ 'X-Options': '' }),
      hash({ 'X-CSV-Delimiter': 'a' }),
      hash({ 'X-Source': 'a', 'X-Options': 'b' }),
      hash({ 'X-Source': 'a","b' }),
      hash({ 'X-Source': 'ab' }),
      hash({ 'X-Source': 'null' }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
