/** The return from the payment provider, whose pages lead to `/?checkout=success` or `/?checkout=canceled`. */
const MESSAGES = new Map([
  [
    'success',
    'Thank you. Your plan changes when the payment is confirmed, usually within a minute. Load this page again to see it.',
  ],
  ['canceled', 'You canceled the payment. Nothing has changed.'],
]);

/** Read before any page reads the address. */
let returned = returnedFromCheckout();

/** A message for the billing page, once; null without such a return. */
export function messageOnce(): string | null {
  const message = returned;
  returned = null;
  return message;
}

/** Also changes the address to that of the billing page. */
function returnedFromCheckout(): string | null {
  const message = MESSAGES.get(new URLSearchParams(location.search).get('checkout') ?? '') ?? null;
  if (message !== null) history.replaceState(null, '', `${location.pathname}#/billing`);
  return message;
}
