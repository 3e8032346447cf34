/** E-mail addresses as people sign in with them. */

/** RFC 5321, section 4.5.3.1.3, less the angle brackets. */
const MAX_CHARACTERS = 254;
/** What no mail server would take for anything else: no quotes, brackets, spaces, controls or lists. */
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]+\.[^\s\p{C}"(),:;<>@[\\\].]+$/u;

/** The address in lower case, without spaces around it; null when it is none. Servers that tell cases apart are not to be found. */
export function emailIn(text: string): string | null {
  const address = text.trim().toLowerCase();
  return address.length <= MAX_CHARACTERS && ADDRESS.test(address) ? address : null;
}
