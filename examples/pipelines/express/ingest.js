/** An ingest route with the gate in front of it. */
import express from 'express';
import { Sluice, Unavailable } from 'sluice-client';

const sluice = new Sluice({ url: process.env.SLUICE_URL, key: process.env.SLUICE_KEY });

/** Leaves in `body` the rows that may be stored. */
const gated = source => async (request, response, next) => {
  try {
    const { report } = await sluice.screen({ source, rows: request.body, options: { row_verdicts: true } });
    if (report.status === 'BLOCK')
      return response.status(422).json({ reason: report.decision.reason, request_id: report.request_id });
    const held = new Set(report.quarantine.rows.map(([row]) => row));
    request.body = request.body.filter((_, row) => !held.has(row));
    next();
  } catch (error) {
    if (!(error instanceof Unavailable)) return next(error);
    // Nothing is stored unseen: the sender tries again.
    response.status(503).set('Retry-After', '5').json({ reason: 'The gate is not reachable' });
  }
};

const app = express();
app.use(express.json({ limit: '32mb' }));
app.post('/orders', gated('orders-api'), (request, response) =>
  response.status(202).json({ stored: request.body.length }),
);
app.listen(process.env.PORT, '127.0.0.1');
