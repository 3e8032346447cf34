"""Runs the examples on one cluster."""

import pathlib

import gated_load  # noqa: F401
import retried_load  # noqa: F401
import gated_stream
from sluice import Sluice

# As if the driver had ended just before it noted that the last micro-batch is done.
for name in ("2", ".2.crc"):
    pathlib.Path("checkpoint/commits", name).unlink()
gated_stream.start().awaitTermination()
print(len(list(Sluice().jobs(source="stream"))), "micro-batches were counted")
