/** Formats: what is one and what is none. */
import { describe, expect, test } from 'bun:test';
import type { DeclaredFormat } from '../../../src/rules/declared/document.ts';
import '../../property/seed.ts';
import fc from 'fast-check';
import { IS_FORMAT } from '../../oracle/rules.ts';
import { isKept, rowsOf } from './rows-of.ts';

const FORMATS: Record<DeclaredFormat, { are: string[]; areNot: string[] }> = {
  date: {
    are: ['2024-02-29', '0001-01-01', '9999-12-31', '1582-10-10'],
    areNot: [
      '',
      '2023-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-1-5',
      '20240105',
      '05/01/2024',
      '2024-01-05Z',
      '2024-01-05T10:00:00Z',
      ' 2024-01-05',
      '+2024-01-05',
      '2024-01',
      '২024-01-05',
    ],
  },
  time: {
    are: [
      '10:00:00',
      '23:59:59.999Z',
      '08:30:06+00:20',
      '08:30:06z',
      '23:59:60Z',
      '15:59:60-08:00',
      '00:00:00',
    ],
    areNot: [
      '',
      '24:00:00Z',
      '10:60:00',
      '8:30:06Z',
      '10:00',
      '10:00:00 PST',
      '10:00:00+0130',
      '10:00:00+01',
      '22:59:60Z',
      '10:00:00,5',
      '10:00:00+24:00',
      '2024-01-05T10:00:00Z',
      '10:00:00Z\n',
    ],
  },
  'date-time': {
    are: [
      '2024-01-05T10:00:00Z',
      '2024-01-05 10:00:00',
      '2024-01-05t10:00:00.123456z',
      '1998-12-31T23:59:60Z',
      '1990-12-31T15:59:50.123-08:00',
      '2024-01-05T10:00:00',
      '1985-04-12T00:59:59.999999999999999Z',
    ],
    areNot: [
      '',
      '2024-01-05',
      '2024-02-30T10:00:00Z',
      '2024-01-05T24:00:00Z',
      '2024-01-05T10:60:00Z',
      '2024-01-05T10:00Z',
      '2024-1-05T10:00:00Z',
      '05/01/2024 10:00:00',
      '2024-01-05T10:00:00+01:00Z',
      '2024-01-05T10:00:00+24:00',
      '1998-12-31T23:58:60Z',
      '20240105T100000Z',
      '2024-01-05T10:00:00.Z',
    ],
  },
  email: {
    are: [
      'ada@example.org',
      'a.b+c@x-y.example.co',
      '"joe bloggs"@example.com',
      "o'neil@example.com",
      'a@[127.0.0.1]',
      'a@[IPv6:::1]',
      `${'a'.repeat(64)}@example.org`,
      `${'a.'.repeat(31)}aa@example.org`,
      `"${'@'.repeat(62)}"@example.org`,
      `"${'\\"'.repeat(62)}"@example.org`,
      `a@${'b'.repeat(63)}.${'c-'.repeat(31)}c`,
    ],
    areNot: [
      '',
      'ada',
      'ada@',
      '@example.org',
      'a b@example.org',
      '.a@example.org',
      'a.@example.org',
      'a..b@example.org',
      'a@-x.org',
      'a@x_y.org',
      'a@example',
      'a@example.org, b@example.org',
      'a@[127.0.0.300]',
      `a@${'b'.repeat(64)}.org`,
      `a@example.${'b'.repeat(64)}`,
      `a@example.${'c-'.repeat(32)}`,
      `a@example.${'c-'.repeat(32)}c`,
    ],
  },
  uri: {
    are: [
      'https://example.org/a?b=c#d',
      'mailto:a@b.co',
      'urn:isbn:1',
      'http://[2001:db8::7]:80/',
      'http://u:p@h:1/%20',
      'ftp://x',
      'tel:+1-816',
      'file:///etc',
      'about:',
    ],
    areNot: [
      '',
      '//x/y',
      '/abc',
      'abc',
      'http:// x',
      ':// x',
      '1http://x',
      'a,b:c',
      'http://[::1',
      'http://x/%zz',
      'http://x:a/',
      'http://x/a b',
      'http://x/é',
      'http://x/<>',
      'http:/[::1]',
    ],
  },
  uuid: {
    are: ['2eb8aa08-AA98-11ea-b4aa-73b441d16380', '00000000-0000-0000-0000-000000000000'],
    areNot: [
      '',
      '2eb8aa08aa9811eab4aa73b441d16380',
      '2eb8aa08-aa98-11ea-b4aa-73b441d1638',
      '2eb8aa08-aa98-11ea-b4ga-73b441d16380',
      '{2eb8aa08-aa98-11ea-b4aa-73b441d16380}',
    ],
  },
  ipv4: {
    are: ['0.0.0.0', '255.255.255.255', '10.20.30.40'],
    areNot: ['', '256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4 ', '1.2.3.4/24', '0x7f.0.0.1'],
  },
  ipv6: {
    are: [
      '::',
      '::1',
      'fe80::1',
      '1:2:3:4:5:6:7:8',
      '::ffff:192.168.0.1',
      '1::d6:192.168.0.1',
      '1:2:3:4:5:6:7::',
      '::2:3:4:5:6:7:8',
      '1:2:3:4:5:6:1.2.3.4',
    ],
    areNot: [
      '',
      '1',
      ':1',
      '1:',
      '1::2::3',
      '12345::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '::ffff:192.168.0.01',
      '[::1]',
      'fe80::1%eth0',
      '::/64',
      '1:2:3:4:5:6:7:1.2.3.4',
      '1:2:3:4:5:6:7:8::',
    ],
  },
  country: { are: ['DE', 'US', 'ZW'], areNot: ['', 'de', 'XX', 'DEU', 'D', 'UK'] },
  currency: {
    are: ['EUR', 'USD', 'JPY', 'XAD', 'HRK', 'BGN'],
    areNot: ['', 'eur', 'EU', 'ABC', 'EURO', 'DEM', 'MRO'],
  },
};

describe.each(Object.entries(FORMATS))('%s', (format, { are, areNot }) => {
  test.each(are)('%j is one', text => expect(isKept(text, { format })).toBe(true));
  test.each(areNot)('%j is none', text => expect(isKept(text, { format })).toBe(false));
  test('only texts are looked at', () => {
    for (const value of [12, 1.5, true, {}, [], null]) expect(isKept(value, { format })).toBe(true);
  });
  test('a text that is long, or written with escapes, is read too', () => {
    expect(isKept('x'.repeat(100_000), { format })).toBe(false);
    expect(isKept(`${'\n'.repeat(100_000)}`, { format })).toBe(false);
  });
});

/** Examples with some characters left out, repeated or replaced by others that formats have. */
const mutatedOf = (examples: readonly string[]) => {
  const change = fc.tuple(fc.nat(40), fc.nat(2), fc.constantFrom(...'019afzZT :.-+@/?#[]%"\\\n\u00e9'));
  return fc
    .tuple(fc.constantFrom(...examples), fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([text, changes]) =>
      changes.reduce(
        (now, [at, left, put]) => now.slice(0, at) + put.repeat(Number(left < 2)) + now.slice(at + left),
        text,
      ),
    );
};

/** Only the engine knows all countries and currencies, and leap seconds. */
test.each(Object.entries(FORMATS).filter(([format]) => !['country', 'currency'].includes(format)))(
  'texts that are nearly of the format %s are told as a slow reader tells them',
  (format, { are, areNot }) => {
    fc.assert(
      fc.property(fc.array(mutatedOf([...are, ...areNot]), { minLength: 50, maxLength: 50 }), texts => {
        const rows = texts.filter(text => !text.includes(':60')).map(a => ({ a }));
        const wrong = rows.flatMap(({ a }, row) => (IS_FORMAT[format]!(a) ? [] : [row]));
        expect(rowsOf([{ a: 'none' }, ...rows], { fields: { a: { format } } })).toEqual({
          'fields.a.format': [0, ...wrong.map(row => row + 1)],
        });
      }),
      { numRuns: 20 },
    );
  },
);
