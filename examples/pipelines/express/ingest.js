/** An ingest route with the gate in front of it. */
import express from 'express';
import { Sluice, SluiceError } from 'sluice-client';

// The sender waits for the answer: fail at once, and let it try again.
const once = { timeoutMs: 5000, maxRetries: 0 };
const sluice = new Sluice({ url: process.env.SLUICE_URL, key: process.env.SLUICE_KEY, ...once });
const MOST_ROWS = 10_000;

/** Leaves in `body` the rows that may be stored, when all of them are screened. */
const gated = source => async (request, response, next) => {
  const rows = request.body;
  if (!Array.isArray(rows)) return response.status(400).json({ reason: 'Send an array of rows' });
  const total = Math.ceil(rows.length / MOST_ROWS) || 1;
  const good = [];
  try {
    for (let batch = 1; batch <= total; batch++) {
      const part = rows.slice((batch - 1) * MOST_ROWS, batch * MOST_ROWS);
      const options = { row_verdicts: true, batch_index: batch, total_batches: total };
      // A sender that tries again sends the same key: the source learns no batch twice.
      const key = request.get('Idempotency-Key');
      const settings = key ? { idempotencyKey: `${key}:${batch}` } : {};
      const { report, url } = await sluice.screen({ source, rows: part, options }, settings);
      if (report.status === 'BLOCK')
        return response.status(422).json({ reason: report.decision.reason, report: url });
      const held = new Set(report.quarantine.rows.map(([row]) => row));
      good.push(...part.filter((_, row) => !held.has(row)));
    }
  } catch (error) {
    if (!(error instanceof SluiceError)) return next(error);
    // What the sender can correct is said. Else nothing is stored unseen, and the sender tries again.
    if ([400, 409, 413].includes(error.status))
      return response.status(error.status).json({ reason: error.message });
    return response.status(503).set('Retry-After', '5').json({ reason: 'The gate is not reachable' });
  }
  request.body = good;
  next();
};

const app = express();
app.use(express.json({ limit: '32mb' }));
app.post('/orders', gated('orders-api'), (request, response) =>
  response.status(202).json({ stored: request.body.length }),
);
app.listen(process.env.PORT, '127.0.0.1');
