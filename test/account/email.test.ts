import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { emailIn } from '../../src/account/email.ts';

describe('an e-mail address', () => {
  test.each([
    ['ann@corp.com', 'ann@corp.com'],
    ['  Ann.Lee+x@Mail.CORP.com\n', 'ann.lee+x@mail.corp.com'],
    ["o'neil_%!#$&*/=?^`{|}~-@corp.co.uk", "o'neil_%!#$&*/=?^`{|}~-@corp.co.uk"],
    ['jürgen@größe.de', 'jürgen@größe.de'],
    ['__proto__@constructor.io', '__proto__@constructor.io'],
  ])('%j is known as %j', (given, address) => {
    expect(emailIn(given)).toBe(address);
  });

  test.each([
    '',
    '@',
    'ann',
    'ann@corp',
    '@corp.com',
    'ann@.com@corp.com',
    'ann@corp.com.',
    'ann lee@corp.com',
    'ann@corp.com bob@corp.com',
    'ann@corp.com,bob@corp.com',
    '<ann@corp.com>',
    '"ann"@corp.com',
    'ann\r\nBcc: bob@corp.com',
    'ann\0@corp.com',
    'ann\u202e@corp.com',
    'ann@[192.0.2.1]',
  ])('%j is none', given => {
    expect(emailIn(given)).toBeNull();
  });

  test('has at most 64 characters before the @', () => {
    expect(emailIn(`${'a'.repeat(64)}@corp.com`)).not.toBeNull();
    expect(emailIn(`${'a'.repeat(65)}@corp.com`)).toBeNull();
  });

  test('has at most 254 characters in total', () => {
    const of = (length: number) => `a@${'b'.repeat(length - 6)}.com`;
    expect(of(254)).toHaveLength(254);
    expect(emailIn(of(254))).toBe(of(254));
    expect(emailIn(of(255))).toBeNull();
  });

  test('that was accepted is accepted again unchanged', () => {
    const characters = fc.constantFrom(...'aZ@. ,"<+-_İß\t\u00e9');
    const near = fc.array(characters, { maxLength: 12 }).map(letters => letters.join(''));
    fc.assert(
      fc.property(near, near, (before, behind) => {
        const address = emailIn(`${before}@${behind}.com`);
        if (address !== null) expect(emailIn(address)).toBe(address);
      }),
    );
  });
});
