import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { ClientAddresses, type Subnet } from '../../src/http/client-address.ts';

const PROXIES: Subnet[] = [
  { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
  { address: 'fd00::', prefix: 8, family: 'ipv6' },
];
const behind = new ClientAddresses(PROXIES);
const direct = new ClientAddresses([]);

describe('without a trusted proxy the client is the peer', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s counts as %s', (peer, client) => {
    expect(direct.of(peer, null)).toBe(client);
    expect(direct.of(peer, '198.51.100.7')).toBe(client);
  });

  test('all unknown peers count as one client', () => {
    expect(direct.of(null, '198.51.100.7')).toBe('unknown');
    expect(behind.of(null, '198.51.100.7')).toBe('unknown');
  });
});

describe('behind a trusted proxy', () => {
  test.each([
    ['the address that it names', '198.51.100.7', '198.51.100.7'],
    ['with a port', '198.51.100.7:4711', '198.51.100.7'],
    ['IPv6', '2001:db8::7', '2001:db8:0:0::/64'],
    ['IPv6 with a port', '[2001:db8::7]:4711', '2001:db8:0:0::/64'],
    ['IPv4 within IPv6', '::ffff:198.51.100.7', '198.51.100.7'],
    ['what the client made up stands to the left', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
    ['a made-up proxy of ours does not help', '10.0.0.9, 198.51.100.7', '198.51.100.7'],
    ['several proxies', '1.1.1.1, 198.51.100.7, 10.1.1.1, fd00::1', '198.51.100.7'],
    ['a client within the proxies’ network', '10.9.9.9, 10.1.1.1', '10.9.9.9'],
    ['without spaces', '1.1.1.1,198.51.100.7', '198.51.100.7'],
  ])('%s', (_, forwarded, client) => {
    expect(behind.of('10.0.0.1', forwarded)).toBe(client);
    expect(behind.of('::ffff:10.0.0.1', forwarded)).toBe(client);
    expect(behind.of('fd00::5', forwarded)).toBe(client);
  });

  test.each([
    null,
    '',
    ',',
    'unknown',
    '_hidden',
    '198.51.100.7,',
    '198.51.100.7 x',
    '198.51.100.256',
    '0198.51.100.7',
    '3325256711',
    '[2001:db8::7',
    '[]',
    '2001:db8::7::1',
    'localhost',
    '__proto__',
    '198.51.100.7, unknown',
  ])('a header that ends in no address (%p) leaves the proxy as the client', forwarded => {
    expect(behind.of('10.0.0.1', forwarded)).toBe('10.0.0.1');
  });

  test('an invalid hop gives the last known proxy', () => {
    expect(behind.of('10.0.0.1', '198.51.100.7, unknown, 10.2.2.2')).toBe('10.2.2.2');
  });

  test('a peer that is not a trusted proxy is not trusted', () => {
    expect(behind.of('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
  });
});

test('a client cannot change its address with any header', () => {
  const made = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('10.0.0.1'));
  fc.assert(
    fc.property(fc.array(made), fc.ipV4(), (forged, real) => {
      fc.pre(!real.startsWith('10.'));
      expect(behind.of('10.0.0.1', [...forged, real].join(', '))).toBe(real);
      expect(direct.of(real, forged.join(','))).toBe(real);
    }),
  );
});

test('all notations of an IPv6 address and its whole /64 count as one client', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 }), (address, rest) => {
      const client = direct.of(address, null);
      if (!client.endsWith('/64')) return;
      const neighbour = [...client.split('::')[0]!.split(':'), ...rest.map(group => group.toString(16))];
      expect(direct.of(address.toUpperCase(), null)).toBe(client);
      fc.pre(!neighbour.join(':').startsWith('0:0:0:0:0:ffff'));
      expect(direct.of(neighbour.join(':'), null)).toBe(client);
    }),
  );
});
