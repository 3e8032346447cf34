/** Normalizes and validates the e-mail addresses that users sign in with. */

/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
const MAX_CHARACTERS = 254;
/** Accepts only plain addresses: no quotes, brackets, spaces, control characters or lists. */
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]+\.[^\s\p{C}"(),:;<>@[\\\].]+$/u;

/** The address trimmed and in lower case; null if it is invalid. In practice no mail server distinguishes case. */
export function emailIn(text: string): string | null {
  const address = text.trim().toLowerCase();
  return address.length <= MAX_CHARACTERS && ADDRESS.test(address) ? address : null;
}
