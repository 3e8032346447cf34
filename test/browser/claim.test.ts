/** Where codes are mailed nobody takes over the account of the first key by signing in: its key is pasted. */
import { expect, test } from 'bun:test';
import { KEY, Server } from '../e2e/server.ts';
import { SmtpInbox } from '../mail/smtp-inbox.ts';
import { describeWithBrowser, openPage } from './browser.ts';
import { faults, screenshot, settled, WIDE } from './dashboard.ts';

describeWithBrowser('a newcomer who has posted with a key', () => {
  test('pastes it with the keyboard, is told of a wrong one, and sees the batch', async () => {
    await using inbox = await SmtpInbox.open();
    await using server = await Server.start({ SMTP_URL: inbox.url, MAIL_FROM: 'Sluice <s@corp.com>' });
    await server.report('{"source":"orders","rows":[{"id":1}]}');
    await using recorded = await openPage({ viewport: WIDE });
    const { page } = recorded;
    await page.goto(server.url);
    await page.getByLabel('E-mail address').fill('new@corp.com');
    await page.keyboard.press('Enter');
    await inbox.has(1);
    await page.getByLabel('Six digits').fill(/^(\d{6})\r$/m.exec(inbox.received[0]!.message)![1]!);
    await page.keyboard.press('Enter');
    await settled(page);
    const field = page.getByLabel('API key', { exact: true });
    await field.focus();
    await page.keyboard.type(`${KEY.slice(0, -1)}0`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'No account has this API key' }).waitFor();
    await page.locator('#claimed-key:focus').waitFor();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'claim');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'orders' }).waitFor();
    await page.goto(`${server.url}/#/keys`);
    await page.getByTitle('bootstrap').waitFor();
    expect(await field.count()).toBe(0);
    expect(recorded.outside(server.url)).toEqual([]);
  });
});
