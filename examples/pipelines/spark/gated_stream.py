"""Gates each micro-batch: rows to hold back go to a folder of their own, a batch that is wrong as a whole goes there entirely."""

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
        report = gate.screen(frame, source="orders", options={"row_verdicts": True}, idempotency_key=key)
    good, held = report.good_rows(frame), report.held_rows(frame)
    if report.blocked and report.whole_batch:
        good, held = frame.head(0), frame
    for rows, folder in ((good, "good"), (held, "held")):
        if len(rows) > 0:
            spark.createDataFrame(rows, schema=batch.schema).write.mode("append").parquet(folder)
    print(f"batch {number}: {report.status}, {len(good)} rows loaded, {len(held)} held")


stream = (
    spark.readStream.schema("order_id STRING, amount STRING, status STRING, email STRING")
    .option("maxFilesPerTrigger", 1)
    .json("landing")
)
query = stream.writeStream.foreachBatch(gated).option("checkpointLocation", "checkpoint").trigger(availableNow=True).start()
query.awaitTermination()
