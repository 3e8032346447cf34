#!/usr/bin/env bash
set -euo pipefail
export DBT_PROFILES_DIR=$PWD DBT_SEND_ANONYMOUS_USAGE_STATS=false
for file in data/orders-clean.csv data/orders-broken.csv; do
  echo "dbt build, $file"
  dbt --no-use-colors build --vars "path: $file" >dbt.log 2>&1 || true
  grep -oE '(OK created|ERROR creating|SKIP relation|SKIP) .*(orders_checked|revenue)|Done\. .*' dbt.log | sed 's/\.\.*$//'
  grep -ohE 'Blocked: .*' dbt.log | head -1 | sed "s#$SLUICE_URL#http://127.0.0.1:8080#; s/req_[0-9A-Z]*/req_…/" || true
done
