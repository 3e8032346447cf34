import { Page } from '../parts/frame/page.tsx';
import { addressOf, overview } from '../route.ts';

export const Unknown = () => (
  <Page title="Page not found">
    <p class="empty">
      There is no page at this address. <a href={addressOf(overview())}>Go to the overview</a>
    </p>
  </Page>
);
