import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { fingerprint, inferSchema } from '../../src/profile/schema.ts';
import { expectedType } from '../../src/rules/expected-type.ts';
import '../property/seed.ts';
import { baselineOf, column, profileOf, type Row } from './batch.ts';

const schemaOf = (values: readonly unknown[]) => inferSchema(profileOf(column('f', values))).f;

const expectedOf = (values: readonly unknown[], before?: readonly unknown[], provisional = false) => {
  const baseline = before === undefined ? null : baselineOf(column('f', before), { provisional });
  return expectedType(profileOf(column('f', values)).fields[0]!, baseline);
};

describe('type', () => {
  test('is the one that more than half of the non-null values have', () => {
    expect(schemaOf([1, 2, 'a'])).toEqual({ type: 'number', confidence: 2 / 3 });
    expect(schemaOf([true, null, null, null])).toEqual({ type: 'boolean', confidence: 1 });
    expect(schemaOf([[1], [2], {}])).toEqual({ type: 'array', confidence: 2 / 3 });
    expect(schemaOf([{}, {}, 1])).toEqual({ type: 'object', confidence: 2 / 3 });
    expect(schemaOf(['1', '2', 1])).toEqual({ type: 'string', confidence: 2 / 3 });
  });

  test('is mixed when exactly half have it, with the largest share as confidence', () => {
    expect(schemaOf([1, 'a'])).toEqual({ type: 'mixed', confidence: 0.5 });
    expect(schemaOf([1, 2, 'a', true])).toEqual({ type: 'mixed', confidence: 0.5 });
    expect(schemaOf([1, 'a', true])).toEqual({ type: 'mixed', confidence: 1 / 3 });
  });

  test('is null with confidence 1 without a non-null value', () => {
    expect(schemaOf([null, null])).toEqual({ type: 'null', confidence: 1 });
  });

  test('counts a number too large for a double as a number', () => {
    expect(schemaOf([Number.POSITIVE_INFINITY, 1])).toEqual({ type: 'number', confidence: 1 });
  });
});

describe('expected type', () => {
  test('is the type of the baseline where that is definite', () => {
    expect(expectedOf(['a', 'b'], [1])).toBe('number');
  });

  test('is the dominant type where the baseline is mixed, null, provisional or lacks the field', () => {
    expect(expectedOf(['a', 'b', 1], [1, 'a'])).toBe('string');
    expect(expectedOf(['a', 'b', 1], [null])).toBe('string');
    expect(expectedOf(['a', 'b', 1], [1], true)).toBe('string');
    expect(expectedOf(['a', 'b', 1])).toBe('string');
    expect(expectedType(profileOf(column('f', ['a'])).fields[0]!, baselineOf(column('g', [1])))).toBe(
      'string',
    );
  });

  test('is the type that most values have when none is dominant', () => {
    expect(expectedOf(['a', 'b', 1, true])).toBe('string');
  });

  test('settles ties by the order number, boolean, object, array, string', () => {
    const inOrder = [1, true, {}, [], 'a'];
    const types = ['number', 'boolean', 'object', 'array', 'string'] as const;
    for (const [index, type] of types.entries()) {
      expect(expectedOf(inOrder.slice(index).reverse())).toBe(type);
    }
  });
});

describe('fingerprint', () => {
  const of = (rows: readonly Row[]) => fingerprint(inferSchema(profileOf(rows)));

  test('is the SHA-256 of the sorted pairs as JSON without spaces', () => {
    // printf '%s' '[["amount","number"],["email","string"]]' | sha256sum
    const known = 'c09842e82707eed331bbc4f936e1afa3380310579ab980e9db2db2267eb9b221';
    expect(of([{ email: 'a@corp.com', amount: 1 }])).toBe(known);
  });

  test('changes with a name and with a type', () => {
    const all = [[{ a: 1 }], [{ b: 1 }], [{ a: '1' }], [{ a: null }], [{ a: 1, b: 1 }]].map(of);
    expect(new Set(all).size).toBe(all.length);
  });

  test('sorts by code points, not by UTF-16 units, lone surrogates included', () => {
    const shared = 'x'.repeat(3000);
    const ends = [
      '',
      'a',
      '\ud83d',
      '\ud83da',
      '\ud83d\ue000',
      '\ue000',
      '\uffff',
      '\ud83d\ude00',
      '\ud83d\ude00a',
      '\ud83d\ude01',
    ];
    const names = [...ends.slice(0, 2), ...ends.map(end => shared + end), ...ends.slice(2)];
    for (const [index, first] of names.entries()) {
      for (const second of names.slice(index + 1)) {
        const text = JSON.stringify([first, second].map(name => [name, 'number']));
        const hash = createHash('sha256').update(text).digest('hex');
        expect(of([{ [first]: 1, [second]: 1 }])).toBe(hash);
        expect(of([{ [second]: 1, [first]: 1 }])).toBe(hash);
      }
    }
  });

  test('depends on neither row order, field order nor values', () => {
    const rows = fc.array(
      fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), fc.constantFrom(1, 'a', null)),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(rows, rows => {
        const turned = rows.toReversed().map(row => Object.fromEntries(Object.entries(row).reverse()));
        const changed = turned.map(row =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, otherOfItsType(value)])),
        );
        expect(of(changed)).toBe(of(rows));
      }),
    );
  });

  const otherOfItsType = (value: unknown) => (value === 1 ? 7 : value === 'a' ? 'other' : null);
});
