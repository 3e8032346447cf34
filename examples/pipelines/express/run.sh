#!/usr/bin/env bash
set -euo pipefail
node ingest.js 2>server.log &
trap 'kill $!' EXIT
for _ in $(seq 300); do curl -s -o answer "http://127.0.0.1:$PORT/" && break; sleep 0.2; done
post() { curl -s -X POST -H 'Content-Type: application/json' -w ' %{http_code}\n' --data-binary "$1" "http://127.0.0.1:$PORT/orders" | sed "s#$SLUICE_URL#http://127.0.0.1:8080#; s/req_[0-9A-Z]*/req_…/"; }
post '[{"id": 1, "amount": 9.5}, {"id": 2, "amount": 12}]'
post '[{"id": 3, "amount": "broken"}, {"id": 4, "amount": 7}]'
post '[]'
node -e 'console.log(JSON.stringify(Array.from({ length: 12_000 }, (_, id) => ({ id, amount: 5 + (id % 9) }))))' > long.json
post @long.json
# Nothing listens where the gate should be.
kill $! && wait $! || true
SLUICE_URL=http://127.0.0.1:9 node ingest.js 2>>server.log &
for _ in $(seq 300); do curl -s -o answer "http://127.0.0.1:$PORT/" && break; sleep 0.2; done
curl -s -X POST -H 'Content-Type: application/json' -o answer -w '%{http_code} %{time_total}\n' --data-binary '[{"id": 5, "amount": 3}]' "http://127.0.0.1:$PORT/orders" |
  awk '{ print $1, ($2 < 1 ? "in less than a second" : "after " $2 " s") }'
