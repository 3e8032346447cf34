"""Reads the file of the day and gates it. If it is held, this model fails, and dbt skips every model that refers to it."""

import os

from sluice import Sluice


def model(dbt, session):
    dbt.config(materialized="table")
    path = dbt.config.get("path")
    with Sluice() as gate:
        # Screens the whole file before it is read. Who retries dbt sets RUN_ID: then the source learns no batch twice.
        gate.gate(path, source="orders", idempotency_key=os.environ.get("RUN_ID"))
    return session.read_csv(path)
