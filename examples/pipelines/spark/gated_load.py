"""Gates each day's file before it is loaded. The executors screen the partitions that they have, and no row comes to the driver."""

import sluice.spark
from session import spark
from sluice import Blocked


def load(day: str) -> None:
    orders = spark.read.csv(f"landing/{day}.csv", header=True)
    try:
        # All columns are texts, as in the file: the service finds their types. A run that is repeated for a day counts once.
        report = sluice.spark.gate(orders, source="orders", format="csv", idempotency_key=f"load_orders-{day}")
    except Blocked as blocked:
        print(f"{day}: BLOCK, nothing is loaded: {blocked.report.reason}")
        return
    report.good_rows().write.mode("append").parquet("orders")
    report.held_rows().write.mode("append").parquet("orders-held")
    print(f"{day}: {report.status}, {report.stats['rows_received']} rows screened, {report.quarantine['count']} held")


for day in ("clean", "some-wrong", "half-wrong"):
    load(day)
loaded, held = spark.read.parquet("orders"), spark.read.parquet("orders-held")
wrong = loaded.where("amount = 'unknown'").count()
print(f"loaded: {loaded.count()} rows, {wrong} of them wrong; held: {held.count()} rows, all {held.select('amount').distinct().first().amount}")
