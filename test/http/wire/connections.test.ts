import { expect, test } from 'bun:test';
import type { Connection } from '../../../src/http/wire/connection.ts';
import { Connections } from '../../../src/http/wire/connections.ts';

/** A connection that keeps bytes until it is cut. */
function fake(connections: Connections, silentSince: number | null, keptBytes = 0) {
  const one = {
    silentSince,
    keptBytes,
    isCut: false,
    cut() {
      one.isCut = true;
      connections.keep(-one.keptBytes);
      one.keptBytes = 0;
    },
  };
  connections.add(one as unknown as Connection);
  connections.keep(keptBytes);
  return one;
}

const cutOf = (all: readonly { isCut: boolean }[]): number[] => [...all.keys()].filter(i => all[i]!.isCut);

test('as many connections as the limit stay; for one more, the 64 that are silent for longest are cut', () => {
  const connections = new Connections(100);
  const all = Array.from({ length: 99 }, (_, i) => fake(connections, 1000 - i));
  expect(connections.admit()).toBe(true);
  all.push(fake(connections, 2000));
  expect(cutOf(all)).toEqual([]);
  expect(connections.admit()).toBe(true);
  expect(cutOf(all)).toEqual(Array.from({ length: 64 }, (_, i) => 35 + i));
  expect(connections.size).toBe(36);
});

test('those that are being answered stay, and nobody is admitted while all are', () => {
  const connections = new Connections(3);
  const busy = [fake(connections, null), fake(connections, null)];
  const silent = fake(connections, 5);
  expect(connections.admit()).toBe(true);
  expect([cutOf(busy), silent.isCut]).toEqual([[], true]);
  busy.push(fake(connections, null));
  expect(connections.admit()).toBe(false);
  expect(cutOf(busy)).toEqual([]);
});

test('connections may keep as many bytes as the limit; with one more, those that keep some and are silent are cut', () => {
  const connections = new Connections(100, 1000);
  const [idle, old, busy] = [fake(connections, 1), fake(connections, 2, 400), fake(connections, null, 600)];
  expect(cutOf([idle, old, busy])).toEqual([]);
  const young = fake(connections, 3, 1);
  expect([idle.isCut, old.isCut, busy.isCut, young.isCut]).toEqual([false, true, false, true]);
});

test('nothing is cut for bytes of connections that are all being answered', () => {
  const connections = new Connections(100, 1000);
  const busy = fake(connections, null, 2000);
  expect(busy.isCut).toBe(false);
});
