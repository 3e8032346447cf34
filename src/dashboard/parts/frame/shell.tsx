/** The frame of every page: navigation and account. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { billing, endSession } from '../../api.ts';
import { addressOf, type Route } from '../../route.ts';
import { useLoaded } from '../../use-loaded.ts';
import { forget } from '../../session.ts';
import { Brand } from './brand.tsx';
import { Nav } from './nav.tsx';

interface Props {
  route: Route;
  email: string;
  children: ComponentChildren;
}

export function Shell({ route, email, children }: Props) {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const [usage] = useLoaded(billing, []);
  const place = addressOf(route).replace(/\?.*/, '');
  useEffect(() => {
    // After following a link reading goes on at the top of the new page. The first page keeps the focus.
    if (!isFirst.current) {
      scrollTo(0, 0);
      main.current?.querySelector('h1')?.focus({ preventScroll: true });
    }
    isFirst.current = false;
  }, [place]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="side">
        <Brand />
        <Nav page={route.page} sells={usage.value?.plansForSale ?? false} />
        <div class="who">
          <span class="who-email" title={email}>
            {email}
          </span>
          <a class="who-docs" href="./docs">
            API reference
          </a>
          <button type="button" class="quiet" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main ref={main} tabIndex={-1} class="main">
        {children}
      </main>
    </div>
  );
}

/** Forgets the session even if the server cannot be reached. */
function signOut(): void {
  void endSession().catch(() => {});
  forget();
}
