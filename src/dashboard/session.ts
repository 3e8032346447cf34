/**
 * The session. Its token is in localStorage, so that links in new tabs work and people need few codes (five an hour are allowed).
 * The risks: a foreign script on this page could read it, which the content security policy prevents; and it stays on disk until
 * it expires after a week. Signing out ends it here, in other tabs and on the server.
 */
import type { SessionAnswer } from './contract.ts';

const NAME = 'sluice.session';

export interface Session extends SessionAnswer {
  email: string;
}

type Listener = (session: Session | null) => void;

const listeners = new Set<Listener>();
let current = stored();

export const session = (): Session | null => current;

export function begin(opened: Session): void {
  localStorage.setItem(NAME, JSON.stringify(opened));
  change(opened);
}

/** Forgets the session here and in the other tabs. */
export function forget(): void {
  localStorage.removeItem(NAME);
  change(null);
}

/** Calls `listener` on every change, until the returned function is called. */
export function watch(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Events come only for changes in other tabs. The key is null after the storage was cleared.
addEventListener('storage', ({ key }) => {
  if (key === NAME || key === null) change(stored());
});

function change(next: Session | null): void {
  current = next;
  for (const listener of listeners) listener(next);
}

function stored(): Session | null {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME) ?? 'null') as Session | null;
    return kept !== null && Date.parse(kept.expires_at) > Date.now() ? kept : null;
  } catch {
    return null;
  }
}
