"""A cluster of three executors on this machine. Yours has another master."""

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local-cluster[3,1,1024]")
    .config("spark.ui.enabled", "false")
    # Small files have several partitions here.
    .config("spark.sql.files.maxPartitionBytes", "512k")
    .config("spark.sql.files.openCostInBytes", "0")
    .config("spark.eventLog.enabled", "true")
    .config("spark.eventLog.dir", "events")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
