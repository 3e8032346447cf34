import { describe, expect, test } from 'bun:test';
import { type TSchema, Type } from '@sinclair/typebox';
import { checkedBy, orNull, word } from '../../src/report-schema/values.ts';
import { checked } from '../../src/http/check.ts';

const Order = Type.Object({
  state: word(['open', 'paid', 'sent'], 'Its state'),
  rows: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  paid: Type.Optional(Type.Boolean()),
  tags: Type.Optional(orNull(Type.Array(Type.String({ maxLength: 3 }), { minItems: 1, maxItems: 2 }))),
  place: Type.Optional(Type.Object({ floors: Type.Array(Type.Object({ room: Type.Number() })) })),
  even: Type.Optional(
    checkedBy<number>(value => Number(value) % 2 === 0, 'an even number', { type: 'integer' }),
  ),
});
const OPEN = { state: 'open' };

const messageOf = (value: unknown, schema: TSchema = Order): string => {
  try {
    checked(schema, value, 'INVALID_OPTIONS');
    return '';
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', status: 400 });
    return (error as Error).message;
  }
};

describe('a body', () => {
  test.each([
    OPEN,
    { ...OPEN, rows: 9, paid: false, tags: null, even: 4, unknown: 1 },
    { ...OPEN, tags: ['a', 'b'], place: { floors: [] } },
  ])('%j is returned', value => {
    expect(checked(Order, value, 'INVALID_OPTIONS') as unknown).toBe(value);
  });

  test.each([
    [[], 'The body must be a JSON object'],
    [{}, 'state must be one of open, paid, sent: it is missing'],
    [{ state: 'lost' }, "state must be one of open, paid, sent, not 'lost'"],
    [{ ...OPEN, rows: 10 }, 'rows must be a whole number from 1 to 9, not 10'],
    [{ ...OPEN, rows: null }, 'rows must be a whole number from 1 to 9, not null'],
    [{ ...OPEN, rows: {} }, 'rows must be a whole number from 1 to 9, not an object'],
    [{ ...OPEN, paid: 1 }, 'paid must be true or false, not 1'],
    [{ ...OPEN, even: 3 }, 'even must be an even number, not 3'],
    [{ ...OPEN, tags: [] }, 'tags must be a list of 1 to 2'],
    [{ ...OPEN, tags: 7 }, 'tags must be a list of 1 to 2, not 7'],
    [{ ...OPEN, tags: ['a', 7] }, 'tags[1] must be a string of at most 3 characters, not 7'],
    [{ ...OPEN, place: { floors: [{ room: [] }] } }, 'place.floors[0].room must be a number, not an array'],
  ])('%j is refused with its place, what is right and what was found', (value, message) => {
    expect(messageOf(value)).toBe(message);
  });

  test('is refused without repeating a text that people write', () => {
    expect(messageOf({ ...OPEN, tags: ['a secret'] })).toBe(
      'tags[0] must be a string of at most 3 characters',
    );
  });
});
