/**
 * Who is signed in. The token is kept in localStorage: it outlives the tab, as links that open in a new tab need, and codes
 * are rare (five an hour). What it costs is that a script of somebody else on this page could read it, which the content
 * security policy keeps out, and that it lies on the disk until it is used up, which is a week; signing out ends it here,
 * in the other tabs, and on the server.
 */
const NAME = 'sluice.session';

export interface Session {
  token: string;
  expires_at: string;
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

/** Calls `listener` on every change; the result ends that. */
export function watch(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Only other tabs' changes come as events; null is a storage that was cleared.
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
