import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { addMeanings, MEANINGS, type Meanings, semanticsOf } from '../../src/semantics/semantic-type.ts';

const columnOf = (meanings: Meanings, name = 'x', values = 100, distinct = 100, emails = 0) =>
  semanticsOf({ name, values, distinct, emails, meanings });

describe('a column has a semantic type', () => {
  test('from eight tenths of its values on', () => {
    expect(columnOf({ iban: 80 })).toEqual({ type: 'iban', share: 0.8 });
    expect(columnOf({ iban: 79 })).toBeNull();
    expect(columnOf({}, 'x', 100, 100, 90)).toEqual({ type: 'email', share: 0.9 });
  });

  test('from ten different values on', () => {
    expect(columnOf({ card_number: 100 }, 'x', 100, 10)?.type).toBe('card_number');
    expect(columnOf({ card_number: 100 }, 'x', 100, 9)).toBeNull();
  });

  test('of phones, where only its name tells digits from ids', () => {
    const digits = { phone_digits: 100 };
    for (const name of ['phone', 'Phone Number', 'homePhone', 'tel', 'fax_no', 'Telefon', 'mobile'])
      expect([name, columnOf(digits, name)?.type]).toEqual([name, 'phone']);
    for (const name of ['order_id', 'phone_sales', 'telemetry', 'hotel', 'number', 'mobile_users'])
      expect([name, columnOf(digits, name)]).toEqual([name, null]);
  });

  test('of addresses, unless they may be versions', () => {
    expect(columnOf({ ip_address: 100, certain_ip_address: 50 })?.type).toBe('ip_address');
    expect(columnOf({ ip_address: 100, certain_ip_address: 49 })).toBeNull();
    expect(columnOf({ ip_address: 100 }, 'client_ip')?.type).toBe('ip_address');
    expect(columnOf({ ip_address: 100 }, 'zip')).toBeNull();
  });
});

test('what parts of a batch mean adds up in any order', () => {
  const meanings = fc.dictionary(fc.constantFrom(...MEANINGS), fc.integer({ min: 1, max: 10_000 }));
  fc.assert(
    fc.property(meanings, meanings, meanings, (a, b, c) => {
      expect(addMeanings(a, b)).toEqual(addMeanings(b, a));
      expect(addMeanings(addMeanings(a, b), c)).toEqual(addMeanings(a, addMeanings(b, c)));
    }),
  );
});
