"""What a lost executor does: tasks that run again send nothing twice, and a plan that gives other rows then is an error."""

import os
import signal

import sluice.spark
from pyspark import TaskContext
from session import spark
from sluice import Sluice, SluiceError

orders = spark.read.csv("landing/clean.csv", header=True)


def changing(batches):
    """Another try has a row less in each batch."""
    for batch in batches:
        yield batch.slice(TaskContext.get().attemptNumber())


def killed_once(batches):
    """The first try of a partition is killed."""
    task = TaskContext.get()
    if task.attemptNumber() == 0 and task.partitionId() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    yield from batches


# The client does not try again here, so a part whose answer is lost fails its task, and Spark runs it again.
client = Sluice(max_retries=0)
report = sluice.spark.screen(orders.mapInArrow(killed_once, orders.schema), source="retried", format="csv", client=client)
print(f"a killed task, and lost answers: {orders.count()} rows in the table, {report.stats['rows_received']} screened")
try:
    sluice.spark.screen(orders.mapInArrow(changing, orders.schema), source="changing", format="csv", client=client)
except SluiceError as error:
    print(f"a plan that changes: {error}")
