import { describe, expect, test } from 'bun:test';
import { Rejection } from '../../src/terms/errors.ts';
import { ALL_SIGNS, parseOptions } from '../../src/options/options.ts';

const defaults = {
  null_rate_warn: 0.3,
  null_rate_block: 0.7,
  type_mismatch_warn: 0.05,
  type_mismatch_block: 0.2,
  health_warn: 0.8,
  health_block: 0.5,
};

function refusal(value: unknown): Rejection {
  try {
    parseOptions(value);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  throw new Error('accepted');
}

const thresholds = (given: unknown) => parseOptions({ thresholds: given }).thresholds;

describe('defaults', () => {
  test('stand where nothing is given', () => {
    const expected = {
      fullScan: false,
      rowVerdicts: false,
      thresholds: defaults,
      chunk: false,
      dryRun: false,
      mode: 'contract' as const,
      isAuto: false,
      given: {},
      falseAlarmRate: 0.01,
      signs: ALL_SIGNS,
      settleAfter: 8,
      said: {},
    };
    expect(parseOptions(undefined)).toEqual(expected);
    expect(parseOptions({})).toEqual(expected);
    expect(parseOptions({ thresholds: {} })).toEqual(expected);
  });

  test('are overridden by what is given', () => {
    expect(parseOptions({ full_scan: true, dry_run: true })).toMatchObject({ fullScan: true, dryRun: true });
    expect(parseOptions({ dry_run: false }).dryRun).toBe(false);
    const adaptive = { mode: 'adaptive', false_alarm_rate: 0.05, thresholds: { null_rate_warn: 0.9 } };
    expect(parseOptions(adaptive)).toMatchObject({
      mode: 'adaptive',
      falseAlarmRate: 0.05,
      given: { null_rate_warn: 0.9 },
    });
  });

  test('survive one request changing its own copy', () => {
    thresholds({ null_rate_warn: 0.9 });
    expect(thresholds({})).toEqual(defaults);
  });
});

describe('wrong types', () => {
  test.each([
    [null, 'options'],
    [[], 'options'],
    ['{}', 'options'],
    [7, 'options'],
    [{ full_scan: 'true' }, 'options.full_scan'],
    [{ full_scan: null }, 'options.full_scan'],
    [{ mode: 'strict' }, 'options.mode'],
    [{ mode: null }, 'options.mode'],
    [{ false_alarm_rate: 0 }, 'options.false_alarm_rate'],
    [{ false_alarm_rate: 0.3 }, 'options.false_alarm_rate'],
    [{ false_alarm_rate: '0.01' }, 'options.false_alarm_rate'],
    [{ dry_run: 1 }, 'options.dry_run'],
    [{ dry_run: 'false' }, 'options.dry_run'],
    [{ thresholds: null }, 'options.thresholds'],
    [{ thresholds: [0.5] }, 'options.thresholds'],
    [{ thresholds: { health_warn: '0.5' } }, 'options.thresholds.health_warn'],
    [{ thresholds: { health_warn: null } }, 'options.thresholds.health_warn'],
    [{ thresholds: { health_warn: true } }, 'options.thresholds.health_warn'],
  ])('%j is refused, and the message names %s', (value, name) => {
    expect(refusal(value)).toMatchObject({ code: 'INVALID_OPTIONS', status: 400 });
    expect(refusal(value).message).toStartWith(`${name} must be `);
  });
});

describe('thresholds', () => {
  test('reach from 0 to 1 and no further', () => {
    for (const name of Object.keys(defaults)) {
      expect(thresholds({ [name]: 0 })).toMatchObject({ [name]: 0 });
      expect(thresholds({ [name]: 1 })).toMatchObject({ [name]: 1 });
      for (const outside of [-1e-9, 1 + 1e-9, Number.POSITIVE_INFINITY]) {
        expect(refusal({ thresholds: { [name]: outside } }).code).toBe('INVALID_OPTIONS');
      }
    }
  });

  test.each([
    [{ null_rate_warn: 0.5, null_rate_block: 0.4 }],
    [{ type_mismatch_warn: 0.5, type_mismatch_block: 0.4 }],
    [{ health_warn: 0.4, health_block: 0.5 }],
  ])('%j contradict each other', given => {
    expect(refusal({ thresholds: given }).code).toBe('INVALID_OPTIONS');
  });

  test.each([
    [{ null_rate_warn: 0.5, null_rate_block: 0.5 }],
    [{ type_mismatch_warn: 0.5, type_mismatch_block: 0.5 }],
    [{ health_warn: 0.5, health_block: 0.5 }],
  ])('%j may be equal', given => {
    expect(thresholds(given)).toEqual({ ...defaults, ...given });
  });

  test.each([
    [{ null_rate_warn: 0.8 }, { null_rate_block: 0.8 }],
    [{ null_rate_block: 0.2 }, { null_rate_warn: 0.2 }],
    [{ type_mismatch_warn: 0.3 }, { type_mismatch_block: 0.3 }],
    [{ type_mismatch_block: 0 }, { type_mismatch_warn: 0 }],
    [{ health_warn: 0.4 }, { health_block: 0.4 }],
    [{ health_block: 0.9 }, { health_warn: 0.9 }],
  ])('a lone %j moves the default of its partner to it', (given, moved) => {
    expect(thresholds(given)).toEqual({ ...defaults, ...given, ...moved });
  });

  test('leave a partner alone that does not contradict', () => {
    expect(thresholds({ null_rate_warn: 0.6 })).toEqual({ ...defaults, null_rate_warn: 0.6 });
  });

  test.each(['null_rate', 'constructor', '__proto__', ''])(
    'there is no %j, and the message lists those there are',
    name => {
      const { code, message } = refusal({ thresholds: JSON.parse(`{${JSON.stringify(name)}: 0.5}`) });
      expect(code).toBe('INVALID_OPTIONS');
      expect(message).toContain(`'${name}'`);
      for (const known of Object.keys(defaults)) expect(message).toContain(known);
    },
  );
});

describe('other members', () => {
  test('that are unknown are ignored', () => {
    const hostile = JSON.parse('{"__proto__": {"full_scan": true}, "constructor": 1, "x": null}');
    expect(parseOptions(hostile)).toEqual(parseOptions({}));
  });

  test('full_scan is taken as given', () => {
    expect(parseOptions({ full_scan: true }).fullScan).toBe(true);
    expect(parseOptions({ full_scan: false }).fullScan).toBe(false);
  });

  test('total_batches above 1 makes a chunk', () => {
    expect(parseOptions({ total_batches: 1 }).chunk).toBe(false);
    expect(parseOptions({ total_batches: 2 }).chunk).toBe(true);
    expect(parseOptions({ batch_index: 3 }).chunk).toBe(false);
  });

  test('batch_index may count from 0 or from 1', () => {
    for (const batch_index of [0, 1, 3])
      expect(parseOptions({ batch_index, total_batches: 3 }).chunk).toBe(true);
    expect(refusal({ batch_index: 4, total_batches: 3 }).message).toContain('batch_index (4)');
  });

  test.each([
    [{ total_batches: 0 }],
    [{ total_batches: 1.5 }],
    [{ total_batches: '2' }],
    [{ total_batches: null }],
    [{ total_batches: 1e300 }],
    [{ batch_index: -1 }],
    [{ batch_index: 0.5 }],
    [{ batch_index: [] }],
  ])('%j is refused', value => {
    expect(refusal(value).code).toBe('INVALID_OPTIONS');
  });
});
