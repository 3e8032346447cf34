/** One-time codes: six digits that prove once, for ten minutes, who reads an address's mail. */
import { createHash, timingSafeEqual } from 'node:crypto';

const DIGITS = 6;
const CODES = 10 ** DIGITS;
const RANDOM_BYTES = 3;
/** Three bytes say one of 16,777,216 numbers. Those from here on would make some codes likelier than others. */
const FAIR_BELOW = 16 * CODES;

/** A code out of a million, each as likely as any other, from bytes that are. */
export function codeFrom(random: (bytes: number) => Uint8Array): string {
  for (;;) {
    const number = random(RANDOM_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
    if (number < FAIR_BELOW) return String(number % CODES).padStart(DIGITS, '0');
  }
}

/** SHA-256 of id and code, lower-case hex: all that is kept of a code. The id makes that of two equal codes differ. */
export const codeSha256 = (id: string, code: string): string =>
  createHash('sha256').update(`${id}:${code}`).digest('hex');

/** What is compared where no code was made, so that it takes as long. No code has this hash. */
const NO_CODE = '0'.repeat(64);

/** Whether this is the code of the hash; the time that takes says nothing about either. */
export function isCode(id: string, sha256: string | null, code: string): boolean {
  const given = Buffer.from(codeSha256(id, code));
  return timingSafeEqual(given, Buffer.from(sha256 ?? NO_CODE));
}
