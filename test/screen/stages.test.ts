import { expect, test } from 'bun:test';
import { StageClock } from '../../src/screen/stages.ts';

/** A clock that stands where it is put. */
class Clock extends StageClock {
  constructor(readonly time = { ms: 0 }) {
    super(() => time.ms);
  }
}

test('a stage has the time since the previous stage, and laps of the same stage add up', () => {
  const clock = new Clock({ ms: 100 });
  clock.time.ms = 103;
  clock.lap('admit');
  clock.time.ms = 110;
  clock.lap('parse');
  clock.time.ms = 111;
  clock.lap('admit');
  expect([...clock.ms]).toEqual([
    ['admit', 4],
    ['parse', 7],
  ]);
});

test('waiting time counts only in its own stage, and only once', () => {
  const clock = new Clock();
  clock.time.ms = 10;
  clock.lap('parse', { upload: 6, queue: 1 });
  clock.time.ms = 15;
  clock.lap('profile', { upload: 6, queue: 3 });
  clock.time.ms = 16;
  clock.lap('commit');
  expect(Object.fromEntries(clock.ms)).toEqual({ parse: 3, upload: 6, queue: 3, profile: 3, commit: 1 });
});
