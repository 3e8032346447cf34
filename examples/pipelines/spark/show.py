"""Runs the examples on one cluster."""

import pathlib
import runpy

from sluice import Sluice

for name in ("gated_load", "retried_load"):
    runpy.run_path(f"{name}.py", run_name="__main__")
stream = runpy.run_path("gated_stream.py", run_name="__main__")
# As if the driver had ended just before it noted that the last micro-batch is done.
for name in ("2", ".2.crc"):
    pathlib.Path("checkpoint/commits", name).unlink()
stream["start"]().awaitTermination()
print(len(list(Sluice().jobs(source="stream"))), "micro-batches were counted")
