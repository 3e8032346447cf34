#!/usr/bin/env bash
set -euo pipefail
for day in clean half-wrong; do
  mkdir -p "landing/$day"
  for part in 0 1 2 3 4 5 6 7 8 9; do
    awk -v part="$part" -v day="$day" 'BEGIN {
      print "order_id,amount,status,email"
      for (i = part * 10000; i < (part + 1) * 10000; i++)
        printf "ORD-%d,%s,paid,%d@example.com\n", i, (day == "half-wrong" && i >= 50000 ? "unknown" : i % 900 ".50"), i
    }' >"landing/$day/orders-$part.csv"
  done
done
./nightly.sh clean
./nightly.sh half-wrong || echo "exit code $?: nothing is loaded"
