/**
 * Receives alerts on this machine and prints them. Webhooks (/hook) are checked by the library of Standard Webhooks:
 * WEBHOOK_SECRET=whsec_… node examples/alert-receiver.js [port]
 */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const port = Number(process.argv[2] ?? 9000);
const webhook = new Webhook(process.env.WEBHOOK_SECRET);

const server = createServer(async (request, response) => {
  const body = (await request.setEncoding('utf8').toArray()).join('');
  try {
    if (request.url === '/slack') showMessage(JSON.parse(body));
    else showAlert(webhook.verify(body, request.headers));
    response.writeHead(204).end();
  } catch (error) {
    console.log(`refused: ${error.message}`);
    response.writeHead(400).end();
  }
});

function showAlert({ type, data: { incident, report } }) {
  const verdict = incident.status === 'open' ? ` ${incident.verdict}` : '';
  console.log(`webhook, signature is valid: ${type} ${incident.source}${verdict}: ${report.reason}`);
}

function showMessage({ text, blocks }) {
  console.log(`Slack: ${text} (${blocks.length} blocks)`);
}

server.listen(port, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
