#!/usr/bin/env bash
set -euo pipefail
export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON=$(command -v python)
logs=$(python -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')/work
rm -rf "$logs"
mkdir -p landing stream events
python - <<'END'
import json
def orders(name, wrong):
    with open(f"landing/{name}.csv", "w") as file:
        file.write("order_id,amount,status,email\n")
        file.writelines(f"ORD-{i},{'unknown' if wrong(i) else f'{i % 900}.50'},paid,{i}@example.com\n" for i in range(100_000))
orders("clean", lambda i: False)
orders("some-wrong", lambda i: i % 500 == 0)
orders("half-wrong", lambda i: i >= 50_000)
rows = [{"order_id": f"ORD-{i}", "amount": f"{i}.50", "status": "paid", "email": f"{i}@example.com"} for i in range(200)]
for day, odd in ((1, 0), (2, 3), (3, 200)):
    held = [{**row, "amount": "unknown", "email": None} for row in rows[:odd]]
    with open(f"stream/day-{day}.json", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in held + rows[odd:])
END
touch -d '3 minutes ago' stream/day-1.json
touch -d '2 minutes ago' stream/day-2.json
python show.py 2>spark.log || { tail -20 spark.log >&2; exit 1; }
ls "$logs"/app-*/2/stderr >/dev/null
! grep -rqF "$SLUICE_KEY" events "$logs" spark.log && echo 'the key is in no log'
