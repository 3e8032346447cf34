#!/usr/bin/env bash
set -euo pipefail
mkdir -p landing
python - <<'END'
import json
rows = [{"order_id": f"ORD-{i}", "amount": f"{i}.50", "status": "paid", "email": f"{i}@example.com"} for i in range(200)]
for day, odd in ((1, 0), (2, 3), (3, 200)):
    held = [{**row, "amount": "n/a", "email": None} for row in rows[:odd]]
    with open(f"landing/day-{day}.json", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in held + rows[odd:])
END
touch -d '3 minutes ago' landing/day-1.json
touch -d '2 minutes ago' landing/day-2.json
python gated_stream.py 2>spark.log || { tail -20 spark.log >&2; exit 1; }
