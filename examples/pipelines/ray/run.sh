#!/usr/bin/env bash
set -euo pipefail
mkdir -p landing
python - <<'END'
def orders(name, wrong):
    with open(f"landing/{name}.csv", "w") as file:
        file.write("order_id,amount,status,email\n")
        file.writelines(f"ORD-{i},{'unknown' if wrong(i) else f'{i % 900}.50'},paid,{i}@example.com\n" for i in range(100_000))
orders("clean", lambda i: False)
orders("some-wrong", lambda i: i % 500 == 0)
orders("half-wrong", lambda i: i >= 50_000)
END
# Ray says on standard output, too, that a worker was lost.
python gated_load.py 2>ray.log | grep -v '(raylet)' || { tail -20 ray.log >&2; exit 1; }
[ -d ray/session_latest/logs ]
! grep -rqsF -D skip "$SLUICE_KEY" ray.log ray/session_latest/logs/* && echo 'the key is in no log'
