#!/usr/bin/env bash
set -euo pipefail
export PREFECT_HOME=$PWD/prefect PREFECT_LOGGING_LEVEL=CRITICAL DO_NOT_TRACK=1
export PREFECT_SERVER_ANALYTICS_ENABLED=false PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS=300
python gated_load.py data/orders-clean.csv data/orders-broken.csv 2>prefect.log | sed "s#$SLUICE_URL#http://127.0.0.1:8080#; s/req_[0-9A-Z]*/req_…/" || { tail -20 prefect.log >&2; exit 1; }
