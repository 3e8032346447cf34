#!/usr/bin/env bash
set -euo pipefail
mkdir landing
cp data/orders-clean.csv landing/day-1.csv
# Without an end of the last line.
printf '%s' "$(sed '$s/$/,a cell too many/' data/orders-clean.csv)" > landing/day-2.csv
cp data/orders-broken.csv landing/day-3.csv
printf '<!doctype html><title>502</title>\n' > landing/day-4.csv
bash nightly.sh landing 2>&1 || echo "exit code $?"
echo "--- ready: $(ls -m ready), held: $(ls -m held), done: $(ls -m done), landing: $(ls -m landing)"
rm landing/day-4.csv
bash nightly.sh landing
echo "--- the next night without files: exit code $?"
