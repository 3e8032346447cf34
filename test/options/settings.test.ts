import '../property/seed.ts';
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseOptions } from '../../src/options/options.ts';
import { parseSettings, type Settings, withSettings } from '../../src/options/settings.ts';
import { THRESHOLDS, type Thresholds } from '../../src/terms/policy.ts';

const NAMES = Object.keys(THRESHOLDS) as (keyof Thresholds)[];
/** Any that are accepted by themselves. */
const someThresholds = fc
  .dictionary(
    fc.constantFrom(...NAMES),
    fc.integer({ min: 0, max: 10 }).map(tenths => tenths / 10),
  )
  .filter(thresholds => {
    try {
      parseOptions({ thresholds });
      return true;
    } catch {
      return false;
    }
  });

describe('the options of a batch with the settings of its source', () => {
  test('a request that is accepted by itself is accepted whatever is set, and every threshold it gives holds', () => {
    fc.assert(
      fc.property(someThresholds, someThresholds, (given, set) => {
        const { thresholds, given: counting } = withSettings(
          parseOptions({ thresholds: given }),
          parseSettings({ thresholds: set }),
          'contract',
        );
        expect(thresholds).toMatchObject(given);
        for (const name of NAMES) {
          const isSaid = name in given || name in set;
          expect(name in counting).toBe(isSaid);
          if (isSaid) expect(counting[name]).toBe(thresholds[name]);
        }
        expect(thresholds.null_rate_warn).toBeLessThanOrEqual(thresholds.null_rate_block);
        expect(thresholds.type_mismatch_warn).toBeLessThanOrEqual(thresholds.type_mismatch_block);
        expect(thresholds.health_block).toBeLessThanOrEqual(thresholds.health_warn);
      }),
    );
  });

  test('without settings are those of the request, to the letter', () => {
    fc.assert(
      fc.property(someThresholds, thresholds => {
        const options = parseOptions({ thresholds, full_scan: true });
        expect(withSettings(options, {}, 'contract')).toEqual(options);
      }),
    );
  });

  test.each<[object, Settings, 'contract' | 'adaptive', string, number]>([
    [{}, {}, 'contract', 'contract', 0.01],
    [{}, {}, 'adaptive', 'adaptive', 0.01],
    [{}, { mode: 'contract', false_alarm_rate: 0.1 }, 'adaptive', 'contract', 0.1],
    [{ mode: 'contract' }, { mode: 'adaptive' }, 'adaptive', 'contract', 0.01],
    [{ false_alarm_rate: 0.02 }, { mode: 'adaptive', false_alarm_rate: 0.1 }, 'contract', 'adaptive', 0.02],
  ])('%j with %j on a server of %s are judged in %s at %d', (request, settings, server, mode, rate) => {
    expect(withSettings(parseOptions(request), settings, server)).toMatchObject({
      mode,
      falseAlarmRate: rate,
    });
  });

  test('a threshold that is set and overridden moves its partner no more', () => {
    const judged = (thresholds: object, set: Settings['thresholds']) =>
      withSettings(parseOptions({ thresholds }), { thresholds: set! }, 'contract').thresholds;
    expect(judged({ null_rate_warn: 0.3 }, { null_rate_warn: 0.9 }).null_rate_block).toBe(0.7);
    expect(judged({ health_warn: 0.8 }, { health_warn: 0.2 }).health_block).toBe(0.5);
    expect(judged({ health_warn: 0.8 }, { null_rate_warn: 0.9 }).null_rate_block).toBe(0.9);
    expect(judged({ null_rate_block: 0.95 }, { null_rate_warn: 0.9 }).null_rate_warn).toBe(0.9);
  });

  test('names from the prototype are no thresholds', () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect(() => parseSettings(JSON.parse(`{"thresholds":{"${name}":0.5}}`))).toThrow('has no');
  });
});
