"""Gates each micro-batch: rows to hold back go to a folder of their own, a batch that is wrong as a whole goes there entirely."""

import sluice.spark
from session import spark
from sluice import Blocked


def gated(batch, number: int) -> None:
    try:
        # The same micro-batch may come twice. Its key makes the second answer the first one, and it counts once.
        report = sluice.spark.gate(batch, source="stream", idempotency_key=f"stream-{number}")
    except Blocked as blocked:
        report = blocked.report
    is_wrong = report.blocked and len(report.whole_batch) > 0
    good, held = (batch.limit(0), batch) if is_wrong else (report.good_rows(), report.held_rows())
    good.write.mode("overwrite").parquet(f"good/batch={number}")
    held.write.mode("overwrite").parquet(f"held/batch={number}")
    print(f"batch {number}: {report.status}, {good.count()} rows loaded, {held.count()} held")


def start():
    rows = (
        spark.readStream.schema("order_id STRING, amount STRING, status STRING, email STRING")
        .option("maxFilesPerTrigger", 1)
        .json("stream")
    )
    writer = rows.writeStream.foreachBatch(gated).option("checkpointLocation", "checkpoint")
    return writer.trigger(availableNow=True).start()


start().awaitTermination()
