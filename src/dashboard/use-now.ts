/** The current time, updated while the page is open: for "5 minutes ago". */
import { useEffect, useState } from 'preact/hooks';

const UPDATE_MS = 30_000;

export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), UPDATE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
