#!/usr/bin/env bash
set -euo pipefail
mkdir landing
cp data/orders-clean.csv landing/day-1.csv
cp data/orders-broken.csv landing/day-2.csv
printf '<!doctype html><title>502</title>\n' > landing/day-3.csv
bash nightly.sh landing 2>&1
