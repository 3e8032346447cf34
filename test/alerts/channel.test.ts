import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import {
  channelSettings,
  channelType,
  hears,
  MAX_NAME_CHARACTERS,
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERNS,
  MAX_URL_CHARACTERS,
  matches,
} from '../../src/alerts/channel.ts';
import { isRefusedAddress, isRefusedHost } from '../../src/alerts/target.ts';

const RULES = { allowPrivate: false, canMail: true };
const URL = 'https://example.com/hook';

const settings = (given: Record<string, unknown>, rules = RULES) =>
  channelSettings({ url: URL, ...given }, 'webhook', rules, null);
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return 'accepted';
};

describe('the settings of a channel', () => {
  test('have defaults: every source, from WARN on', () => {
    expect(settings({})).toEqual({ name: 'webhook', target: URL, sources: ['*'], on: 'warn' });
  });

  test('keep what a change leaves out', () => {
    const before = settings({ name: 'a', sources: ['x'], on: 'block' });
    expect(channelSettings({ name: 'b' }, 'webhook', RULES, before)).toEqual({ ...before, name: 'b' });
  });

  test.each([
    ['name', 'x'.repeat(MAX_NAME_CHARACTERS)],
    ['url', URL.padEnd(MAX_URL_CHARACTERS, 'x')],
    ['sources', Array(MAX_PATTERNS).fill('x'.repeat(MAX_PATTERN_CHARACTERS))],
  ])('%s may be as long as its limit and no longer', (name, value) => {
    expect(refusal(() => settings({ [name]: value }))).toBe('accepted');
    const longer = Array.isArray(value) ? [...value, 'x'] : `${value}x`;
    expect(refusal(() => settings({ [name]: longer }))).toStartWith(`INVALID_PARAMETER: ${name} must be`);
  });

  test.each([
    [{ name: '' }],
    [{ name: 'a\nb' }],
    [{ name: 7 }],
    [{ url: 'ftp://example.com' }],
    [{ url: 'https://ann:secret@example.com' }],
    [{ url: 'example.com' }],
    [{ url: null }],
    [{ sources: [] }],
    [{ sources: 'orders' }],
    [{ sources: [''] }],
    [{ sources: ['orders\n'] }],
    [{ sources: ['orders\ud800'] }],
    [{ sources: ['x'.repeat(MAX_PATTERN_CHARACTERS + 1)] }],
    [{ on: 'BLOCK' }],
    [{ to: 'ann@example.com' }],
    [{ severity: 'warn' }],
  ])('%p is refused', given => {
    expect(refusal(() => settings(given))).toStartWith('INVALID_PARAMETER: ');
  });

  test('a refused URL is not repeated: its path is often a secret', () => {
    expect(refusal(() => settings({ url: 'http://127.0.0.1/secret' }))).not.toContain('secret');
  });

  test('a mail goes to an address, where there is a mail server', () => {
    const mail = (to: unknown) => channelSettings({ to }, 'email', RULES, null);
    expect(mail(' Ann@Corp.com').target).toBe('ann@corp.com');
    expect(refusal(() => mail('ann'))).toBe("INVALID_PARAMETER: to must be an e-mail address, not 'ann'");
    expect(channelType({ type: 'email' }, RULES)).toBe('email');
    expect(refusal(() => channelType({ type: 'email' }, { ...RULES, canMail: false }))).toContain('SMTP_URL');
    expect(refusal(() => channelType({ type: 'pager' }, RULES))).toContain("not 'pager'");
  });
});

describe('a private target', () => {
  const PRIVATE = [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    'ff02::1',
  ];

  test.each(PRIVATE)('%s is refused', address => {
    expect(isRefusedAddress(address)).toBe(true);
    const host = address.includes(':') ? `[${address}]` : address;
    expect(refusal(() => settings({ url: `http://${host}:8080/x` }))).toContain('ALERT_ALLOW_PRIVATE');
  });

  test.each([
    'localhost',
    'a.localhost',
    'printer.local',
    'db.internal',
    'LOCALHOST.',
    '2130706433',
    '0x7f.1',
  ])('the host %s is refused', host => {
    expect(refusal(() => settings({ url: `http://${host}/x` }))).toContain('ALERT_ALLOW_PRIVATE');
  });

  test('is accepted where the operator allows it', () => {
    expect(settings({ url: 'http://127.0.0.1:9/x' }, { ...RULES, allowPrivate: true }).target).toBe(
      'http://127.0.0.1:9/x',
    );
  });

  // https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry
  test.each([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.31.196.0', '192.31.196.255'],
    ['192.52.193.0', '192.52.193.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['192.175.48.0', '192.175.48.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '239.255.255.255'],
    ['240.0.0.0', '255.255.255.255'],
    ['::', '::1'],
    ['::ffff:0:0', '::ffff:ffff:ffff'],
    ['64:ff9b::', '64:ff9b::ffff:ffff'],
    ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['100::', '100::ffff:ffff:ffff:ffff'],
    ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
    ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
    ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('the special-purpose block from %s to %s is refused', (first, last) => {
    expect([first, last].map(isRefusedAddress)).toEqual([true, true]);
  });

  test.each([
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '192.0.1.0',
    '192.31.195.255',
    '192.31.197.0',
    '192.52.192.255',
    '192.52.194.0',
    '192.88.98.255',
    '192.88.100.0',
    '192.175.47.255',
    '192.175.49.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::',
    '2001:db7:ffff::',
    '2001:db9::',
    '2003::',
    '2620:4f:7fff:ffff::',
    '2620:4f:8001::',
    '3ffe:ffff::',
  ])('%s, beside such a block, is public', address => {
    expect(isRefusedAddress(address)).toBe(false);
  });

  test.each(['93.184.216.34', '1.1.1.1', '172.15.0.1', '172.32.0.1', '2606:4700::1111'])(
    '%s is public',
    address => {
      expect(isRefusedAddress(address)).toBe(false);
    },
  );

  test('is not a public name', () => {
    expect(isRefusedHost('hooks.slack.com')).toBe(false);
    expect(isRefusedHost('mylocal')).toBe(false);
  });
});

describe('a pattern of sources', () => {
  test.each([
    ['orders', 'orders', true],
    ['orders', 'orders2', false],
    ['*', '', true],
    ['*', 'anything/at all', true],
    ['raw/*', 'raw/', true],
    ['raw/*', 'raw', false],
    ['*/orders', 'a/b/orders', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'abbc', true],
    ['a**c', 'ac', true],
    ['a.c', 'abc', false],
  ])('%s on %s: %p', (pattern, source, expected) => {
    expect(matches(pattern, source)).toBe(expected);
  });

  test('matches as the obvious regular expression does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', '\n'), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (pattern, source) => {
        const pieces = pattern.split('*').map(piece => piece.replaceAll('.', '\\.'));
        expect(matches(pattern, source)).toBe(new RegExp(`^${pieces.join('[^]*')}$`).test(source));
      }),
    );
  });

  test('takes a time that does not explode', () => {
    expect(matches(`${'a*'.repeat(100)}b`, 'a'.repeat(100_000))).toBe(false);
  });

  test('is heard with the verdict', () => {
    const channel = { sources: ['x', 'raw/*'], on: 'block' as const };
    expect(hears(channel, { source: 'raw/a', verdict: 'BLOCK' })).toBe(true);
    expect(hears(channel, { source: 'raw/a', verdict: 'WARN' })).toBe(false);
    expect(hears({ ...channel, on: 'warn' }, { source: 'raw/a', verdict: 'WARN' })).toBe(true);
    expect(hears(channel, { source: 'other', verdict: 'BLOCK' })).toBe(false);
  });
});
