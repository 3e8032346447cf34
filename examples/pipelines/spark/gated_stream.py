"""Gates each micro-batch: rows to hold back go to a folder of their own, a batch that is wrong as a whole goes there entirely."""

import pandas
from pyspark.sql import SparkSession
from sluice import Sluice

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def gated(batch, number: int) -> None:
    frame = batch.toPandas()
    if frame.empty:
        return
    with Sluice() as gate:
        # The same micro-batch may come twice. Its key makes the second answer the first one.
        key = f"load_orders-{number}"
        parts = list(gate.screen_all(frame, source="orders", options={"row_verdicts": True}, idempotency_key=key))
    good, held = [], []
    for part in parts:
        rows, report = part.rows_of(frame), part.report
        is_whole = report.blocked and len(report.whole_batch) > 0
        good.append(rows.head(0) if is_whole else report.good_rows(rows))
        held.append(rows if is_whole else report.held_rows(rows))
    for rows, folder in ((pandas.concat(good), "good"), (pandas.concat(held), "held")):
        if len(rows) > 0:
            spark.createDataFrame(rows, schema=batch.schema).write.mode("append").parquet(folder)
    verdicts = ", ".join(part.report.status for part in parts)
    print(f"batch {number}: {verdicts}, {sum(map(len, good))} rows loaded, {sum(map(len, held))} held")


stream = (
    spark.readStream.schema("order_id STRING, amount STRING, status STRING, email STRING")
    .option("maxFilesPerTrigger", 1)
    .json("landing")
)
query = stream.writeStream.foreachBatch(gated).option("checkpointLocation", "checkpoint").trigger(availableNow=True).start()
query.awaitTermination()
