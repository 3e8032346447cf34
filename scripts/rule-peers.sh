#!/usr/bin/env bash
# Installs the libraries that bench/rule-peers.ts compares with into a virtual environment: scripts/rule-peers.sh FOLDER.
set -euo pipefail
"${PYTHON:-python3}" -m venv "$1"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check 'pandera[polars]==0.35.0' great_expectations==1.24.1 duckdb==2.0.0
echo "RULE_PEERS=$1/bin/python npm run bench -- rule-peers"
