/** Takes the README's picture: the report of a broken batch in the dashboard, from example data, in a real browser: npm run screenshot. */
import { join } from 'node:path';
import { Dashboard, exampleFile } from '../test/browser/dashboard.ts';

const FILE = join(import.meta.dir, '../docs/images/report.png');

await using dashboard = await Dashboard.start();
const clean = await Bun.file(exampleFile('orders-clean.csv')).text();
const headers = { 'Content-Type': 'text/csv', 'X-Source': 'orders' };
// Three days of the shop: the rows in another order each day, so that no batch is a repeat.
const [header, ...rows] = clean.trimEnd().split('\n');
for (const day of [1, 2, 3])
  await dashboard.screen(
    [header, ...rows.slice(day), ...rows.slice(0, day)].join('\n').replaceAll('ORD-0', `ORD-${day}`),
    headers,
  );
const job = await dashboard.screen(await Bun.file(exampleFile('orders-broken.csv')).text(), headers);
const { page } = await dashboard.open(`#/jobs/${job}`, {
  viewport: { width: 1200, height: 760 },
  colorScheme: 'light',
});
await page.screenshot({ path: FILE });
await page.context().browser()?.close();
