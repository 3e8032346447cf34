/** Takes the pictures of the README and docs/dashboard.md: overview, source and report in the dashboard, from example data, in a real browser: npm run screenshot. */
import './built.ts';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { Dashboard, settled } from '../test/browser/dashboard.ts';
import { eventually } from '../test/servers/process.ts';
import { exampleShop } from './example-shop.ts';

const IMAGES = join(import.meta.dir, '../docs/images');
const SOURCE = 'shop/orders';

const folder = await exampleShop();
{
  await using dashboard = await Dashboard.start(folder);
  const read = async <Answer>(path: string) => (await (await dashboard.get(path)).json()) as Answer;
  const job = await eventually(async () => {
    const { incidents } = await read<{ incidents: { source: string; last_job: string }[] }>('/v1/incidents');
    const found = incidents.find(({ source }) => source === SOURCE);
    if (!found) throw new Error('no incident yet');
    return found.last_job;
  });
  const { page } = await dashboard.open('#/', {
    viewport: { width: 1200, height: 760 },
    colorScheme: 'light',
  });
  const pictures = [
    ['overview', '#/', 'Needs attention'],
    ['source', `#/sources/${encodeURIComponent(SOURCE)}`, 'Statistics'],
    ['report', `#/jobs/${job}`, null],
  ] as const;
  for (const [name, hash, heading] of pictures) {
    await page.goto(`${dashboard.server.url}/${hash}`);
    await settled(page);
    if (name === 'source')
      await page.getByRole('heading', { name: heading! }).evaluate(element => element.scrollIntoView());
    // What differs comes below what to do.
    if (name === 'report') await page.setViewportSize({ width: 1200, height: 1140 });
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(IMAGES, `${name}.png`) });
  }
  await page.context().browser()?.close();
}
rmSync(folder, { recursive: true, force: true });
process.exit(0);
