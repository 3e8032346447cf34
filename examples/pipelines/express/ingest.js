/** An ingest route with the gate in front of it. */
import express from 'express';
import { Sluice, SluiceError } from 'sluice-client';

// The sender waits for the answer: fail at once, and let it try again.
const once = { timeoutMs: 5000, maxRetries: 0 };
const sluice = new Sluice({ url: process.env.SLUICE_URL, key: process.env.SLUICE_KEY, ...once });
/** What must hold for each row. A request of a few rows says little else. */
const options = { row_verdicts: true, rules: { fields: { amount: { type: 'number' } } } };

/** Leaves in `body` the rows that may be stored. */
const gated = source => async (request, response, next) => {
  const rows = request.body;
  if (!Array.isArray(rows)) return response.status(400).json({ reason: 'Send an array of rows' });
  // A sender that tries again sends the same key: the source learns no batch twice.
  const key = request.get('Idempotency-Key');
  try {
    const { report, url } = await sluice.screen({ source, rows, options }, key ? { idempotencyKey: key } : {});
    if (report.status === 'BLOCK')
      return response.status(422).json({ reason: report.decision.reason, report: url });
    const held = new Set(report.quarantine.rows.map(([row]) => row));
    request.body = rows.filter((_, row) => !held.has(row));
  } catch (error) {
    if (!(error instanceof SluiceError)) return next(error);
    // What the sender can correct is said. Else nothing is stored unseen, and the sender tries again.
    if ([400, 409, 413].includes(error.status))
      return response.status(error.status).json({ reason: error.message });
    return response.status(503).set('Retry-After', '5').json({ reason: 'The gate is not reachable' });
  }
  next();
};

const app = express();
app.use(express.json({ limit: '32mb' }));
app.post('/orders', gated('orders-api'), (request, response) =>
  response.status(202).json({ stored: request.body.length }),
);
app.listen(process.env.PORT, '127.0.0.1');
