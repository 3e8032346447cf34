/** Coming back from the payment provider: its pages lead to `/?checkout=success` or `/?checkout=canceled`. */
const WORDS = new Map([
  ['success', 'Thank you. The plan changes as soon as the payment is confirmed, mostly within a minute.'],
  ['canceled', 'Nothing was bought, and nothing has changed.'],
]);

/** What to say about it on the billing page, to which the address is changed; null for everybody else. */
export function returnedFromCheckout(): string | null {
  const words = WORDS.get(new URLSearchParams(location.search).get('checkout') ?? '') ?? null;
  if (words !== null) history.replaceState(null, '', `${location.pathname}#/billing`);
  return words;
}
