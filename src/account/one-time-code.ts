/** One-time codes: six digits that prove that a user can read the mail of an address. */
import { createHash, timingSafeEqual } from 'node:crypto';

const DIGITS = 6;
const CODES = 10 ** DIGITS;
const RANDOM_BYTES = 3;
/** Three bytes give 16,777,216 numbers. Numbers from here on are skipped, because they would make some codes more likely. */
const FAIR_BELOW = 16 * CODES;

/** One of a million codes, all equally likely. */
export function codeFrom(random: (bytes: number) => Uint8Array): string {
  for (;;) {
    const number = random(RANDOM_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
    if (number < FAIR_BELOW) return String(number % CODES).padStart(DIGITS, '0');
  }
}

/** SHA-256 of id and code, lower-case hex. Only this is stored. The id makes the hashes of equal codes differ. */
export const codeSha256 = (id: string, code: string): string =>
  createHash('sha256').update(`${id}:${code}`).digest('hex');

/** Compared when there is no code, so that the check takes the same time. No code has this hash. */
const NO_CODE = '0'.repeat(64);

/** Whether the code matches the hash, compared in constant time. */
export function isCode(id: string, sha256: string | null, code: string): boolean {
  const given = Buffer.from(codeSha256(id, code));
  return timingSafeEqual(given, Buffer.from(sha256 ?? NO_CODE));
}
