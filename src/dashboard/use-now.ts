/** The time for "5 minutes ago", which goes on while the page stands. */
import { useEffect, useState } from 'preact/hooks';

const EVERY_MS = 30_000;

export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
