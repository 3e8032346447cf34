import { expect, test } from 'bun:test';
import pino from 'pino';
import { newMailer } from '../../src/mail/mailer.ts';

test('without a mail server the log has one line with the address and the six digits', async () => {
  const lines: string[] = [];
  const log = pino(
    { level: 'warn', timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => lines.push(line) },
  );
  await newMailer({ smtpUrl: null, mailFrom: 'sluice@localhost' }, log).sendCode('ann@corp.com', '012345');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('ann@corp.com');
  expect(lines[0]!.match(/\b\d{6}\b/g)).toEqual(['012345']);
});
