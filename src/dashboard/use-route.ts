/** The page of the address; updates when the address changes. */
import { useEffect, useState } from 'preact/hooks';
import { addressOf, type Route, routeOf } from './route.ts';

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return routeOf(hash);
}

export const go = (route: Route): void => {
  location.hash = addressOf(route);
};

/** Changes the address, and keeps the one before it as the one to go back to. */
export function replace(route: Route): void {
  history.replaceState(null, '', addressOf(route));
  dispatchEvent(new Event('hashchange'));
}
