import { expect, test } from 'bun:test';
import { mailboxOf, networkOf } from '../../src/account/code-bounds.ts';

test.each([
  ['ann@corp.com', 'ann@corp.com'],
  ['ann+x@corp.com', 'ann@corp.com'],
  ['ann+x+y@corp.com', 'ann@corp.com'],
  ['+ann@corp.com', '+ann@corp.com'],
  ['a.nn@corp.com', 'a.nn@corp.com'],
  ['a.n.n+x.y@gmail.com', 'ann@gmail.com'],
  ['ann@googlemail.com', 'ann@gmail.com'],
  ['a.nn@pm.me', 'ann@proton.me'],
  ['ann@x.gmail.com', 'ann@x.gmail.com'],
  ['ann@ｇｍａｉｌ.com', 'ann@gmail.com'],
  ['ann@größe.de', 'ann@xn--gre-6ka8i.de'],
  ['ann@xn--gre-6ka8i.de', 'ann@xn--gre-6ka8i.de'],
])('mail for %s arrives at %s', (email, mailbox) => {
  const { local, domain } = mailboxOf(email);
  expect(`${local}@${domain}`).toBe(mailbox);
});

test.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:7:1::/64', '2001:db8:7::/48'],
  ['0:0:0:0::/64', '0:0:0::/48'],
  ['unknown', 'unknown'],
])('the network of the client %s is %s', (client, network) => {
  expect(networkOf(client)).toBe(network);
});
