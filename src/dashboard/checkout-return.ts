/** The return from the payment provider, whose pages lead to `/?checkout=success` or `/?checkout=canceled`. */
const MESSAGES = new Map([
  ['success', 'Thank you. Your plan changes when the payment is confirmed, usually within a minute.'],
  ['canceled', 'You canceled the payment. Nothing has changed.'],
]);

/** A message for the billing page, and changes the address to that page; null without such a return. */
export function returnedFromCheckout(): string | null {
  const message = MESSAGES.get(new URLSearchParams(location.search).get('checkout') ?? '') ?? null;
  if (message !== null) history.replaceState(null, '', `${location.pathname}#/billing`);
  return message;
}
