/**
 * Finds the client's network address, which limits use before a caller has signed in.
 *
 * X-Forwarded-For is a list to which each proxy appends the address of its caller. Clients can forge everything but the
 * end, so we read it from the right, as long as one of our proxies wrote the entry. The first address that is not one of
 * our proxies is the client.
 */
import { BlockList, isIP } from 'node:net';

export type Family = 'ipv4' | 'ipv6';

export interface Subnet {
  address: string;
  family: Family;
  /** Length of the prefix in bits: 32 or 128 for a single address. */
  prefix: number;
}

/** The platform does not know the peer, as with a Unix socket. */
export const UNKNOWN_CLIENT = 'unknown';

const IPV4_WITH_PORT = /^([\d.]+):\d+$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d+)?$/;
/** Groups of 16 bits that a provider assigns to one customer, who can choose the rest. */
const NETWORK_GROUPS = 4;

export class ClientAddresses {
  readonly #proxies = new BlockList();

  constructor(trustedProxies: readonly Subnet[]) {
    for (const { address, prefix, family } of trustedProxies)
      this.#proxies.addSubnet(address, prefix, family);
  }

  /** The IPv4 address, or the IPv6 network of 64 bits. `forwarded`: the header X-Forwarded-For. */
  of(peer: string | null, forwarded: string | null): string {
    let client = canonical(peer ?? '');
    if (client === null) return UNKNOWN_CLIENT;
    const hops = (forwarded ?? '').split(',');
    while (this.#isProxy(client)) {
      const hop = canonical(hops.pop() ?? '');
      if (hop === null) break;
      client = hop;
    }
    return isIP(client) === 4 ? client : networkOf(client);
  }

  #isProxy(address: string): boolean {
    return this.#proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
}

/** The canonical form of an address, without port, brackets and zone; IPv4-mapped IPv6 becomes IPv4. Null if it is invalid. */
function canonical(text: string): string | null {
  const bare = text.trim();
  const [address = ''] = (IPV4_WITH_PORT.exec(bare)?.[1] ?? IN_BRACKETS.exec(bare)?.[1] ?? bare).split('%');
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : null;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
  return isMapped ? dotted(groups[6]!, groups[7]!) : groups.map(hexadecimal).join(':');
}

/** The eight numbers of an IPv6 address in any notation. The platform's URL does not support all of them. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [groupsIn(head), groupsIn(tail)];
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after];
}

/** `a:b` as two numbers; an IPv4 address at the end is two. */
function groupsIn(side: string): number[] {
  const groups = side.split(':').filter(group => group !== '');
  return groups.flatMap(group => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

const hexadecimal = (group: number): string => group.toString(16);
const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
const networkOf = (ipv6: string): string => `${ipv6.split(':').slice(0, NETWORK_GROUPS).join(':')}::/64`;
