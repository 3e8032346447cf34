#!/usr/bin/env bash
# Screens the parts of one table as one batch: each is measured by a process of its own, here three at once.
set -euo pipefail
day=$1 baselines=baselines.sqlite
mkdir -p "states/$day"
# Salt and known values come from the baselines. Before the first day there are none: any of the files makes them.
[ -e $baselines ] || sluice screen --quiet --dry-run --baseline $baselines --source orders "landing/$day/orders-0.csv"
parts=$(find "landing/$day" -name "orders-*.csv" | wc -l)
seq 0 $((parts - 1)) | xargs -P 3 -I N sluice measure --part N --for $baselines --source orders --output "states/$day/N.state" "landing/$day/orders-N.csv"
sluice screen --states "states/$day/*.state" --parts "$parts" --source orders --baseline $baselines
