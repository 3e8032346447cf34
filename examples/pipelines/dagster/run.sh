#!/usr/bin/env bash
set -euo pipefail
export DAGSTER_HOME= DAGSTER_DISABLE_TELEMETRY=1
python show.py 2>dagster.log || { tail -20 dagster.log >&2; exit 1; }
