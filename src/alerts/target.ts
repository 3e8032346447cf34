/** Which addresses alerts may be posted to: an account must not reach the network of the service. */
import { BlockList, isIP } from 'node:net';

/** All blocks of IANA's registry of special-purpose addresses (RFC 6890), and multicast. */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** Of IPv6 only global unicast is public, and of it no block of the registry. */
const GLOBAL_IPV6 = '2000::/3';
const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const refusedV4 = listOf(REFUSED_IPV4, 'ipv4');
const globalV6 = listOf([GLOBAL_IPV6], 'ipv6');
const refusedV6 = listOf(REFUSED_IPV6, 'ipv6');

function listOf(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address, prefix] = subnet.split('/') as [string, string];
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Whether an IP address is not a public one of a single host. */
export function isRefusedAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return refusedV4.check(address, 'ipv4');
  if (version !== 6) return true;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return refusedV4.check(mapped, 'ipv4');
  return !globalV6.check(address, 'ipv6') || refusedV6.check(address, 'ipv6');
}

/** Whether the host of a URL is known at once not to be public. Other names are checked when they are resolved. */
export function isRefusedHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return isRefusedAddress(host);
  return /(^|\.)(localhost|local|internal|home\.arpa)$/i.test(host);
}
