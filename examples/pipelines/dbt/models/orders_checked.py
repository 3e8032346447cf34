"""Reads the file of the day and gates it. If it is held, this model fails, and dbt skips every model that refers to it."""

from sluice import Sluice


def model(dbt, session):
    dbt.config(materialized="table")
    path = dbt.config.get("path")
    with Sluice() as gate:
        gate.gate(path, source="orders")
    return session.read_csv(path)
