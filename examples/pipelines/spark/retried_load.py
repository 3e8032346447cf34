"""What a lost executor does: tasks that run again send nothing twice."""

import os
import signal

import sluice.spark
from pyspark import TaskContext
from session import spark
from sluice import Sluice

orders = spark.read.csv("landing/clean.csv", header=True)


def killed_once(batches):
    """The first try of two partitions is killed after it has sent or computed them."""
    task = TaskContext.get()
    if task.attemptNumber() == 0 and task.partitionId() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    yield from batches


# The client does not try again here, so a part whose answer is lost fails its task, and Spark runs it again.
client = Sluice(max_retries=0)
report = sluice.spark.screen(orders.mapInArrow(killed_once, orders.schema), source="retried", format="csv", client=client)
print(f"a killed task, and lost answers: {orders.count()} rows in the table, {report.stats['rows_received']} screened")
