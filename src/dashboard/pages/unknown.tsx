import { Page } from '../parts/page.tsx';
import { addressOf, overview } from '../route.ts';

export const Unknown = () => (
  <Page title="Nothing is here">
    <p class="empty">
      This address leads nowhere. <a href={addressOf(overview())}>Go to the overview</a>
    </p>
  </Page>
);
