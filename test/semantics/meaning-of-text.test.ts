import { describe, expect, test } from 'bun:test';
import { meaningsOf } from '../../src/semantics/meaning-of-text.ts';

describe('a text that may be personal data', () => {
  test.each([
    ['4111111111111111', 'Visa'],
    ['4111 1111 1111 1111', 'Visa in groups'],
    ['5555-5555-5555-4444', 'Mastercard'],
    ['2223003122003222', 'Mastercard from 2 on'],
    ['378282246310005', 'American Express'],
    ['3782 822463 10005', 'American Express in groups'],
    ['6011111111111117', 'Discover'],
    ['3530111333300000', 'JCB'],
    ['30569309025904', 'Diners Club'],
    ['6200000000000005', 'UnionPay'],
  ])('%s is a card number (%s)', text => {
    expect(meaningsOf(text)).toEqual(['card_number']);
  });

  test.each([
    'DE89370400440532013000',
    'GB82 WEST 1234 5698 7654 32',
    'NO9386011117947',
    'MT84MALT011000012345MTLCAST001S',
  ])('%s is an IBAN', text => {
    expect(meaningsOf(text)).toEqual(['iban']);
  });

  test.each([
    '+49 30 1234567',
    '+14155552671',
    '+44 (0)20 7946 0958',
    '(415) 555-2671',
    '415-555-2671',
    '1-415-555-2671',
    '415.555.2671 x12',
  ])('%s is a phone number', text => {
    expect(meaningsOf(text)).toEqual(['phone']);
  });

  test.each(['030 1234567', '5552671', '0171/1234567', '4155552671'])(
    '%s is one if its column says so',
    text => {
      expect(meaningsOf(text)).toEqual(['phone_digits']);
    },
  );

  test.each(['192.168.0.1', '8.8.4.200', '2001:db8::8a2e:370:7334', '::ffff:192.0.2.1'])(
    '%s is an IP address',
    text => {
      expect(meaningsOf(text)).toEqual(['ip_address', 'certain_ip_address']);
    },
  );

  test('an IP address of small numbers may be a version', () => {
    expect(meaningsOf('10.0.0.1')).toEqual(['ip_address']);
  });
});

test.each([
  ['4111111111111112', 'a wrong check digit'],
  ['9111111111111111', 'no first digits of a card'],
  ['4111 1111 1111 1', 'groups of one digit'],
  ['490154203237518', 'the number of a device, which has a check digit too'],
  ['DE88370400440532013000', 'wrong check digits'],
  ['DE8937', 'too short'],
  ['529900T8BM49AURSDO55', 'the identifier of a company'],
  ['2026-01-02', 'a date'],
  ['96.0.4664.110', 'a version of a browser'],
  ['1.2.3.4.5', 'five numbers'],
  ['12:34:56', 'a time'],
  ['00:1b:44:11:3a:b7', 'the address of a device'],
  ['add::bad', 'a name of a program'],
  ['+5', 'a difference'],
  ['+1234567', 'seven digits'],
  ['978-3-16-148410-0', 'the number of a book'],
  ['115-234-5678', 'no town begins with 1'],
  ['f47ac10b-58cc-4372-a567-0e02b2c3d479', 'a UUID'],
  ['', 'nothing'],
])('%p says nothing by itself: %s', text => {
  expect(meaningsOf(text).filter(meaning => meaning !== 'phone_digits')).toEqual([]);
});

test('hostile texts are read in linear time', () => {
  for (const text of [
    '1'.repeat(64),
    `${'1 '.repeat(31)}x`,
    `+${'1'.repeat(62)}x`,
    `DE89${'A'.repeat(60)}`,
    '1-'.repeat(32),
    ':'.repeat(64),
  ])
    expect(meaningsOf(text)).toEqual([]);
});
